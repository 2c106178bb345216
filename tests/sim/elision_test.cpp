// With full telemetry every raw sample is an event and passes through the filters; elided, only those samples
// are that a filter would report. Driven by the same random script, both must give the same stream of `Seen`.
//
// Most scripts count single nanoseconds, so that samples, deadlines and changes often fall on one instant.
#include "core/random/stream.hpp"
#include "sim/job/gang.hpp"
#include "sim/telemetry/heartbeats.hpp"
#include "sim/telemetry/job_signals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// A `Seen` in the form in which it is compared and printed.
struct Reported {
  std::int64_t at;
  std::uint32_t who, watch;
  Edge edge;
  double value;
  std::uint32_t more;
  std::int64_t sensed;
  friend bool operator==(const Reported&, const Reported&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Reported& seen) {
    constexpr const char* kEdges[] = {"began", "ended", "sample"};
    return out << seen.at << " ns, who " << seen.who << ", watch " << seen.watch << ": "
               << kEdges[static_cast<std::size_t>(seen.edge)] << " " << seen.value << ", " << seen.more
               << " more, sensed at " << seen.sensed;
  }
};

std::vector<Reported> take_all(Outbox& out) {
  std::vector<Reported> all;
  while (!out.empty()) {
    const std::optional<Observed> observed = out.take();
    const Seen& seen = std::get<Seen>(observed->what);
    all.push_back({observed->at.time_since_epoch().count(), seen.who.index, seen.watch.value, seen.edge,
                   seen.value, seen.more, seen.sensed.time_since_epoch().count()});
  }
  return all;
}

/// How many of each edge were reported, over all scripts: a comparison of two empty streams shows nothing.
using Edges = std::map<Edge, int>;

void expect_same(const std::vector<Reported>& full, const std::vector<Reported>& elided, Edges& edges) {
  for (std::size_t i = 0; i < std::max(full.size(), elided.size()); ++i) {
    if (i < full.size() && i < elided.size() && full[i] == elided[i]) {
      ++edges[full[i].edge];
      continue;
    }
    ADD_FAILURE() << "report " << i
                  << "\n  full:   " << (i < full.size() ? testing::PrintToString(full[i]) : "nothing")
                  << "\n  elided: " << (i < elided.size() ? testing::PrintToString(elided[i]) : "nothing");
    return;
  }
}

/// A draw of a script.
class Chooser {
 public:
  Chooser(std::uint64_t seed, std::string_view name) : draw_(Seed{.study = seed}, stream_name(name)) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(draw_.below(static_cast<std::uint64_t>(n)));
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(draw_.below(n)); }
  bool chance(std::int64_t percent) { return below(std::int64_t{100}) < percent; }
  Duration up_to(Duration longest) { return Duration(below(longest.count() + 1)); }

 private:
  Stream draw_;
};

// --- heartbeats --------------------------------------------------------------------------------------------

enum class HostVerb {
  silence,
  unsilence,
  hold,
  release,
  leave,
  enter,
  exit,
  abort,
  all_aborted,
  stop_ranks,
  watch,
  unwatch
};

struct HostOperation {
  Time at;
  Priority priority;
  HostVerb verb;
  HostId host;
  Watch watch;
};

struct TelemetryCase {
  const char* name;
  Duration period, jitter, gap_mtbf;
  Duration pace;  // operations come about so far apart
  int operations;
  friend std::ostream& operator<<(std::ostream& stream, const TelemetryCase& each) {
    return stream << each.name;
  }
};

constexpr std::uint32_t kHosts = 4;

/// Operations that a cluster could give: what machines do at any time before telemetry, what policies order
/// also after.
std::vector<HostOperation> host_script(const TelemetryCase& telemetry, std::uint64_t seed) {
  Chooser choose(seed, "elision.hosts");
  std::vector<HostOperation> script;
  std::uint32_t silenced[kHosts] = {}, held[kHosts] = {};
  bool in_service[kHosts] = {true, true, true, true};
  std::vector<WatchId> watches;
  std::uint32_t next_watch = 0;
  Time now = kStart;
  const auto add = [&](Priority priority, HostVerb verb, HostId host, Watch watch = {}) {
    script.push_back({now, priority, verb, host, watch});
  };
  const auto machine = [&](Priority priority) {
    const std::uint32_t host = choose.below(kHosts);
    if (choose.chance(30)) {
      if (in_service[host]) add(priority, choose.chance(50) ? HostVerb::abort : HostVerb::exit, HostId{host});
    } else if (choose.chance(10)) {
      add(priority, HostVerb::all_aborted, {});
    } else if (choose.chance(40)) {
      const bool released = held[host] > 0 && choose.chance(60);
      if (!released && held[host] == 2) return;
      released ? --held[host] : ++held[host];
      add(priority, released ? HostVerb::release : HostVerb::hold, HostId{host});
    } else if (silenced[host] > 0 && choose.chance(70)) {
      --silenced[host];
      add(priority, HostVerb::unsilence, HostId{host});
    } else if (silenced[host] < 3) {
      ++silenced[host];
      add(priority, HostVerb::silence, HostId{host});
    }
  };
  const auto policy = [&](Priority priority) {
    const std::uint32_t host = choose.below(kHosts);
    const Scope who =
        choose.chance(50) ? Scope::all(ComponentKind::host) : Scope::one(component(HostId{host}));
    switch (choose.below(5u)) {
      case 0:
        add(priority, in_service[host] ? HostVerb::leave : HostVerb::enter, HostId{host});
        in_service[host] = !in_service[host];
        break;
      case 1:
        if (watches.size() >= 5) break;
        watches.push_back(WatchId{++next_watch});
        add(priority, HostVerb::watch, {},
            {watches.back(), Signal::heartbeat, who,
             Silence{telemetry.period + telemetry.jitter + 1ns + choose.up_to(3 * telemetry.period)},
             kEachMember});
        break;
      case 2:
        if (watches.size() >= 5) break;
        watches.push_back(WatchId{++next_watch});
        add(priority, HostVerb::watch, {},
            {watches.back(), Signal::process_exit, who, Match{},
             telemetry.period < 1s || choose.chance(50) ? kEachMember
                                                        : static_cast<std::uint16_t>(1 + choose.below(3u))});
        break;
      case 3:
        if (watches.empty()) break;
        std::swap(watches[choose.below(static_cast<std::uint32_t>(watches.size()))], watches.back());
        add(priority, HostVerb::unwatch, {}, {watches.back(), {}, {}, Match{}, 0});
        watches.pop_back();
        break;
      default:
        add(priority, HostVerb::stop_ranks, {});
    }
  };
  for (int i = 0; i < telemetry.operations; ++i) {
    now += 1ns + choose.up_to(2 * telemetry.pace);
    if (choose.chance(20)) machine(Priority::fault);
    if (choose.chance(70)) machine(Priority::world);
    if (choose.chance(8)) policy(Priority::world);
    if (choose.chance(8)) policy(Priority::timer);
    if (choose.chance(15)) machine(Priority::timer);  // an order may bring a fault, or end it, at once
  }
  return script;
}

/// Which hosts' ranks have aborted, by script.
struct Aborts final : AbortTimes {
  std::map<std::uint32_t, Time> hosts;
  Time aborted_at(HostId host) const override {
    const auto found = hosts.find(host.value);
    return found == hosts.end() ? kNever : found->second;
  }
};

std::vector<Reported> run_hosts(const TelemetryCase& telemetry, const std::vector<HostOperation>& script,
                                Seed seed, bool full) {
  World world;
  world.inventory.job_hosts = kHosts;
  world.telemetry.heartbeat_period = telemetry.period;
  world.telemetry.heartbeat_jitter = telemetry.jitter;
  world.telemetry.gap_mtbf = telemetry.gap_mtbf;
  world.telemetry.gap_duration = Law::exponential(3 * to_seconds(telemetry.period));
  SimEngine engine;
  Outbox out;
  world.telemetry.clock_error = telemetry.period;
  Reports reports(world, seed, engine, out);
  Aborts aborts;
  Heartbeats heartbeats(world, seed, full, engine, reports, aborts);
  for (std::uint32_t i = 0; i < script.size(); ++i)
    engine.at(script[i].at, script[i].priority, PlannedDue{i});
  const auto operate = [&](const HostOperation& operation) {
    switch (operation.verb) {
      case HostVerb::silence:
        return heartbeats.silence(operation.host);
      case HostVerb::unsilence:
        return heartbeats.unsilence(operation.host);
      case HostVerb::hold:
        return heartbeats.hold(operation.host);
      case HostVerb::release:
        return heartbeats.release(operation.host);
      case HostVerb::leave:
        aborts.hosts.erase(operation.host.value);
        return heartbeats.leave_service(operation.host);
      case HostVerb::enter:
        return heartbeats.enter_service(operation.host);
      case HostVerb::exit:
        if (aborts.hosts.contains(operation.host.value)) return;
        return heartbeats.rank_exited(operation.host, 1);
      case HostVerb::abort:
        aborts.hosts.emplace(operation.host.value, engine.now());
        return heartbeats.ranks_aborted();
      case HostVerb::all_aborted:
        return heartbeats.all_aborted(static_cast<std::uint32_t>(aborts.hosts.size()));
      case HostVerb::stop_ranks:
        aborts.hosts.clear();
        return heartbeats.ranks_stopped();
      case HostVerb::watch:
        return heartbeats.watch(operation.watch);
      case HostVerb::unwatch:
        return heartbeats.unwatch(operation.watch.id);
    }
  };
  const Time end = script.back().at + 20 * telemetry.period;
  while (const auto event = engine.next(end)) {
    std::visit(
        [&](const auto& what) {
          if constexpr (std::is_same_v<decltype(what), const PlannedDue&>) {
            operate(script[what.stop]);
          } else if constexpr (requires { heartbeats.on(what); }) {
            heartbeats.on(what);
          }
        },
        *event);
  }
  std::vector<Reported> seen = take_all(out);
  // What different hosts report at one instant comes in no given order.
  std::stable_sort(seen.begin(), seen.end(), [](const Reported& a, const Reported& b) {
    return std::tie(a.at, a.who) < std::tie(b.at, b.who);
  });
  return seen;
}

class HeartbeatElision : public testing::TestWithParam<TelemetryCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, HeartbeatElision,
                         testing::Values(TelemetryCase{"Punctual", 10ns, 0ns, 0ns, 8ns, 400},
                                         TelemetryCase{"Late", 10ns, 3ns, 0ns, 8ns, 400},
                                         TelemetryCase{"AlmostAPeriodLate", 10ns, 9ns, 300ns, 12ns, 400},
                                         TelemetryCase{"ManyGaps", 10ns, 3ns, 200ns, 20ns, 400},
                                         TelemetryCase{"EveryFewSeconds", 10s, 1s, 1h, 20s, 400}),
                         [](const auto& info) { return info.param.name; });

TEST_P(HeartbeatElision, SeesWhatFullTelemetrySees) {
  Edges edges;
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<HostOperation> script = host_script(GetParam(), seed);
    expect_same(run_hosts(GetParam(), script, {.study = seed}, true),
                run_hosts(GetParam(), script, {.study = seed}, false), edges);
  }
  if (HasFailure()) return;
  EXPECT_GT(edges[Edge::began], 500);
  EXPECT_GT(edges[Edge::ended], 300);
  EXPECT_GT(edges[Edge::sample], 300);
}

// --- a job's signals ---------------------------------------------------------------------------------------

enum class JobVerb { begin, pause, last_longer, resume, stick, stop, change, watch, unwatch };

struct JobOperation {
  Time at;
  Priority priority;
  JobVerb verb;
  Pace pace;
  Gang::Checkpointing checkpointing;
  bool checkpoint_now;
  Duration lasts;  // a pause; zero: until somebody resumes it
  Watch watch;
};

struct JobCase {
  const char* name;
  Duration unit;      // steps, stalls and silences are a few of it
  Duration fraction;  // to which times of operations are drawn
  friend std::ostream& operator<<(std::ostream& stream, const JobCase& each) { return stream << each.name; }
};

std::vector<JobOperation> job_script(const JobCase& job, std::uint64_t seed) {
  Chooser choose(seed, "elision.job");
  constexpr Priority kPriorities[] = {Priority::fault, Priority::world, Priority::timer};
  constexpr JobVerb kVerbs[] = {JobVerb::begin,       JobVerb::begin,  JobVerb::pause, JobVerb::pause,
                                JobVerb::last_longer, JobVerb::resume, JobVerb::stick, JobVerb::stop,
                                JobVerb::change,      JobVerb::change, JobVerb::watch, JobVerb::watch,
                                JobVerb::unwatch};
  std::vector<JobOperation> script;
  std::vector<WatchId> watches;
  std::uint32_t next_watch = 0;
  const auto few = [&](std::int64_t n) { return choose.below(n) * job.unit; };
  const auto any_checkpointing = [&] {
    Gang::Checkpointing tiers;
    tiers[Tier::storage] = {
        .interval = choose.chance(30) ? kForever : job.unit + few(25), .stall = few(6), .persist = {}};
    if (choose.chance(30))
      tiers[Tier::memory] = {.interval = job.unit + few(8), .stall = few(3), .persist = few(4)};
    return tiers;
  };
  const auto any_watch = [&]() -> Watch {
    const WatchId id{++next_watch};
    const Scope who = Scope::one(component(JobId{0}));
    const Signal signal = choose.chance(70) ? Signal::step : Signal::checkpoint_stall;
    const double value = to_seconds(few(6)) + 0.5 * to_seconds(job.unit);
    switch (choose.below(3u)) {
      case 0:
        return {id, Signal::step, who, Silence{job.unit + few(12)}, 0};
      case 1:
        return {id, signal, who, Outside{choose.chance(50) ? 0 : value, value + to_seconds(few(4))}, 0};
      default:
        return {id, signal, who, Sample{static_cast<std::uint16_t>(choose.below(5u))}, 0};
    }
  };
  Time now = kStart;
  for (int i = 0; i < 150; ++i) {
    now += choose.below(30 * job.unit / job.fraction) * job.fraction;
    const int at_once = choose.chance(20) ? 2 : 1;
    for (int j = 0; j < at_once; ++j) {
      JobOperation operation{
          .at = now,
          .priority = kPriorities[choose.below(3u)],
          .verb = kVerbs[choose.below(static_cast<std::uint32_t>(std::size(kVerbs)))],
          .pace = {.step = job.unit + few(6), .healthy_step = job.unit},
          .checkpointing = any_checkpointing(),
          .checkpoint_now = choose.chance(30),
          .lasts = choose.chance(50) ? Duration{} : few(20) + choose.below(3u) * job.fraction,
          .watch = {}};
      if (operation.verb == JobVerb::watch) {
        operation.watch = any_watch();
        watches.push_back(operation.watch.id);
      } else if (operation.verb == JobVerb::unwatch && !watches.empty()) {
        operation.watch.id = watches[choose.below(static_cast<std::uint32_t>(watches.size()))];
      }
      script.push_back(operation);
    }
  }
  return script;
}

/// A job as the simulated cluster runs one, reduced to what its signals see.
class Job {
 public:
  Job(const std::vector<JobOperation>& script, bool full)
      : script_(script), full_(full), signals_(full, gang_, engine_, reports_) {
    for (std::uint32_t i = 0; i < script.size(); ++i)
      engine_.at(script[i].at, script[i].priority, PlannedDue{i});
  }
  std::vector<Reported> run(Time until) {
    while (const auto event = engine_.next(until)) {
      std::visit(
          [this](const auto& what) {
            if constexpr (std::is_same_v<decltype(what), const PlannedDue&>) {
              operate(script_[what.stop]);
            } else if constexpr (std::is_same_v<decltype(what), const BoundaryReached&>) {
              signals_.before_change();
              gang_.change(engine_.now(), wanted_.pace, wanted_.checkpointing, wanted_.checkpoint_now);
              signals_.after_change();
            } else if constexpr (std::is_same_v<decltype(what), const FaultHeals&>) {
              heal();
            } else if constexpr (requires { signals_.on(what); }) {
              signals_.on(what);
            }
          },
          *event);
    }
    return take_all(out_);
  }

 private:
  void operate(const JobOperation& operation) {
    const Time now = engine_.now();
    const Gang::State state = gang_.state();
    switch (operation.verb) {
      case JobVerb::begin:
        if (ranks_) break;
        ranks_ = true;
        gang_.begin(now, 0, operation.pace, operation.checkpointing);
        signals_.began();
        break;
      case JobVerb::pause:
        if (state != Gang::State::training) break;
        signals_.before_change();
        heals(operation.lasts);
        gang_.pause(now, {}, known_until_);
        engine_.cancel(boundary_);
        signals_.after_change();
        break;
      case JobVerb::last_longer:
        if (state == Gang::State::paused) holds_until_ = std::max(holds_until_, now + operation.lasts);
        break;
      case JobVerb::resume:
        if (state == Gang::State::paused) resume();
        break;
      case JobVerb::stick:  // a rank died, the others wait
        if (state == Gang::State::down) break;
        cut();
        signals_.after_change();
        break;
      case JobVerb::stop:
        if (state != Gang::State::down) cut();
        signals_.gone();
        ranks_ = false;
        break;
      case JobVerb::change:
        if (state != Gang::State::training) break;
        wanted_ = operation;
        engine_.cancel(boundary_);
        boundary_ = engine_.at(gang_.boundary_after(now), Priority::world, BoundaryReached{});
        break;
      case JobVerb::watch:
        signals_.watch(operation.watch);
        break;
      case JobVerb::unwatch:
        signals_.unwatch(operation.watch.id);
        break;
    }
  }
  /// So much later, which full telemetry does not know; never, where that is zero.
  void heals(Duration lasts) {
    const Time at = lasts > Duration::zero() ? engine_.now() + lasts : kNever;
    known_until_ = full_ ? kNever : at;
    engine_.set(heal_, at, Priority::world, FaultHeals{});
  }
  /// What is known of is over; something else may hold it.
  void heal() {
    if (holds_until_ <= engine_.now()) return resume();
    signals_.before_change();
    heals(holds_until_ - engine_.now());
    gang_.pause_lasts(known_until_);
    signals_.after_change();
  }
  void resume() {
    engine_.cancel(heal_);
    holds_until_ = kStart;
    signals_.before_change();
    gang_.resume(engine_.now());
    signals_.after_change();
  }
  void cut() {
    signals_.before_change();
    engine_.cancel(boundary_);
    engine_.cancel(heal_);
    gang_.cut(engine_.now());
  }

  const std::vector<JobOperation>& script_;
  bool full_;
  SimEngine engine_;
  Outbox out_;
  World world_;
  Reports reports_{world_, Seed{}, engine_, out_};
  ProgressLog log_;
  Gang gang_{log_};
  JobSignals signals_;
  JobOperation wanted_{};
  Timer boundary_, heal_;
  Time known_until_ = kNever, holds_until_ = kStart;
  bool ranks_ = false;
};

class JobElision : public testing::TestWithParam<JobCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, JobElision,
                         testing::Values(JobCase{"OnTheGrid", 1ns, 1ns}, JobCase{"HalfWay", 2ns, 1ns},
                                         JobCase{"Seconds", 1s, 1ns}),
                         [](const auto& info) { return info.param.name; });

TEST_P(JobElision, SeesWhatFullTelemetrySees) {
  Edges edges;
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<JobOperation> script = job_script(GetParam(), seed);
    const Time end = script.back().at + 100 * GetParam().unit;
    expect_same(Job(script, true).run(end), Job(script, false).run(end), edges);
  }
  if (HasFailure()) return;
  EXPECT_GT(edges[Edge::began], 1'000);
  EXPECT_GT(edges[Edge::ended], 1'000);
  EXPECT_GT(edges[Edge::sample], 1'000);
}

}  // namespace
}  // namespace gauntlet
