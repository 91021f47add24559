#!/usr/bin/env bash
# libsenet keeps nothing global and nothing thread-local, and asks the system for nothing that ends the program, prints
# or handles signals: no_state.sh LIBRARY COMPILER. First it sees that it would find each kind of what is forbidden.
set -euo pipefail
library=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Where a program could write, with what lies there. What is written by the loader only, before the program begins,
# is not ours to write: tables with addresses in them (.data.rel.ro) and what exceptions are caught by (DW.ref.).
state() { # FILE
  readelf -SW "$1" | sed -n 's/^ *\[ *\([0-9]*\)\] */\1 /p' |
    awk '$8 ~ /W/ && $6 !~ /^0+$/ && $2 !~ /^\.data\.rel\.ro/ && $2 !~ /^\.data\.rel\.local\.DW\.ref\./ {print $1, $2}' |
    while read -r number section; do
      echo "$section: $(readelf -sW "$1" | awk -v section="$number" '$7 == section && $4 != "SECTION" {printf "%s ", $8}')"
    done
  readelf -sW "$1" | awk '$7 == "COM" {print "common: " $8}'
}

# std::terminate may be asked for: it is what the compiler puts behind noexcept.
wishes() { # FILE
  nm --undefined-only "$1" | awk '{print $NF}' | grep -Ex -e '_?exit|_Exit|quick_exit|abort|__assert_fail|atexit|__cxa_atexit|__cxa_thread_atexit' \
    -e 'v?f?d?printf|__v?f?printf_chk|puts|fputs|putchar|putc|fputc|fwrite|perror|syslog|stdout|stderr|stdin|_ZSt4(cout|cerr|clog)' \
    -e 'signal|sigaction|raise|kill|setlocale|setenv|getenv|secure_getenv|__cxa_guard_acquire|__tls_get_addr' || true
}

seen() { # WHAT IS FORBIDDEN, in C++
  printf '%b\n' "$1" | "$compiler" -x c++ -std=c++20 -fPIC -O2 -c -o "$work/forbidden.o" -
  [[ -n $(state "$work/forbidden.o")$(wishes "$work/forbidden.o") ]]
}
while read -r line; do
  seen "$line" || { echo "this would not be found: $line" >&2; exit 1; }
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
  if seen "$line"; then echo "this is allowed: $line: $(state "$work/forbidden.o")" >&2; exit 1; fi
done <<'END'
struct Base { virtual ~Base(); virtual void act(); }; Base::~Base() {} void Base::act() {}
extern const char* const names[]; const char* const names[] = {"a", "b"};
void run(void (*act)()) { try { act(); } catch (int) { } }
END

found=$(state "$library"; wishes "$library")
[[ -z $found ]] || { printf 'state, or wishes, of the library:\n%s\n' "$found" | c++filt >&2; exit 1; }
