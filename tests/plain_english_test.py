#!/usr/bin/env python3
"""Counts words that this project's prose does without, in docs, comments, help and messages.

    plain_english_test.py SOURCE

Each word has a plainer one: "told" is reported, passed or printed; "nobody" is no other thread;
"seat" is a slot; "yardstick" is a baseline. Fails with the list of places if there are more than
LIMIT, or if a word planted in a sample of each kind of file is not found.
"""

import pathlib
import re
import subprocess
import sys

LIMIT = 30
WORDS = re.compile(
    r"\b(told|tellers?|tells?|nobody|somebody|everybody|whoever|seat(?:s|ed|ing)?|famil(?:y|ies)|"
    r"wish(?:es|ed|ing)?|yardsticks?|books?|beside|learnt|lent|lends?|rested|newcomers?|manners|"
    r"mend(?:s|ed|ing)?|heard|hears|says|said|goes on|go on|(?<!game )is over|are over|at work|"
    r"asked about|asks about|stands|stood|turns? of chance|as it were|of its own|of their own)\b",
    re.IGNORECASE)

# Strings and comments of C, C++, CUDA and JavaScript; raw strings and block comments span lines.
CODE = re.compile(
    r'R"(\w*)\((.*?)\)\1"|"((?:\\.|[^"\\\n])*)"|\'((?:\\.|[^\'\\\n])+)\'|`((?:\\.|[^`\\])*)`|'
    r"//([^\n]*)|/\*(.*?)\*/", re.DOTALL)
# The same, and here-documents, of shell, Python, CMake and Lua.
SCRIPT = re.compile(
    r'"""(.*?)"""|<<-?\s*[\'"]?(\w+)[\'"]?[^\n]*\n(.*?)\n\s*\2\b|"((?:\\.|[^"\\])*)"|'
    r"'([^'\n]*)'|(?:^|(?<=\s))(?:#|--\s)([^\n]*)", re.DOTALL | re.MULTILINE)
# Names of code are not prose.
NAMES = re.compile(r"`[^`\n]*`|\w*_\w*|\w+\(|\w+::\w+|\\?\"\w+\\?\"|\$\{?\w+|[\w.]*/[\w./]+|(?<!\w)--?[a-z][\w-]*")
DOCUMENTS = {".md", ".html"}
CODES = {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh", ".js", ".in", ".css"}
SCRIPTS = {".sh", ".py", ".cmake", ".txt", ".lua", ".json", ""}


def prose_of(suffix, text):
    """(line number, text) of each piece of prose in a file whose name ends so."""
    pieces = [(1, text)]
    if suffix not in DOCUMENTS:
        pieces = [(text.count("\n", 0, found.start(group)) + 1, found[group])
                  for found in (CODE if suffix in CODES else SCRIPT).finditer(text)
                  for group in [found.lastindex] if group]
    for first, piece in pieces:
        yield from ((number, NAMES.sub("", line)) for number, line in enumerate(piece.split("\n"), first))


def places_in(suffix, text):
    """(line number, word, line) of each word of the list in a file."""
    return [(number, found[0], line.strip())
            for number, line in prose_of(suffix, text) for found in WORDS.finditer(line)]


def check_samples():
    """Fails if a word of the dialect is not found where people would read it."""
    samples = {
        ".md": "The {} is here.\n",
        ".html": "<p>The {} is here.</p>\n",
        ".cpp": 'int a;  // the {0}\n/* the\n {0} */ option("--a", "sets the {0}");\nauto b = R"(the\n{0})";\n',
        ".hpp": "/// The {} of a search.\n",
        ".js": "say(`the {0}`); say('the {0}');  // {0}\n",
        ".sh": "cat <<END\nusage: the {}\nEND\n",
        ".py": 'parser.add_argument("--a", help="the {0}")  # the {0}\n',
        ".txt": 'message(WARNING "the {0}")\n# the {0}\n',
    }
    for word in "told nobody somebody seat teller book family wish yardstick".split():
        for suffix, text in samples.items():
            found = places_in(suffix, text.format(word))
            if len(found) != text.count("{"):
                sys.exit(f"\"{word}\" was found {len(found)} times in a sample of {suffix}: {text}")
    for suffix, text in ((".cpp", "told = 1;  // see own_book.hpp and seat_of(), or `told`\n"), (".sh", 'told="$said"\n')):
        if found := places_in(suffix, text):
            sys.exit(f"a name counts as prose: {found}")


def main(source):
    check_samples()
    listed = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True)
    if listed.returncode != 0:
        print("not a git checkout: nothing to count")
        return 77
    places = []
    files = 0
    for name in listed.stdout.splitlines():
        path = pathlib.Path(source, name)
        if (path.suffix not in DOCUMENTS | CODES | SCRIPTS or {"data", "corpus"} & set(path.parts)
                or path.name in ("LICENSE", ".gitignore", ".clang-format") or path.samefile(__file__)):
            continue
        files += 1
        found = places_in(path.suffix, path.read_text(errors="replace"))
        places += [f"{name}:{number}: {word}: {line}" for number, word, line in found]
    print("\n".join(places))
    print(f"{len(places)} words in {files} files; at most {LIMIT} are allowed")
    return 0 if files > 100 and len(places) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
