// What the sub-commands of the senet program share: how each is added, how it fails, what it exits
// with.
#pragma once

#include <absl/functional/any_invocable.h>

#include <string_view>

#include "senet/result.hpp"
#include "tools/command_line.hpp"

namespace senet {

/// Exit codes of the program; 0 is success.
inline constexpr int kExitFailed =
    1;  // something went wrong, or it was told to stop before its end
inline constexpr int kExitBadInput = 2;  // it was asked for something that makes no sense

/// A command whose input has been read and found good. Calling it does the work and prints.
using Job = absl::AnyInvocable<Result<void>()>;

/// Runs a command: one that could not be prepared prints one line "senet <command>: <reason>" on
/// stderr and gives kExitBadInput, one that fails while it runs the same line and kExitFailed.
int run_command(std::string_view command, Result<Job> job);

/// The same for a command that has already run: kExitBadInput unless told otherwise.
int report(std::string_view command, const Result<void>& result, int failure = kExitBadInput);

/// Hands what was printed to whoever reads stdout. Fails when it could not be written, be it now or
/// before.
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
