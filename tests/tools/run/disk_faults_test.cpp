// senet selfplay on a disk that fails: by a preloaded library, at one call of all those that change
// the files of a run, or at all from then on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/effort.hpp"
#include "tests/tools/run/checked_run.hpp"

namespace senet {
namespace {

class DiskFaults : public CheckedRun {
 protected:
  static constexpr std::uint64_t kGames = 40, kMoreGames = 20;

  /// A fault at call number `at`; an error of 0 kills the process.
  struct Fault {
    std::uint64_t at = 0;
    int error = 0;
    bool later = false;
  };

  std::filesystem::path list() const { return folder_ / "calls"; }
  /// The calls of a run: "pwrite /.../games.senet". Empty where a thread was killed before it could
  /// list its call.
  std::vector<std::string> calls() const {
    std::map<std::uint64_t, std::string> by_number;  // threads may list them in another order
    std::istringstream lines(text_of(list()));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t space = line.find(' ');
      by_number[std::stoull(line.substr(0, space))] = line.substr(space + 1);
    }
    std::vector<std::string> all;
    for (auto& [number, call] : by_number) {
      all.resize(number);
      all.back() = std::move(call);
    }
    return all;
  }
  BackgroundProgram::Environment with_fault(const Fault& fault) const {
    BackgroundProgram::Environment all = {{"LD_PRELOAD", SENET_FAULTY_DISK},
                                          {"SENET_FAULTS_BELOW", run().string()},
                                          {"SENET_FAULTS_LIST", list().string()}};
    if (fault.at == 0) return all;
    all.emplace_back("SENET_FAULTS_AT", std::to_string(fault.at));
    all.emplace_back("SENET_FAULTS_ERROR", fault.error == 0 ? "kill" : std::to_string(fault.error));
    if (fault.later) all.emplace_back("SENET_FAULTS_LATER", "1");
    return all;
  }

  static Arguments until(std::uint64_t games) { return {"--planned-games", std::to_string(games)}; }
  /// A new run with small files of games that are flushed one by one, and with several checkpoints.
  Arguments begin(std::uint64_t games) const {
    return tiny(with(until(games),
                     {"--visits", "60", "--lanes", "4", "--log-segment-mib", "0.001",
                      "--sync-seconds", "0", "--strength-minutes", "0.001", "--strength-pairs", "2",
                      "--strength-sprt", "-700,-300", "--strength-share", "1"}));
  }

  /// Plays with the fault, then more games without it, and compares all files.
  void play(const Arguments& arguments, const Fault& fault) {
    std::filesystem::remove(list());
    BackgroundProgram program(arguments, 0, with_fault(fault));
    const std::optional<int> code = program.wait_for(300);
    ASSERT_TRUE(code) << "it hangs: " << program.err();
    const std::string err = program.err();
    const std::vector<std::string>& made = calls_before_ = calls();
    const bool has_failed = fault.at > 0 && made.size() >= fault.at;
    failed_ += has_failed ? 1 : 0;
    SCOPED_TRACE((has_failed
                      ? "call " + std::to_string(fault.at) + ": " + made[fault.at - 1] + ", " +
                            (fault.error == 0 ? std::string("killed") : std::strerror(fault.error))
                      : "no fault") +
                 "; its code was " + std::to_string(*code) + ", its messages:\n" + err);
    if (!has_failed) {
      EXPECT_EQ(*code, 0);
    } else if (fault.error == 0) {
      EXPECT_EQ(*code, 128 + SIGKILL);
    } else {
      // An error is the last line. Everything that fails is reported, except where there is another
      // way: a file system without links, a file that is removed later.
      const std::string& call = made[fault.at - 1];
      const bool is_needed = !call.starts_with("link ") && !call.starts_with("remove ");
      const std::size_t line = err.rfind("senet selfplay: ");
      ASSERT_TRUE(*code >= 0 && *code <= 2);
      if (*code != 0) {
        ASSERT_NE(line, std::string::npos);
        EXPECT_EQ(err.find('\n', line), err.size() - 1);
      }
      if (*code != 0 || is_needed) {
        EXPECT_NE(err.find(std::strerror(fault.error)), std::string::npos);
      }
    }
    const bool has_begun = std::filesystem::exists(run() / "config.json");
    constexpr std::uint64_t kAll = kGames + kMoreGames;
    expect_finished(run_senet(has_begun ? resume(until(kAll)) : begin(kAll)));
    expect_whole(kAll);
  }

  /// "rename checkpoint.N.safetensors", from a line of the list.
  std::string sort_of(const std::string& call) const {
    std::string sort = std::regex_replace(call, std::regex("\\.[0-9]+\\.[0-9a-f]+\\.tmp"), ".tmp");
    sort.erase(sort.find(' ') + 1, run().string().size());
    return std::regex_replace(sort, std::regex("[0-9]+"), "N");
  }

  /// Plays with a fault at one call of each sort, or at all calls if SENET_FAULTS is "1", with each
  /// kind of fault.
  void play_with_faults(const Arguments& arguments, const std::function<void()>& prepare) {
    prepare();
    play(arguments, {});
    const std::size_t made = calls_before_.size();
    std::map<std::string, std::vector<std::uint64_t>> sorts;
    for (std::size_t i = 0; i < made; ++i) sorts[sort_of(calls_before_[i])].push_back(i + 1);
    ASSERT_GT(sorts.size(), 25u);
    constexpr Fault kKinds[] = {{0, EIO, false}, {0, ENOSPC, true}, {0, 0, false}};
    std::vector<Fault> faults;
    for (std::size_t kind = 0; const auto& [sort, places] : sorts) {
      faults.push_back(kKinds[kind++ % std::size(kKinds)]);
      faults.back().at = places[places.size() / 2];
    }
    if (asked("SENET_FAULTS", 0) == 1) {
      faults.clear();
      for (std::uint64_t at = 1; at <= made; ++at) {
        for (const Fault& kind : kKinds) faults.push_back({at, kind.error, kind.later});
      }
    }
    for (const Fault& fault : faults) {
      prepare();
      play(arguments, fault);
      if (HasFailure()) break;
    }
    std::printf("%zu calls of %zu sorts, %zu runs with a fault, which came in %zu\n", made,
                sorts.size(), faults.size(), failed_);
  }

  std::vector<std::string> calls_before_;  // of the last play()
  std::size_t failed_ = 0;                 // times that a fault came
};

TEST_F(DiskFaults, EveryCallOfANewRunMayFailOrBeTheLast) {
  play_with_faults(begin(kGames), [&] { std::filesystem::remove_all(run()); });
}

// The run was killed, its log ends within a record, an index is missing, and a setting changes.
TEST_F(DiskFaults, EveryCallOfAResumedRunMayFailOrBeTheLast) {
  // In the middle, and when the growing file has begun.
  for (std::uint64_t at = 250; log_size() < 100; ++at) {
    std::filesystem::remove_all(run());
    BackgroundProgram program(begin(kGames), 0, with_fault({.at = at}));
    ASSERT_EQ(program.wait_for(300), 128 + SIGKILL) << program.err();
  }
  std::filesystem::remove(run() / "games.000001.index");
  write_text(run() / "games.senet", text_of(run() / "games.senet") + std::string(40, 'S'));
  const std::filesystem::path kept = folder_ / "kept";
  std::filesystem::rename(run(), kept);
  play_with_faults(resume(with(until(kGames), {"--temperature", "1.5"})), [&] {
    std::filesystem::remove_all(run());
    std::filesystem::copy(kept, run(), std::filesystem::copy_options::recursive);
  });
}

// What a power cut takes away: the end of the log that was not flushed, which is cut here.
TEST_F(DiskFaults, APowerCutTakesOnlyGamesThatWereNotFlushed) {
  const std::filesystem::path log = run() / "games.senet";
  const auto flushes_rarely = [&] {
    return tiny(with(until(kGames), {"--visits", "60", "--lanes", "4", "--log-segment-mib", "0.01",
                                     "--sync-seconds", "1000", "--checkpoint-seconds", "0.2"}));
  };
  play(flushes_rarely(), {});
  std::vector<std::uint64_t> games_written;
  for (std::size_t i = 0; i < calls_before_.size(); ++i) {
    if (calls_before_[i] == "pwrite " + log.string()) games_written.push_back(i + 1);
  }
  ASSERT_GT(games_written.size(), kGames / 2);
  std::uintmax_t taken = 0;
  for (const std::size_t part : {4, 3, 2}) {
    std::filesystem::remove_all(run());
    std::filesystem::remove(list());
    const std::uint64_t at = games_written[games_written.size() - games_written.size() / part];
    BackgroundProgram program(flushes_rarely(), 0, with_fault({.at = at}));
    const std::optional<int> code = program.wait_for(300);
    ASSERT_TRUE(code == 128 + SIGKILL || code == 0) << program.err();
    std::uintmax_t flushed = 0;
    for (const std::string& made : calls()) {
      std::istringstream words(made);
      std::string call, path;
      std::uintmax_t size = 0;
      words >> call >> path >> size;
      if (call == "fdatasync" && path == log) flushed = size;
      // The file is closed, and the next begins.
      if (sort_of(made) == "rename /games.N.senet") flushed = 0;
    }
    ASSERT_GE(log_size(), flushed);
    taken += log_size() - flushed;
    std::filesystem::resize_file(log, flushed);
    expect_finished(run_senet(resume(until(kGames))));
    expect_whole(kGames);
  }
  EXPECT_GT(taken, 0u);
}

// A file with its final name is whole after a power cut: it was flushed before it got the name, and
// its folder is flushed afterwards.
TEST_F(DiskFaults, FilesAreFlushedBeforeTheyGetTheirNames) {
  play(begin(kGames), {});
  std::size_t renamed = 0;
  const std::string log = "/games.senet";
  for (std::size_t i = 0; i < calls_before_.size(); ++i) {
    std::istringstream words(calls_before_[i]);
    std::string call, path;
    words >> call >> path;
    if (call != "rename") continue;
    const std::filesystem::path file(path);
    const bool is_closed_log = sort_of(calls_before_[i]) == "rename /games.N.senet";
    const bool is_checkpoint = file.filename().string().starts_with("checkpoint");
    const auto is_source = [&](const std::string& other) {
      const std::size_t begin = other.find(' ') + 1;
      const std::string name = other.substr(begin, other.find(' ', begin) - begin);
      return is_closed_log ? name == run().string() + log
                           : name.starts_with(path + ".") && name.ends_with(".tmp");
    };
    const auto before = std::find_if(std::make_reverse_iterator(calls_before_.begin() + i),
                                     calls_before_.rend(), is_source);
    // A checkpoint is written as checkpoint.new.safetensors and gets its name then.
    if (before == calls_before_.rend() && is_checkpoint) continue;
    ASSERT_NE(before, calls_before_.rend()) << calls_before_[i];
    EXPECT_TRUE(before->starts_with("fdatasync ")) << calls_before_[i] << " after " << *before;
    const std::string folder = "fsync " + file.parent_path().string() + " ";
    EXPECT_TRUE(std::any_of(calls_before_.begin() + i, calls_before_.end(),
                            [&](const std::string& later) { return later.starts_with(folder); }))
        << calls_before_[i];
    ++renamed;
  }
  EXPECT_GT(renamed, 10u);
}

TEST_F(DiskFaults, WaitsWhileTheDiskIsFull) {
  const std::filesystem::path full = folder_ / "full";
  BackgroundProgram program(
      tiny({}), 0, {{"LD_PRELOAD", SENET_FAULTY_DISK}, {"SENET_FULL_DISK", full.string()}});
  const auto wait_for = [&](std::string_view text) {
    for (int i = 0; i < 3000 && program.running(); ++i) {
      if (program.err().find(text) != std::string::npos) return true;
      ::usleep(10'000);
    }
    return false;
  };
  ASSERT_TRUE(wait_for_games(program, 5000)) << program.err();
  write_text(full, "full");
  ASSERT_TRUE(wait_for("No space left on device: the run waits until the disk has room"))
      << program.err();
  const auto before = games(false);
  ::usleep(300'000);
  EXPECT_EQ(games(false), before);
  std::filesystem::remove(full);
  ASSERT_TRUE(wait_for("the disk has room again: the run continues")) << program.err();
  ASSERT_TRUE(wait_for_games(program, log_size() + 5000)) << program.err();
  // When it is stopped meanwhile, the games that wait are lost, and none that is in the log.
  write_text(full, "full");
  program.send(SIGTERM);
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 1);
  EXPECT_NE(program.err().find("No space left on device"), std::string::npos) << program.err();
  std::filesystem::remove(full);
  const auto kept = games(false);
  EXPECT_GT(kept.size(), before.size());
  EXPECT_TRUE(std::ranges::includes(kept, before));
  expect_finished(run_senet(resume({"--games", "5"})));
  EXPECT_EQ(games().size(), kept.size() + 5);
}

}  // namespace
}  // namespace senet
