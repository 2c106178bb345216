// What the agents of a job's hosts measure, with full telemetry and elided, driven by the same random script: both must give
// the same stream of `Seen`, whatever the bands, the noise, slow hosts, blips, pauses and checkpoints.
#include "core/random/stream.hpp"
#include "sim/job/gang.hpp"
#include "sim/telemetry/host_signals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

struct HostJobCase {
  const char* name;
  double noise;
  Duration delay, blip_mtbf;
  friend std::ostream& operator<<(std::ostream& out, const HostJobCase& each) { return out << each.name; }
};

class HostJob {
 public:
  HostJob(const HostJobCase& test, std::uint64_t seed, bool full)
      : choose_({.study = seed}, stream_name("script")), full_(full) {
    world_.hardware.gpus_per_host = 2;
    world_.job.layout = {.tp = 2, .pp = 3, .dp = 4};
    world_.inventory.job_hosts = kHosts;
    world_.inventory.spares = 2;
    world_.telemetry.noise = test.noise;
    world_.telemetry.delay = test.delay;
    world_.telemetry.traffic_interval = 7s;
    world_.telemetry.blip_mtbf = test.blip_mtbf;
    world_.telemetry.blip_factor = 1.4;
    world_.telemetry.blip_duration = Law::exponential(60);
    seats_ = Seats(world_.job.layout, 2, kHosts, kHosts + 2);
    reports_.emplace(world_, Seed{.study = seed}, engine_, out_);
    signals_.emplace(
        full, world_, Seed{.study = seed}, [this]() -> const StageTimings& { return timings_; }, seats_,
        gang_, engine_, *reports_);
    // Some come at one instant, and some with a sample of traffic.
    const Duration interval = world_.telemetry.traffic_interval;
    const double phase = uniform_at({.study = seed}, stream_name("telemetry.traffic_phase"), 0, 0);
    const Time tick = kStart + from_seconds(phase * to_seconds(interval));
    Time at = tick;
    for (std::uint32_t i = 0; i < 120; ++i) {
      if (below(8) != 0) at += Duration(static_cast<std::int64_t>(below(90'000)) * 1'000'000);
      if (below(4) == 0) at += (interval - (at - tick) % interval) % interval;
      const bool first = below(2) == 0 || (at - tick) % interval == Duration::zero();  // of that instant
      engine_.at(at, first ? Priority::fault : Priority::timer, PlannedDue{i});
    }
    end_ = at + 10min;
  }

  std::vector<std::string> run() {
    while (const auto event = engine_.next(end_)) {
      std::visit(
          [this](const auto& what) {
            using What = std::decay_t<decltype(what)>;
            if constexpr (std::is_same_v<What, PlannedDue>) {
              operate();
            } else if constexpr (std::is_same_v<What, BoundaryReached>) {
              signals_->before_change();
              gang_.change(engine_.now(), pace_, checkpointing_, false);
              signals_->slow_are(slow_);
              signals_->after_change();
            } else if constexpr (std::is_same_v<What, FaultHeals>) {
              heal();
            } else if constexpr (std::is_same_v<What, HostTick>) {
              signals_->report_due();
              signals_->schedule();
            } else if constexpr (std::is_same_v<What, ReportArrives>) {
              reports_->on(what);
            } else if constexpr (requires { signals_->on(what); }) {
              signals_->on(what);
            }
          },
          *event);
    }
    std::vector<std::string> all;
    while (!out_.empty()) {
      const auto observed = out_.take();
      const Seen& seen = std::get<Seen>(observed->what);
      all.push_back(std::to_string(observed->at.time_since_epoch().count()) + " watch " +
                    std::to_string(seen.watch.value) + " host " + std::to_string(seen.who.index) + " edge " +
                    std::to_string(static_cast<int>(seen.edge)) + " value " + std::to_string(seen.value) +
                    " more " + std::to_string(seen.more) + " sensed " +
                    std::to_string(seen.sensed.time_since_epoch().count()));
    }
    return all;
  }
  std::uint64_t events() const { return engine_.events(); }

 private:
  static constexpr std::uint32_t kHosts = 12;

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(choose_.below(n)); }
  void draw_state() {
    slow_.clear();
    for (std::uint32_t slot = 0; slot < kHosts; ++slot) {
      if (below(6) != 0) continue;
      slow_.push_back({slot,
                       below(2) == 0 ? kWholeHost : 1,
                       {.forward = 1 + 0.1 * below(4), .backward = 1 + 0.1 * below(4), .optimizer = 1}});
    }
    pace_ = {.step = 10s + Duration(static_cast<std::int64_t>(below(4)) * 1'000'000'000),
             .healthy_step = 10s};
    checkpointing_ = {};
    checkpointing_[Tier::storage] = {.interval = below(3) == 0 ? kForever : 60s,
                                     .stall = Duration(below(3) * 4'000'000'000LL),
                                     .persist = {}};
    if (below(3) == 0) checkpointing_[Tier::memory] = {.interval = 20s, .stall = 1s, .persist = 2s};
  }
  Watch draw_watch() {
    constexpr Signal kSignal[] = {Signal::forward_time, Signal::backward_time, Signal::traffic,
                                  Signal::traffic_period};
    const Signal signal = kSignal[below(4)];
    Scope who = Scope::hosts_of(JobId{0});
    if (below(3) == 0) who = Scope::one(component(HostId{below(kHosts + 2)}));
    if (below(2) == 0) who = Scope::hosts_of_stage(JobId{0}, below(3), below(2) == 0 ? kEachMember : 3);
    const auto first = below(2) == 0 ? kEachMember : static_cast<std::uint16_t>(1 + below(3));
    const double healthy = signal == Signal::forward_time    ? 3
                           : signal == Signal::backward_time ? 6
                           : signal == Signal::traffic       ? 1
                                                             : 10;
    std::variant<Silence, Outside, Match, Sample> until = Sample{static_cast<std::uint16_t>(1 + below(3))};
    if (below(4) != 0)
      until = Outside{below(2) == 0 ? 0 : healthy * (0.9 + 0.05 * below(3)), healthy * (1 + 0.08 * below(5))};
    // As long as an interval, longer than some pauses, stalls and steps; now and then shorter than any.
    constexpr Duration kLongest[] = {7s, 8s, 20s, 45s, 2min};
    const bool of_traffic = signal == Signal::traffic || signal == Signal::traffic_period;
    if (of_traffic && below(2) == 0) until = Silence{below(12) == 0 ? 5s : kLongest[below(5)]};
    return {WatchId{++watches_}, signal, who, until, first};
  }
  void operate() {
    const Time now = engine_.now();
    const Gang::State state = gang_.state();
    const std::uint32_t verb = below(10);
    if (verb < 2) {
      if (ranks_) return;
      ranks_ = true;
      if (below(3) == 0) seats_.seat(below(kHosts), HostId{kHosts + below(2)});
      draw_state();
      gang_.begin(now, 0, pace_, checkpointing_);
      signals_->began(slow_);
    } else if (verb == 2 && state == Gang::State::training) {
      signals_->before_change();
      heals(below(2) == 0 ? kForever : Duration(below(60) * 1'000'000'000LL));
      gang_.pause(now, {}, known_until_);
      engine_.cancel(boundary_);
      signals_->after_change();
    } else if (verb == 3 && state == Gang::State::paused && below(2) == 0) {
      holds_until_ = std::max(holds_until_, now + Duration(below(120) * 1'000'000'000LL));
    } else if (verb == 3 && state == Gang::State::paused) {
      resume();
    } else if (verb == 4 && state != Gang::State::down) {
      cut();
      signals_->after_change();
    } else if (verb == 5) {
      if (state != Gang::State::down) cut();
      signals_->gone();
      ranks_ = false;
    } else if (verb < 8 && state == Gang::State::training) {
      draw_state();
      engine_.cancel(boundary_);
      boundary_ = engine_.at(gang_.boundary_after(now), Priority::world, BoundaryReached{});
    } else if (verb == 8) {
      EXPECT_TRUE(signals_->watch(draw_watch()));
    } else if (verb == 9 && watches_ > 4) {
      signals_->unwatch(WatchId{1 + below(watches_)});
    }
  }
  /// So much later, which full telemetry does not know.
  void heals(Duration lasts) {
    const Time at = after(engine_.now(), lasts);
    known_until_ = full_ ? kNever : at;
    engine_.set(heal_, at, Priority::world, FaultHeals{});
  }
  /// What is known of is over; something else may hold it.
  void heal() {
    if (holds_until_ <= engine_.now()) return resume();
    signals_->before_change();
    heals(holds_until_ - engine_.now());
    gang_.pause_lasts(known_until_);
    signals_->after_change();
  }
  void resume() {
    engine_.cancel(heal_);
    holds_until_ = kStart;
    signals_->before_change();
    gang_.resume(engine_.now());
    signals_->after_change();
  }
  void cut() {
    signals_->before_change();
    engine_.cancel(boundary_);
    engine_.cancel(heal_);
    gang_.cut(engine_.now());
  }

  Stream choose_;
  bool full_;
  World world_;
  StageTimings timings_{.forward = {3, 3, 3.3}, .backward = {6, 6, 6.6}};
  Seats seats_;
  SimEngine engine_;
  Outbox out_;
  ProgressLog log_;
  Gang gang_{log_};
  std::optional<Reports> reports_;
  std::optional<HostSignals> signals_;
  std::vector<SlowSeat> slow_;
  Pace pace_;
  Gang::Checkpointing checkpointing_;
  Timer boundary_, heal_;
  Time known_until_ = kNever, holds_until_ = kStart;
  Time end_{};
  std::uint32_t watches_ = 0;
  bool ranks_ = false;
};

class HostElision : public testing::TestWithParam<HostJobCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, HostElision,
                         testing::Values(HostJobCase{"Exact", 0, 0s, 0s}, HostJobCase{"Noisy", 0.02, 0s, 0s},
                                         HostJobCase{"NoiseAcrossBands", 0.2, 3s, 0s},
                                         HostJobCase{"Blips", 0.02, 1s, 20min}),
                         [](const auto& info) { return info.param.name; });

TEST_P(HostElision, SeesWhatFullTelemetrySees) {
  std::size_t reports = 0;
  std::uint64_t events_full = 0, events_elided = 0;
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    HostJob full(GetParam(), seed, true), elided(GetParam(), seed, false);
    const std::vector<std::string> seen_full = full.run(), seen_elided = elided.run();
    for (std::size_t i = 0; i < std::max(seen_full.size(), seen_elided.size()); ++i) {
      ASSERT_EQ(i < seen_full.size() ? seen_full[i] : "nothing",
                i < seen_elided.size() ? seen_elided[i] : "nothing")
          << "report " << i;
    }
    reports += seen_full.size();
    events_full += full.events();
    events_elided += elided.events();
  }
  EXPECT_GT(reports, 5'000u);
  if (GetParam().noise > 0.1) return;  // nothing can be left out
  EXPECT_GT(events_full, 5 * events_elided / 4);
}

}  // namespace
}  // namespace gauntlet
