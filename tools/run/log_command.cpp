// senet log: checks, repairs and exports the games of a run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "games/any_game.hpp"
#include "games/json.hpp"
#include "nn/file.hpp"
#include "selfplay/game_log.hpp"
#include "selfplay/record_codec.hpp"
#include "selfplay/record_frame.hpp"
#include "tools/command.hpp"
#include "tools/play/players.hpp"
#include "tools/run/game_json.hpp"
#include "tools/terminal.hpp"
#include "train_bridge/checkpoint.hpp"

namespace senet {
namespace {

namespace fs = std::filesystem;

struct LogArguments {
  std::string log;
  std::uint64_t from = 0, to = GameRecord::kMaxGameNumber;
};

// "1 finding", "2 findings".
std::string count_of(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// "1 number is", "2 numbers are".
std::string are(std::uint64_t count, std::string_view thing) {
  return count_of(count, thing) + (count == 1 ? " is" : " are");
}

/// A file of a log; a closed one has a number.
struct LogFile {
  fs::path path;
  std::uint32_t number = 0;
};

/// The files of the named folder or file.
std::vector<LogFile> files_of(const std::string& log) {
  std::error_code unknown;
  if (!fs::is_directory(log, unknown)) return {{log}};
  if (!has_game_log(log)) throw fail(log + ": is a folder without games");
  std::vector<LogFile> files;
  for (const auto& [number, there] : segments_in(log)) {
    if (there.log) files.push_back({segment_file(log, number), number});
  }
  if (const fs::path growing = fs::path(log) / kGrowingFile; fs::exists(growing, unknown)) {
    files.push_back({growing});
  }
  return files;
}

/// The name of the log's game: of its first good header, or else of its first record.
std::string game_of(const std::vector<LogFile>& files) {
  std::string reason;
  for (const LogFile& file : files) {
    auto reader = RecordReader::open(file.path);
    if (!reader) {
      reason = reader.error().reason();
      continue;
    }
    if (!reader->header_damaged()) return reader->game();
    GameRecord record;
    if (const auto more = reader->next(record); more && *more) return record.game;
    reason = file.path.string() + ": is no log of games";
  }
  throw fail(reason);
}

/// A part of a file: a record or damage.
struct LogPart {
  enum class Kind : std::uint8_t { kGood, kDropped, kDamage };
  Kind kind;
  std::uint64_t begin, end;
  std::string problem;  // empty if it is good
};

/// Judges the records of a log in their order.
class Judge {
 public:
  explicit Judge(const AnyGame& game) : game_(game) {}

  /// What is wrong with the record in this payload; empty if nothing is.
  std::string problem_of(const Result<std::span<const std::byte>>& payload) {
    const auto decoded = payload ? decode(*payload, record_) : payload.error();
    if (!decoded) return "a record that cannot be decoded: " + decoded.error().reason();
    ++records_;
    if (!seen_.add(record_.game_number)) {
      return fmt::format("game {} occurs earlier in the log", record_.game_number);
    }
    const auto replayed = programs_of(game_).replay(game_, record_, states_);
    return replayed ? "" : replayed.error().reason();
  }

  const SeenGames& seen() const { return seen_; }
  std::uint64_t records() const { return records_; }

 private:
  const AnyGame& game_;
  SeenGames seen_;
  std::uint64_t records_ = 0;
  GameRecord record_;
  std::vector<AnyState> states_;
};

using TakePart = std::function<void(const LogPart&)>;

/// Visits all parts of a file in order. With `is_written`, the end may be a record that is being
/// written.
void visit_parts(const FileHandle& file, std::string_view game, bool is_written, Judge& judge,
                 const TakePart& take) {
  using Kind = LogPart::Kind;
  std::vector<std::byte> start(kMaxFileHeader);
  start.resize(file.read_at(0, start).value());
  const auto header = parse_file_header(start);
  if (header && header->version != kLogVersion) {
    throw fail(fmt::format("{}: the log has version {}: only version {} is supported",
                           file.path().string(), header->version, kLogVersion));
  }
  const std::uint64_t expected = file_header(game).size();
  if (header && header->game != game) {
    take({Kind::kDamage, 0, header->bytes, fmt::format("it is a log of {}", header->game)});
  } else if (!header) {
    take({Kind::kDamage, 0, std::min<std::uint64_t>(expected, file.size().value()),
          header.error().reason()});
  }
  FrameScanner scanner(header ? header->bytes : expected);
  FrameUnpacker unpacker;
  for (;;) {
    const std::uint64_t before = scanner.position();
    if (!scanner.next(file).value()) break;
    const std::uint64_t end = scanner.position(), begin = end - scanner.header().frame_bytes();
    if (begin > before) {
      take({Kind::kDamage, before, begin, count_of(begin - before, "damaged byte")});
    }
    const auto payload = unpacker.unpack(scanner.header(), scanner.stored());
    const std::string problem = judge.problem_of(payload);
    take({problem.empty() ? Kind::kGood : Kind::kDropped, begin, end, problem});
  }
  const std::uint64_t size = file.size().value();
  if (size > scanner.position() && !is_written) {
    const std::uint64_t begin = scanner.position();
    take({Kind::kDamage, begin, size, count_of(size - begin, "damaged byte") + " at the end"});
  }
}

/// What is wrong with the index of a closed file.
std::string index_problem(const fs::path& folder, const LogFile& file, std::string_view game) {
  std::error_code unknown;
  const fs::path path = index_file(folder, file.number);
  if (!fs::exists(path, unknown)) return "";  // the next resume makes it
  const auto index = load_index(path);
  if (!index) return index.error().reason();
  const auto expected = index_of(file.path, game);
  if (!expected || *index == *expected) return "";
  return path.string() + ": the index is not that of its file";
}

/// Whether a program has the file open for writing.
bool is_in_use(const fs::path& file) {
  auto handle = FileHandle::open(file, FileHandle::Mode::kRead);
  return handle && !handle->lock();
}

/// Numbers that are not there.
struct Gaps {
  std::uint64_t numbers = 0;
  std::string text;  // "3, 41 to 43"
};
/// Those in [begin, end).
Gaps gaps_in(const SeenGames& seen, std::uint64_t begin, std::uint64_t end) {
  constexpr std::size_t kShown = 10;
  Gaps gaps;
  std::vector<std::string> shown;
  for (std::uint64_t next = seen.first_unseen(begin); next < end;) {
    const auto after = seen.ranges().upper_bound(next);
    const std::uint64_t gap_end = after == seen.ranges().end() ? end : std::min(end, after->first);
    gaps.numbers += gap_end - next;
    if (shown.size() < kShown) {
      shown.push_back(next + 1 == gap_end ? fmt::format("{}", next)
                                          : fmt::format("{} to {}", next, gap_end - 1));
    } else if (shown.size() == kShown) {
      shown.emplace_back("...");
    }
    next = seen.first_unseen(gap_end);
  }
  gaps.text = fmt::format("{}", fmt::join(shown, ", "));
  return gaps;
}

/// The first number that a run had not in its log at its checkpoint; none for a log without one. A
/// resumed run plays it and those after it.
std::optional<std::uint64_t> first_open_in(const fs::path& folder) {
  // The shape is that of any of them: the newest may be damaged.
  for (const char* const name : {"checkpoint.safetensors", "checkpoint.1.safetensors"}) {
    const auto spec = checkpoint_spec(folder / name);
    if (!spec) continue;
    const auto found = find_checkpoint(folder, *spec, 0);
    if (found && found->checkpoint) return found->checkpoint->first_open;
  }
  return std::nullopt;
}

struct Verified {
  std::uint64_t findings = 0;
  std::vector<bool> is_damaged;  // each file, apart from its index
};

/// Checks all files of a log and prints what it finds. `is_ours`: no other program writes them.
Verified verify(const std::string& log, const std::vector<LogFile>& files, const AnyGame& game,
                bool is_ours) {
  Judge judge(game);
  Verified verified;
  const auto finding = [&](const std::string& text) {
    ++verified.findings;
    fmt::print("{}\n", text);
  };
  // First: a later checkpoint of a run that is played counts games that are not read here.
  const std::optional<std::uint64_t> first_open = first_open_in(log);
  std::size_t checked = 0;
  const auto check = [&](const LogFile& file, const Result<FileHandle>& handle) {
    const std::uint64_t before = verified.findings;
    ++checked;
    if (!handle) {
      finding(handle.error().reason());
    } else {
      const bool is_written = !is_ours && file.number == 0 && is_in_use(file.path);
      try {
        visit_parts(*handle, game.name, is_written, judge, [&](const LogPart& part) {
          if (part.kind == LogPart::Kind::kGood) return;
          finding(fmt::format("{}: byte {}: {}", file.path.string(), part.begin, part.problem));
        });
      } catch (const Error& error) {  // it cannot be read
        finding(error.reason());
      }
    }
    verified.is_damaged.push_back(verified.findings > before);
    if (file.number == 0) return;
    if (const auto problem = index_problem(log, file, game.name); !problem.empty()) {
      finding(problem);
    }
  };
  // The closed files, then the growing one, which a run may have closed meanwhile: then it is
  // listed as closed, and another grows.
  for (std::vector<LogFile> listed = files;;) {
    while (checked < listed.size() && listed[checked].number != 0) {
      const LogFile& file = listed[checked];
      check(file, FileHandle::open(file.path, FileHandle::Mode::kRead));
    }
    if (checked == listed.size()) break;
    const LogFile growing = listed.back();
    const Result<FileHandle> handle = FileHandle::open(growing.path, FileHandle::Mode::kRead);
    std::vector<LogFile> now = is_ours ? listed : files_of(log);
    if (now.size() <= listed.size()) {
      check(growing, handle);
      break;
    }
    listed = std::move(now);
  }
  // Numbers of files that were moved away are not missing.
  SeenGames known = judge.seen();
  std::uint64_t away = 0;
  for (const auto& [number, there] : segments_in(log)) {
    if (there.log) continue;
    ++away;
    const auto index = load_index(index_file(log, number));
    if (!index) {
      finding(index.error().reason());
      continue;
    }
    for (const auto& [first, end] : index->games.ranges()) known.add(first, end);
  }
  if (away > 0) fmt::print("{} moved away: only the index is there\n", count_of(away, "file"));
  const std::uint64_t begin =
      first_open.value_or(known.ranges().empty() ? 0 : known.ranges().begin()->first);
  if (const Gaps lost = gaps_in(known, 0, first_open.value_or(0)); lost.numbers > 0) {
    finding(fmt::format("{} missing that the checkpoint counts, and no resume plays: {}",
                        are(lost.numbers, "game number"), lost.text));
  }
  if (const Gaps open = gaps_in(known, begin, known.end()); open.numbers > 0) {
    fmt::print("{} missing{}: {}\n", are(open.numbers, "game number"),
               first_open
                   ? fmt::format("; a resumed run plays {}", open.numbers == 1 ? "it" : "them")
                   : "",
               open.text);
  }
  fmt::print("{}, {}, {}\n", count_of(checked, "file"), count_of(judge.records(), "game"),
             count_of(verified.findings, "finding"));
  return verified;
}

/// `path` + `ending`, or with a number where there is such a file.
fs::path free_name(const fs::path& path, std::string_view ending) {
  std::error_code unknown;
  for (int i = 1;; ++i) {
    const std::string name = fmt::format("{}{}{}", path.string(), ending,
                                         i == 1 ? std::string() : fmt::format(".{}", i));
    if (!fs::exists(name, unknown)) return name;
  }
}

/// A new file that is created with its first bytes.
class SideFile {
 public:
  SideFile(fs::path path, std::vector<std::byte> begins)
      : path_(std::move(path)), begins_(std::move(begins)) {}

  void add(std::span<const std::byte> bytes) {
    if (!file_) {
      file_ = FileHandle::open(path_, FileHandle::Mode::kOverwrite).value();
      file_->append(begins_).value();
    }
    file_->append(bytes).value();
  }
  void finish() {
    if (!file_) return;
    file_->sync().value();
    fmt::print("wrote {}\n", path_.string());
  }

 private:
  fs::path path_;
  std::vector<std::byte> begins_;
  std::optional<FileHandle> file_;
};

/// Replaces a file by one with its good records. The original, the records that were dropped and
/// the damaged bytes stay next to it.
void repair_file(const LogFile& file, const AnyGame& game, Judge& judge) {
  const FileHandle from = FileHandle::open(file.path, FileHandle::Mode::kRead).value();
  const std::vector<std::byte> header = file_header(game.name);
  const fs::path repaired = free_name(file.path, ".repaired");
  FileHandle to = FileHandle::open(repaired, FileHandle::Mode::kOverwrite).value();
  to.append(header).value();
  SideFile dropped(free_name(file.path, ".dropped"), header);
  SideFile damaged(free_name(file.path, ".damaged-bytes"), {});
  std::vector<std::byte> bytes;
  visit_parts(from, game.name, false, judge, [&](const LogPart& part) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  // damage may be longer than memory
    for (std::uint64_t at = part.begin; at < part.end; at += bytes.size()) {
      bytes.resize(static_cast<std::size_t>(std::min(kMost, part.end - at)));
      if (from.read_at(at, bytes).value() != bytes.size()) {
        throw fail(file.path.string() + ": the file shrank while it was being read");
      }
      if (part.kind == LogPart::Kind::kGood) {
        to.append(bytes).value();
      } else {
        (part.kind == LogPart::Kind::kDropped ? dropped : damaged).add(bytes);
      }
    }
  });
  to.sync().value();
  dropped.finish();
  damaged.finish();
  // The file has its name at every moment, where the file system has hard links.
  const fs::path original = free_name(file.path, ".before-repair");
  std::error_code error;
  fs::create_hard_link(file.path, original, error);
  if (error) fs::rename(file.path, original);
  fs::rename(repaired, file.path);
  flush_folder_of(file.path).value();
  fmt::print("repaired {}; the original is {}\n", file.path.string(), original.string());
}

/// Excludes programs that play the run.
std::vector<FileHandle> lock_log(const std::string& log, const std::vector<LogFile>& files) {
  std::vector<FileHandle> locks;
  std::error_code unknown;
  const bool is_folder = fs::is_directory(log, unknown);
  const fs::path folder = is_folder ? fs::path(log) : fs::path(log).parent_path();
  if (const fs::path lock = folder / "lock"; fs::exists(lock, unknown)) {
    locks.push_back(FileHandle::open(lock, FileHandle::Mode::kRead).value());
    locks.back().lock("the program that plays this run").value();
  }
  for (const LogFile& file : files) {
    if (file.number > 0) continue;
    locks.push_back(FileHandle::open(file.path, FileHandle::Mode::kRead).value());
    locks.back().lock().value();
  }
  return locks;
}

void repair(const std::string& log, const std::vector<LogFile>& files, const AnyGame& game) {
  const std::vector<FileHandle> locks = lock_log(log, files);
  const Verified verified = verify(log, files, game, true);
  Judge judge(game);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const LogFile& file = files[i];
    if (verified.is_damaged[i]) {
      repair_file(file, game, judge);
    } else {
      // The numbers in it are needed to find those that occur again.
      const FileHandle from = FileHandle::open(file.path, FileHandle::Mode::kRead).value();
      visit_parts(from, game.name, false, judge, [](const LogPart&) {});
    }
    std::error_code unknown;
    if (file.number == 0) continue;
    const fs::path index = index_file(log, file.number);
    if (fs::exists(index, unknown) && index_problem(log, file, game.name).empty()) continue;
    save_index(index_of(file.path, game.name).value(), index).value();
    fmt::print("wrote {}\n", index.string());
  }
}

Result<void> export_games(const LogArguments& arguments, const Games& games) {
  GameLogReader log = GameLogReader::open(arguments.log).value();
  std::uint64_t faulty = 0;
  for (GameRecord record; log.next(record).value();) {
    if (record.game_number < arguments.from || record.game_number > arguments.to) continue;
    Result<void> replayed;
    Json json;
    try {
      json = game_json(games, record, replayed);
    } catch (const Error& error) {
      replayed = error;
    }
    if (replayed) {
      fmt::print("{}\n", json_text(json));
    } else if (++faulty == 1) {
      print_stderr("senet log export: {}\n", replayed.error().reason());
    }
  }
  const std::uint64_t damaged = log.skipped_bytes();
  const std::uint64_t undecodable = log.undecodable().count;
  if (faulty + damaged + undecodable == 0) return {};
  return fail(fmt::format("left out {} that cannot be decoded or break the rules, and {}",
                          count_of(faulty + undecodable, "record"),
                          count_of(damaged, "damaged byte")));
}

}  // namespace

void add_log_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<LogArguments>();
  const Command command = program.add_command("log", "Check, repair or export the games of a run");
  const auto add = [&](const std::string& name, const std::string& help) {
    const Command action = command.add_command(name, help);
    action.option("log", arguments->log, "the folder of a run, or one file of games").required();
    return action;
  };
  /// Calls work() with the files and the game of the log.
  const auto runs = [&games, arguments](const Command& action, auto work) {
    action.runs([&games, arguments, work]() -> Result<Job> {
      const std::vector<LogFile> files = files_of(arguments->log);
      const AnyGame* const game = games.find(game_of(files)).value();
      return Job([=]() -> Result<void> { return work(arguments->log, files, *game); });
    });
  };
  runs(
      add("verify",
          "Check every game: that its bytes are intact, that it can be replayed by the rules, that "
          "it occurs once; that no game up to the checkpoint is missing; and that each index is "
          "that of its file. Exit code 1: there are findings"),
      [](const std::string& log, const std::vector<LogFile>& files,
         const AnyGame& game) -> Result<void> {
        const std::uint64_t findings = verify(log, files, game, false).findings;
        if (findings == 0) return {};
        return fail(fmt::format("{} has {}", log, count_of(findings, "finding")));
      });
  runs(add("repair",
           "Keep the good games of a run that no program plays. Nothing is deleted: damaged files "
           "stay as *.before-repair, records that are dropped as *.dropped, damaged bytes as "
           "*.damaged-bytes"),
       [](const std::string& log, const std::vector<LogFile>& files,
          const AnyGame& game) -> Result<void> {
         repair(log, files, game);
         return {};
       });
  const Command exports =
      add("export", "Print every game as a line of JSON, as senet inspect does");
  exports.option("--from", arguments->from, "the least game number").shows_default("0");
  exports.option("--to", arguments->to, "the greatest game number").shows_default("unlimited");
  exports.runs([&games, arguments]() -> Result<Job> {
    GameLogReader::open(arguments->log).value();
    return Job([&games, arguments] { return export_games(*arguments, games); });
  });
}

}  // namespace senet
