#!/usr/bin/env bash
# Checks that libsenet has no global and no thread-local state, and calls no function that ends the
# program, prints or handles signals: no_state.sh LIBRARY COMPILER. First it checks that it detects
# every forbidden kind.
set -euo pipefail
library=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the writable sections with their symbols. Leaves out sections that only the loader writes,
# before the program begins: tables of addresses (.data.rel.ro) and references for exception
# handling (DW.ref., and clang's without a symbol; every variable has one).
state() { # FILE
  readelf -SW "$1" | sed -n 's/^ *\[ *\([0-9]*\)\] */\1 /p' |
    awk '$8 ~ /W/ && $6 !~ /^0+$/ && $2 !~ /^\.data\.rel\.ro/ && $2 !~ /^\.data\.(rel\.local\.)?DW\.ref\./ {print $1, $2}' |
    while read -r number section; do
      symbols=$(readelf -sW "$1" | awk -v section="$number" '$7 == section && $4 != "SECTION" {printf "%s ", $8}')
      if [[ -n $symbols ]]; then echo "$section: $symbols"; fi
    done
  readelf -sW "$1" | awk '$7 == "COM" {print "common: " $8}'
}

# Prints the forbidden functions that a file calls. std::terminate is allowed: the compiler calls it
# for noexcept.
unwanted_symbols() { # FILE
  nm --undefined-only "$1" | awk '{print $NF}' | grep -Ex -e '_?exit|_Exit|quick_exit|abort|__assert_fail|atexit|__cxa_atexit|__cxa_thread_atexit' \
    -e 'v?f?d?printf|__v?f?printf_chk|puts|fputs|putchar|putc|fputc|fwrite|perror|syslog|stdout|stderr|stdin|_ZSt4(cout|cerr|clog)' \
    -e 'signal|sigaction|raise|kill|setlocale|setenv|getenv|secure_getenv|__cxa_guard_acquire|__tls_get_addr' || true
}

seen() { # FORBIDDEN CODE, in C++
  printf '%b\n' "$1" | "$compiler" -x c++ -std=c++20 -fPIC -O2 -c -o "$work/forbidden.o" -
  [[ -n $(state "$work/forbidden.o")$(unwanted_symbols "$work/forbidden.o") ]]
}
while read -r line; do
  seen "$line" || { echo "this forbidden code is not detected: $line" >&2; exit 1; }
done <<'END'
int counter; int next() { return ++counter; }
namespace senet { static int counter = 7; int next() { return ++counter; } }
inline int counter = 0; int next() { return ++counter; }
thread_local int counter; int next() { return ++counter; }
thread_local int counter = 7; int next() { return ++counter; }
int next() { static int counter; return ++counter; }
int first(); int next() { static int counter = first(); return ++counter; }
#include <mutex>\nstd::mutex mutex; void lock() { mutex.lock(); }
#include <string>\nconst std::string name = "made before main"; const std::string& ask() { return name; }
const char* names[] = {"a table that is not const"}; const char** ask() { return names; }
#include <cstdlib>\nvoid end() { std::exit(1); }
void end() { __builtin_abort(); }
#include <iostream>\nvoid say() { std::cout << 7; }
#include <cstdio>\nvoid say() { std::fputs("words", stderr); }
#include <csignal>\nvoid handle() { std::signal(SIGTERM, SIG_IGN); }
END
while read -r line; do
  if seen "$line"; then echo "this allowed code is reported: $line: $(state "$work/forbidden.o")" >&2; exit 1; fi
done <<'END'
struct Base { virtual ~Base(); virtual void act(); }; Base::~Base() {} void Base::act() {}
extern const char* const names[]; const char* const names[] = {"a", "b"};
void run(void (*act)()) { try { act(); } catch (int) { } }
END

found=$(state "$library"; unwanted_symbols "$library")
[[ -z $found ]] || { printf 'the library has state, or calls forbidden functions:\n%s\n' "$found" | c++filt >&2; exit 1; }
