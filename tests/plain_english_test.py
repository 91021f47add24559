#!/usr/bin/env python3
"""Counts words that this project's prose does without, in docs, help texts and comments.

    plain_english_test.py SOURCE

Each has a plainer word: "told" is reported, passed or printed; "nobody" is no other thread; "beside"
is next to, besides or in parallel with. Fails with a list of places if there are more than LIMIT.
"""

import pathlib
import re
import subprocess
import sys

LIMIT = 30
WORDS = re.compile(
    r"\b(told|teller|tells?|nobody|somebody|everybody|whoever|seats?|famil(?:y|ies)|wish(?:e[sd])?|"
    r"yardsticks?|beside|learnt|lent|lends?|rested|newcomers?|manners|mend(?:s|ed)?|heard|hears|"
    r"says|said|goes on|go on|(?<!game )is over|are over|at work|asked about|asks about|stands|stood|"
    r"of its own|of their own|books?)\b", re.IGNORECASE)

# Comments and strings of C++, CUDA and JavaScript; a raw string may span lines.
CODE = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])+\'|//([^\n]*)|/\*(.*?)\*/', re.DOTALL)
# Comments of shell, CMake and Python.
HASH = re.compile(r"(?:^|\s)#(.*)")


def prose_of(path, text):
    """(line number, text) of each piece of prose in a file."""
    if path.suffix in (".md", ".html"):
        yield from enumerate(re.sub(r"`[^`\n]*`", "``", text).split("\n"), 1)
    elif path.suffix in (".hpp", ".cpp", ".h", ".c", ".cu", ".cuh", ".js", ".in"):
        for found in CODE.finditer(text):
            words = next((group for group in found.groups()[1:] if group), "")
            # Identifiers in strings and comments are not prose.
            words = re.sub(r"`[^`\n]*`|\w*_\w*|\w+\(|\w+::\w+|\"\w+\"", "", words)
            line = text.count("\n", 0, found.start()) + 1
            yield from enumerate(words.split("\n"), line)
    else:
        for number, line in enumerate(text.split("\n"), 1):
            if found := HASH.search(line):
                yield number, found[1]


def main(source):
    listed = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True)
    if listed.returncode != 0:
        print("not a git checkout: nothing to count")
        return 77
    suffixes = {".md", ".html", ".hpp", ".cpp", ".h", ".c", ".cu", ".cuh", ".js", ".in", ".sh", ".py", ".cmake", ".txt"}
    places = []
    files = 0
    for name in listed.stdout.splitlines():
        path = pathlib.Path(source, name)
        if path.suffix not in suffixes or "data" in path.parts or "corpus" in path.parts or path.samefile(__file__):
            continue
        files += 1
        for number, line in prose_of(path, path.read_text(errors="replace")):
            places += [f"{name}:{number}: {found[0]}: {line.strip()}" for found in WORDS.finditer(line)]
    print("\n".join(places))
    print(f"{len(places)} words in {files} files; at most {LIMIT} are allowed")
    return 0 if files > 100 and len(places) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
