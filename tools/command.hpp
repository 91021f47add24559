// What the sub-commands of the senet program share: how each is added, how it fails, what it exits
// with.
#pragma once

#include <absl/functional/any_invocable.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "senet/result.hpp"

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

/// Each adds one sub-command to `app`. When the command line names it, app.parse() runs it and its
/// exit code is left in `exit_code`; both must outlive the parsing.
void add_perft_command(CLI::App& app, int& exit_code);
void add_inspect_command(CLI::App& app, int& exit_code);
void add_eval_command(CLI::App& app, int& exit_code);
void add_label_command(CLI::App& app, int& exit_code);
void add_match_command(CLI::App& app, int& exit_code);
void add_selfplay_command(CLI::App& app, int& exit_code);
void add_uci_command(CLI::App& app, int& exit_code);
void add_bench_command(CLI::App& app, int& exit_code);

}  // namespace senet
