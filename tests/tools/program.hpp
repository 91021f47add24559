// Runs the senet program like a user and returns its output and exit code.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace senet {

struct ProgramRun {
  int exit_code = -1;  // or 128 + the signal that killed it
  std::string out, err;

  /// The value of a metric in JSON lines, which must contain it exactly once.
  double metric(const std::string& subject, const std::string& name,
                const std::string& key = "value") const {
    double value = 0;
    int found = 0;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (!json.is_object() || json.value("case", "") != subject) continue;
      if (json.value("metric", "") != name || !json.contains(key)) continue;
      ++found;
      // A value that is not finite is null.
      value = json[key].is_number() ? json[key].get<double>() : 0;
    }
    EXPECT_EQ(found, 1) << subject << " " << name << " in:\n" << out << err;
    return value;
  }
};

/// Runs `program <arguments>` without a shell; stdin is empty.
inline ProgramRun run_program(const char* program, std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  const std::string out = folder.path() / "out", err = folder.path() / "err";
  arguments.insert(arguments.begin(), program);
  const pid_t child = fork();
  if (child == 0) {
    const bool ready = std::freopen("/dev/null", "r", stdin) != nullptr &&
                       std::freopen(out.c_str(), "w", stdout) != nullptr &&
                       std::freopen(err.c_str(), "w", stderr) != nullptr;
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    if (ready) execv(program, words.data());
    _exit(127);
  }
  ProgramRun run;
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    ADD_FAILURE() << "cannot run " << program;
    return run;
  }
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.out = text_of(out);
  run.err = text_of(err);
  return run;
}

/// Runs `senet <arguments>`.
inline ProgramRun run_senet(std::vector<std::string> arguments) {
  return run_program(SENET_PROGRAM, std::move(arguments));
}

/// Expects a failure: this exit code, nothing on stdout, and one line on stderr that begins with
/// "senet <command>: " and contains `reason`.
inline void expect_failure(const ProgramRun& run, int exit_code, const std::string& command,
                           const std::string& reason) {
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.starts_with("senet " + command + ": ")) << run.err;
  EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  EXPECT_NE(run.err.find(reason), std::string::npos) << run.err;
}

}  // namespace senet
