// What the agents of a job's hosts measure while its ranks run: segment timings with each completed step, RDMA traffic at
// regular ticks. And who waits in what, when nothing moves.
//
// A sample is its level times 1 + noise * x, x in (-1, 1) keyed by (signal, host, time); in a gang, traffic fluctuates for
// all hosts alike, and its x is keyed by (signal, time). Traffic has samples only while the job trains: nothing is sent by one
// that stands still. A checkpoint that blocks training is sent too, but not measured: it ends a silence, and passes no band.
//
// With full telemetry every tick is an event and every sample passes through a filter of core's. Otherwise a tick is an event only
// where some sample may report: hosts of one stage that nothing slows have one level, and the interval in which their samples
// lie is held against the band once for all of them. A band that cuts through that interval cannot be elided: every sample is
// drawn. Silence follows from the last tick before the job stood still.
#pragma once

#include "core/filter.hpp"
#include "models/step/segments.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/hosts/seats.hpp"
#include "sim/job/gang.hpp"
#include "sim/job/stage_timings.hpp"
#include "sim/telemetry/reports.hpp"
#include "sim/telemetry/slow_hosts.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace gauntlet {

class HostSignals {
 public:
  /// `timings`: of the job as it is then. They are asked for when a signal needs them.
  HostSignals(bool full, const World& world, Seed seed, std::function<const StageTimings&()> timings,
              const Seats& seats, const Gang& gang, SimEngine& engine, Reports& out);

  static bool carries(Signal signal) {
    return signal == Signal::forward_time || signal == Signal::backward_time || signal == Signal::traffic ||
           signal == Signal::traffic_period;
  }
  /// False where such a watch has no meaning.
  bool watch(const Watch& watch);
  void unwatch(WatchId watch);

  /// The job has other slots from its next start on.
  void resized();
  /// Training began with these hosts slow: filters start afresh.
  void began(const std::vector<SlowSeat>& slow);
  /// From here on these are slow.
  void slow_are(const std::vector<SlowSeat>& slow);
  /// Something is about to change: what is due now is reported first.
  void before_change();
  /// The gang paused, goes on, changed its pace, or is stuck.
  void after_change();
  /// The ranks are gone: nothing more is reported.
  void gone();

  /// What a tick at this instant brings, if there is one.
  void report_due();
  void schedule();
  void on(const TrafficMissing& event);
  void on(const BlipBegins& event);
  void on(const BlipEnds& event);

 private:
  enum Tick : std::uint8_t { step_tick, traffic_tick };
  enum class Side : std::uint8_t { inside, outside, both };
  /// The members of a watch that share a level while nothing is wrong: `count` of the slots in `slots`, evenly spread.
  struct Part {
    SlotRange slots;
    std::uint32_t count = 0;
    std::uint32_t stage = 0;
    std::vector<std::uint8_t> outside;  // by member
    std::uint32_t outside_count = 0;
    Side usual = Side::inside;             // of segment timings: where those lie that nothing slows
    std::vector<OutsideFilter> filters{};  // by member; with full telemetry, in place of both
    std::uint32_t slot(std::uint32_t member) const {
      return slots.begin + static_cast<std::uint32_t>(std::uint64_t{member} * slots.size() / count);
    }
    std::optional<std::uint32_t> member(std::uint32_t slot) const;
  };
  struct Entry {
    Watch watch;
    std::vector<Part> parts;
    std::optional<SampleFilter> samples{};
    std::optional<SilenceFilter> silence{};  // of traffic, which is the same for all its members
    bool ran = false;                        // since training began, so that its parts may be outside
  };
  static Tick tick_of(Signal signal) {
    return signal == Signal::traffic || signal == Signal::traffic_period ? traffic_tick : step_tick;
  }
  void make_parts(Entry& entry) const;
  void forget_bits(Entry& entry) const;
  double level(Signal signal, std::uint32_t stage, const SlowHost* slow) const;
  double sample(Signal signal, HostId host, double level) const;
  Side side(const Outside& band, double level) const;
  bool wants(const Entry& entry) const;
  bool wants(const Entry& entry, const Part& part) const;
  /// Of a part, those that have a level of their own, and how many of these were last seen outside.
  struct Tally {
    std::uint32_t slow = 0, outside = 0;
  };
  class Burst;
  Tally tally_of(const Part& part, Tick tick) const;
  bool others_want(const Part& part, const Tally& tally, Side present) const;
  void run_filters(Entry& entry);
  void run_filter(Entry& entry);
  void run_filter(const Entry& entry, Part& part, std::uint32_t member, double level, Burst& burst);
  void turn_all(Part& part, bool to_outside, double level, Burst& burst);
  void pass_samples(Entry& entry);
  void pass_silence(Entry& entry, Edge edge);
  void arm();
  void tell_of_ticks();
  /// Whether silences of such a length come between two ticks of a job that trains.
  bool below_interval(const Entry& entry) const {
    return std::get<Silence>(entry.watch.until).longest < world_->telemetry.traffic_interval;
  }
  void report(const Entry& entry, std::uint32_t slot, Edge edge, double value, std::uint32_t more);
  void forget_due(Tick tick);
  void blips_change(bool of_job);
  Time next_step() const;
  Time next_traffic(bool measured) const;
  Time first_traffic_tick() const { return kStart + traffic_phase_; }
  bool sends() const;  // the ranks of the job, something
  bool in_stall(Time at) const;
  Pace pace() const {
    const Stretch& stretch = gang_->stretch();
    return {stretch.step, stretch.healthy_step, stretch.for_fewer};
  }

  bool full_;
  bool running_ = false;
  const World* world_;
  Seed seed_;
  std::function<const StageTimings&()> timings_;
  const Seats* seats_;
  const Gang* gang_;
  SimEngine* engine_;
  Reports* out_;
  Duration traffic_phase_{};
  std::array<std::vector<Entry>, 2> entries_;  // by tick
  SlowHosts slow_;
  Time told_until_{};  // filters know of the ticks up to here
  Timer missing_;      // the first silence that may begin
  Time missing_at_ = kNever;
  std::array<Timer, 2> due_{};
  std::array<Time, 2> due_at_ = {kNever, kNever};
  std::array<bool, 2> settled_{};  // no sample of such a tick will report, as things stand
  Pace settled_for_;               // of traffic: at this pace
};

}  // namespace gauntlet
