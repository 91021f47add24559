// senet analyse: positions and games as JSON lines on stdin, their analyses on stdout.
#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/host/host_table.hpp"
#include "games/games.hpp"
#include "tools/command.hpp"
#include "tools/play/protocol/analysis.hpp"
#include "tools/play/protocol/inbox.hpp"
#include "tools/play/protocol/words.hpp"
#include "tools/play/search_setup.hpp"
#include "tools/play/standard_lines.hpp"

namespace senet {
namespace {

using protocol::Analysis;
using protocol::Words;

constexpr std::uint32_t kMaxSessions = 4096;
// Analyses that wait for a session. Further lines stay unread until some have begun.
constexpr std::size_t kMostWaiting = 10'000;

struct Arguments {
  std::string game, weights;
  std::uint32_t visits = 800;
  std::uint32_t at_once = 64;
  std::size_t memory_mib = 1024;
  SearchOptions search = SearchOptions::for_play();
};

constexpr auto settings_of(std::type_identity<Arguments>) {
  using A = Arguments;
  return std::tuple{
      setting("visits", &A::visits, "default and maximum visits of an analysis",
              {.least = 1, .most = kMaxVisits}),
      setting("at-once", &A::at_once,
              "analyses in progress at the same time, if the memory suffices; they share batches",
              {.least = 1, .most = kMaxSessions}),
      setting("memory", &A::memory_mib, "memory of all trees and networks",
              {.least = 16, .most = 1u << 24, .unit = "MiB"})};
}

/// What the main thread waits for: a line of input, a line to write, or the end of a search.
struct Event {
  enum class Kind : std::uint8_t { kRequest, kEnd, kReport, kDone };
  Kind kind;
  std::string line = {};
  std::size_t place = 0;  // kReport, kDone: of the session
};

class Events {
 public:
  /// A request waits while others of Inbox::kMaxBytes do.
  void push(Event event) {
    const bool is_input = event.kind == Event::Kind::kRequest || event.kind == Event::Kind::kEnd;
    std::unique_lock lock(mutex_);
    if (is_input) {
      taken_.wait(lock, [&] { return bytes_ < protocol::Inbox::kMaxBytes; });
      bytes_ += bytes_of(event);
    }
    (is_input ? input_ : output_).push_back(std::move(event));
    changed_.notify_one();
  }
  /// Waits for the next event; ends of searches and reports come first. Takes no input if not
  /// `takes_input`.
  Event next(bool takes_input) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !output_.empty() || (takes_input && !input_.empty()); });
    std::deque<Event>& queue = output_.empty() ? input_ : output_;
    Event event = std::move(queue.front());
    if (&queue == &input_) bytes_ -= bytes_of(event);
    queue.pop_front();
    taken_.notify_one();
    return event;
  }

 private:
  // An empty line takes memory too.
  static std::size_t bytes_of(const Event& event) { return sizeof event + event.line.size(); }

  std::mutex mutex_;
  std::condition_variable changed_, taken_;
  std::deque<Event> input_, output_;
  std::size_t bytes_ = 0;  // of the requests that wait
};

/// Reads requests and writes answers, in the order in which the searches end. Searches begin in the
/// order of their priority, then of the requests.
class Analyser {
 public:
  /// The service has room for `at_once` sessions.
  Analyser(const Arguments& arguments, const AnyGame& game, std::size_t at_once,
           std::unique_ptr<Service> service)
      : arguments_(arguments), game_(game), at_once_(at_once), service_(std::move(service)) {}

  Result<void> run() {
    std::jthread reader([this] { read_lines(); });
    while (!has_ended_ || !waiting_.empty() || busy_ > 0) {
      handle(events_.next(!has_ended_ && waiting_.size() < kMostWaiting));
      while (!waiting_.empty() && begin_next()) {
      }
    }
    reader.join();
    return output_.result();
  }

 private:
  struct Place {
    explicit Place(Session* opened) : session(opened) {}

    Session* const session;
    std::optional<Analysis> analysis = {};
    std::atomic<bool> has_report = false;  // that is not written yet
  };

  // Until the end of input, a read error or a line "quit".
  void read_lines() {
    protocol::Inbox lines;
    const auto pass_on = [&] {
      while (auto line = lines.next_if("")) {
        if (protocol::only_word(*line) == "quit") return false;
        events_.push({.kind = Event::Kind::kRequest, .line = std::move(*line)});
      }
      return true;
    };
    bool has_quit = false;
    read_stdin([&](std::string_view bytes) {
      lines.feed(bytes);
      has_quit = !pass_on();
      return !has_quit;
    });
    if (!has_quit) {
      lines.close();  // completes the last line
      pass_on();
    }
    events_.push({.kind = Event::Kind::kEnd});
  }

  void handle(Event event) {
    switch (event.kind) {
      case Event::Kind::kRequest:
        ++line_;
        take(event.line);
        break;
      case Event::Kind::kEnd:
        has_ended_ = true;
        break;
      case Event::Kind::kReport:
        output_.write(event.line);
        places_[event.place].has_report = false;
        break;
      case Event::Kind::kDone:
        finish(places_[event.place]);
        break;
    }
  }

  void take(std::string_view line) {
    if (Words(line).empty()) return;
    protocol::AnalysisRequest request;
    const Result<void> read =
        protocol::read_analysis_request(line, line_, game_, arguments_.visits, request);
    if (!read) {
      return output_.write(protocol::refusal_text(request.id, line_, read.error().reason()));
    }
    if (request.analyses.empty()) return cancel(request.cancelled);
    // Behind all of the same priority.
    const auto behind = std::ranges::find_if(waiting_, [&](const Analysis& other) {
      return other.limits.priority < request.analyses.front().limits.priority;
    });
    waiting_.insert(behind, std::move_iterator(request.analyses.begin()),
                    std::move_iterator(request.analyses.end()));
  }

  void fail(const Analysis& analysis, std::string_view reason) {
    output_.write(protocol::failure_text(analysis, reason));
  }

  // Analyses that have begun end with what they have found.
  void cancel(const protocol::Json& id) {
    for (const Place& place : places_) {
      if (place.analysis && place.analysis->id == id) place.session->stop();
    }
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (it->id != id) {
        ++it;
        continue;
      }
      output_.write(protocol::cancelled_text(*it));
      it = waiting_.erase(it);
    }
  }

  // False if no more analyses can begin now.
  bool begin_next() {
    if (busy_ == at_once_) return false;
    const Analysis next = std::move(waiting_.front());
    waiting_.pop_front();
    try {
      const Result<void> begun = begin(next);
      if (!begun) fail(next, begun.error().reason());
    } catch (const std::exception& error) {
      fail(next, error.what());
    }
    return true;
  }

  Result<void> begin(const Analysis& analysis) {
    auto place = std::ranges::find_if(places_, [](const Place& one) { return !one.analysis; });
    if (place == places_.end()) {
      const Result<Session*> session = service_->open_session(game_.name);
      if (!session) return session.error();
      places_.emplace_back(*session);
      place = std::prev(places_.end());
    }
    if (auto set = place->session->set_position(analysis.position); !set) return set;
    const auto number = static_cast<std::size_t>(place - places_.begin());
    SessionLimits limits = analysis.limits;
    if (limits.progress_every.count() > 0) {
      // At most one report of a place waits, however slowly they are written.
      limits.progress = [this, number, &place = *place](const SessionResult& so_far) {
        if (place.has_report.exchange(true)) return;
        events_.push({.kind = Event::Kind::kReport,
                      .line = protocol::analysis_text(*place.analysis, so_far, true),
                      .place = number});
      };
    }
    place->analysis = analysis;
    const auto done = [this, number] {
      events_.push({.kind = Event::Kind::kDone, .place = number});
    };
    const Result<void> begun = service_->search(*place->session, std::move(limits), done);
    if (begun) {
      ++busy_;
    } else {
      place->analysis.reset();
    }
    return begun;
  }

  void finish(Place& place) {
    const Analysis& analysis = *place.analysis;
    try {
      const Result<SessionResult> result = place.session->result();
      result ? output_.write(protocol::analysis_text(analysis, *result, false))
             : fail(analysis, result.error().reason());
    } catch (const std::exception& error) {
      fail(analysis, error.what());
    }
    place.analysis.reset();
    --busy_;
  }

  const Arguments& arguments_;
  const AnyGame& game_;
  const std::size_t at_once_;
  Events events_;
  std::deque<Place> places_;  // callbacks refer to their analyses
  std::list<Analysis> waiting_;
  std::size_t busy_ = 0;
  std::size_t line_ = 0;
  bool has_ended_ = false;
  StandardOutput output_;
  const std::unique_ptr<Service> service_;  // ends before what its callbacks use
};

Result<Job> prepare(const Games& games, const Arguments& arguments) {
  const AnyGame& game = *value_for("--game", games.find(arguments.game));
  const std::string source =
      arguments.weights.empty() ? std::string(default_source(game.name)) : arguments.weights;
  const GameTable* const own = own_table_of(game);
  auto network = std::make_shared<const Network>(
      value_for("--weights", open_network(source, reference_spec(game))));
  ServiceSettings settings =
      value_for("--mode", service_settings(arguments.search, game, network->spec()));
  const std::size_t threads = arguments.search.workers;
  settings.workers = threads > 0 ? static_cast<std::uint32_t>(threads)
                                 : std::max(1u, std::thread::hardware_concurrency());
  settings.sessions = arguments.at_once;
  settings.visits = arguments.visits;
  settings.lines = kMaxLines;
  settings.search.reuse_tree = false;  // an answer depends on its own request only
  settings.cache = arguments.search.cache_mib << 20;
  settings.memory = arguments.memory_mib << 20;
  const std::size_t leaves = settings.sessions * std::size_t{settings.search.leaves};
  settings.evaluation.batch_rows =
      rows_in_flight((leaves + settings.workers - 1) / settings.workers, *settings.evaluates);
  resolve(settings.evaluation, *network);
  const std::uint32_t most =
      value_for("--memory",
                Service::most_that_fit(settings, network->spec(), &ServiceSettings::sessions, own));
  if (most == 0) {
    return fail(fmt::format("--memory: {} MiB are too few for an analysis of {} visits",
                            arguments.memory_mib, arguments.visits));
  }
  settings.sessions = std::min(most, arguments.at_once);
  Result<std::unique_ptr<Service>> service = Service::open(settings);
  if (!service) return service.error();
  if (own != nullptr) (*service)->add_game(*own).value();
  if (const auto used = (*service)->use(network); !used) return used.error();
  auto analyser =
      std::make_unique<Analyser>(arguments, game, settings.sessions, std::move(*service));
  return Job([analyser = std::move(analyser)] { return analyser->run(); });
}

}  // namespace

void add_analyse_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<Arguments>();
  const Command command = program.add_command(
      "analyse", "Analyse positions and games: JSON lines on stdin, answers on stdout");
  command.heading("Analysis");
  command.option("--game", arguments->game, "the game").shows_type("NAME").required();
  add_weights_option(command, arguments->weights);
  add_settings(command, *arguments);
  command.heading("Search");
  add_search_options(command, arguments->search);
  add_workers_option(command, arguments->search);
  command.footer("docs/analysis.md describes requests and answers.");
  command.runs([&games, arguments] { return prepare(games, *arguments); });
}

}  // namespace senet
