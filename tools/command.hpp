// What the sub-commands of the senet program share: how each is added, how it fails, what it exits
// with.
#pragma once

#include <absl/functional/any_invocable.h>
#include <absl/functional/function_ref.h>

#include <string>
#include <string_view>
#include <utility>

#include "senet/result.hpp"
#include "tools/command_line.hpp"

namespace senet {

/// Exit codes of the program; 0 is success.
inline constexpr int kExitFailed = 1;    // something went wrong, or it was stopped early
inline constexpr int kExitBadInput = 2;  // it was asked for something that makes no sense

/// A command whose input has been read and found good. Calling it does the work and prints.
using Job = absl::AnyInvocable<Result<void>()>;

/// Runs the job that `prepare` makes. What goes wrong, an Error that is thrown or returned, prints
/// one line "senet <command>: <reason>" on stderr and gives kExitBadInput when it is prepare()'s,
/// kExitFailed when it is the job's.
int run_command(std::string_view command, absl::FunctionRef<Job()> prepare);
int run_command(std::string_view command, Result<Job> prepared);

/// Prints the line of an error, if there is one: `failure`, else 0.
int report(std::string_view command, const Result<void>& result, int failure = kExitBadInput);

/// The result's value; throws its error with the name of the option that asked for it in front.
template <class T>
T value_for(std::string_view option, Result<T> result) {
  if (!result) {
    throw Error(result.error().status(), std::string(option) + ": " + result.error().reason());
  }
  return std::move(result).value();
}

/// Flushes stdout. Fails when a part of it could not be written, be it now or before.
Result<void> flush_output();

/// Each adds one sub-command to the program.
void add_perft_command(const Command& program);
void add_inspect_command(const Command& program);
void add_eval_command(const Command& program);
void add_label_command(const Command& program);
void add_match_command(const Command& program);
void add_selfplay_command(const Command& program);
void add_uci_command(const Command& program);
void add_bench_command(const Command& program);

}  // namespace senet
