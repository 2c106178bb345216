// A run written by hand: what really happened, what the job did, what was seen and ordered. Times are since the start.
#pragma once

#include "score/score.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

using namespace std::chrono_literals;

// The kinds of faults in these runs, and what the truth log says of each.
constexpr FaultKindId kCrash{0};    // stops the job until the host is repaired
constexpr FaultKindId kHang{1};     // stops the job until it is restarted
constexpr FaultKindId kSlow{2};     // until the host is repaired
constexpr FaultKindId kBlip{3};     // a pause that heals
constexpr FaultKindId kCorrupt{4};  // until the host is repaired
constexpr FaultKindId kWarning{5};  // no effect on the job
constexpr FaultKindId kSwitch{6};   // stops the job until the hosts under a switch are repaired
constexpr FaultKindId kUpdate{7};   // planned: an operator is told, and stops the job
constexpr FaultKindId kLeak{8};     // slow until the job is restarted, and slower with time
constexpr std::size_t kFaultKinds = 9;

/// A step takes 10 s when nothing is slow.
constexpr Duration kStep = 10s;

struct HandMadeTraining {
  std::int64_t from_step = 0;
  Duration step = kStep;
  Duration for_fewer{};  // what of the step missing replicas make longer
  Cadence cadence{};
};

class HandMadeRun {
 public:
  /// Hosts 0 to 3 carry the job, 4 and 5 stand by. The job is started at once.
  HandMadeRun() {
    see(0s, Started{JobId{0}, Inventory{.job_hosts = 4, .spares = 2, .layout = {}}});
    facts_.on_training_clock.assign(kFaultKinds, false);
    order(0s, Start{JobId{0}, 600s});
  }
  void on_training_clock(FaultKindId kind) { facts_.on_training_clock[kind.value] = true; }

  // --- what really happened, in order of time ---------------------------------------------------------------------------
  // What has the time of an order came before it, unless it came of that order.
  void strikes(Duration at, FaultKindId kind, std::uint32_t host, bool on_job = true) {
    truth(at, TruthKind::onset, kind, host, on_job);
  }
  /// A fault of a failure domain.
  void strikes_all(Duration at, FaultKindId kind, std::uint32_t first, std::uint32_t hosts) {
    truth(at, TruthKind::onset, kind, first, true);
    truth_.back().hosts = hosts;
    truth_.back().component = {ComponentKind::tor, first / hosts};
  }
  /// A fault of the job itself, charged to its first host.
  void strikes_job(Duration at, FaultKindId kind) {
    truth(at, TruthKind::onset, kind, 0, true);
    truth_.back().component = component(JobId{0});
  }
  /// A fault that struck a host while it stood by meets the job.
  void meets(Duration at, FaultKindId kind, std::uint32_t host) {
    truth(at, TruthKind::met, kind, host, true);
  }
  void returns(Duration at, FaultKindId kind, std::uint32_t host) {
    truth(at, TruthKind::returned, kind, host, true);
  }
  void escalates(Duration at, FaultKindId kind, std::uint32_t host) {
    truth(at, TruthKind::escalated, kind, host, true);
  }
  void grows(Duration at, FaultKindId kind, std::uint32_t host, double factor) {
    truth(at, TruthKind::grew, kind, host, true);
    truth_.back().factor = factor;
  }
  void ends(Duration at, FaultKindId kind, std::uint32_t host) {
    truth(at, TruthKind::ended, kind, host, true);
  }
  /// The entry that was made last came of the order that was given last.
  void of_that_order() { placed_.emplace_back(truth_.size() - 1, record_.orders.size()); }

  // --- what the job did -------------------------------------------------------------------------------------------------
  void trains(Duration from, Duration to, const HandMadeTraining& training = {}) {
    progress_.stretches.push_back({.begin = kStart + from,
                                   .end = kStart + to,
                                   .origin = kStart + from,
                                   .first_step = training.from_step,
                                   .step = training.step,
                                   .healthy_step = kStep,
                                   .for_fewer = training.for_fewer,
                                   .cadence = training.cadence});
  }
  /// Pauses where the last stretch ends, and goes on where it stood.
  void pauses(Duration from, Duration to) { progress_.pauses.push_back({kStart + from, kStart + to, kBlip}); }
  void goes_on(Duration from, Duration to) {
    Stretch stretch = progress_.stretches.back();
    stretch.origin += (kStart + from) - stretch.end;
    stretch.begin = kStart + from;
    stretch.end = kStart + to;
    progress_.stretches.push_back(stretch);
  }

  // --- what was seen and ordered, in order of time ------------------------------------------------------------------------
  void see(Duration at, const Observation& what) { record_.observations.push_back({kStart + at, what}); }
  /// An order, after an observation at that time.
  OrderId order(Duration at, const Action& what) {
    if (record_.observations.back().at != kStart + at) {
      see(at, Seen{.watch = WatchId{1},
                   .who = {},
                   .edge = Edge::sample,
                   .sensed = kStart + at,
                   .value = 0,
                   .more = 0});
    }
    const OrderId id{++orders_};
    record_.orders.push_back({.at = kStart + at,
                              .observations = static_cast<std::uint32_t>(record_.observations.size()),
                              .order = {id, what}});
    return id;
  }
  void answer(Duration at, OrderId order, const Result& result = {}, Status status = Status::done) {
    see(at, Outcome{.order = order, .status = status, .took = {}, .result = result});
  }
  /// An order that is answered at once.
  void carried_out(Duration at, const Action& what, const Result& result = {}) {
    answer(at, order(at, what), result);
  }
  /// The answer to the first start.
  void started(Duration at) { answer(at, OrderId{1}, Loaded{0}); }
  /// A stop for a fault, of 5 s.
  void stops(Duration at) { answer(at + 5s, order(at, Stop{JobId{0}})); }
  void starts(Duration at, Duration until, std::int64_t loaded) {
    answer(until, order(at, Start{JobId{0}, 600s}), Loaded{loaded});
  }
  void replaces(Duration at, std::uint32_t host, Duration granted_at, std::uint32_t by) {
    carried_out(at, Evict{HostId{host}});
    answer(granted_at, order(at, Acquire{JobId{0}}), Granted{HostId{by}});
  }

  Figures finishes(Duration at, Ending ending = Ending::completed) {
    see(at, Finished{JobId{0}, ending});
    return scored();
  }
  /// The score of what is recorded so far.
  Figures scored() const {
    Figures figures;
    score(facts_, placed_truth(), progress_, record_, figures);
    return figures;
  }
  /// The same with what happened in parts of the wall time of that length.
  Figures scored_over_time(Duration bucket) const {
    Figures figures;
    ScoreFacts facts = facts_;
    facts.bucket = bucket;
    score(facts, placed_truth(), progress_, record_, figures);
    return figures;
  }
  /// Whether it is scored to the end.
  bool scores(const std::atomic<bool>* stop) const {
    Figures figures;
    return score(facts_, placed_truth(), progress_, record_, figures, stop);
  }

  const Record& record() const { return record_; }

 private:
  TruthLog placed_truth() const {
    TruthLog truth = truth_;
    place_by_time(truth, record_);
    for (const auto& [entry, orders] : placed_) truth[entry].orders = orders;
    return truth;
  }
  void truth(Duration at, TruthKind what, FaultKindId kind, std::uint32_t host, bool on_job) {
    truth_.push_back({.at = kStart + at,
                      .what = what,
                      .kind = kind,
                      .component = component(HostId{host}),
                      .host = HostId{host},
                      .on_job = on_job,
                      .stops = kind == kCrash || kind == kHang || kind == kSwitch,
                      .disturbs = kind != kWarning && kind != kUpdate,
                      .corrupts = kind == kCorrupt,
                      .repairable = kind == kCrash || kind == kSlow || kind == kCorrupt || kind == kSwitch,
                      .factor = kind == kBlip   ? std::numeric_limits<double>::infinity()
                                : kind == kSlow ? 1.2
                                : kind == kLeak ? 1.1
                                                : 1});
  }

  ScoreFacts facts_;
  TruthLog truth_;
  std::vector<std::pair<std::size_t, std::size_t>> placed_;  // entries of it, and how many orders came before
  ProgressLog progress_;
  Record record_;
  std::uint64_t orders_ = 0;
};

/// The parts that are not zero, by name, in seconds. A division rounds once: whole seconds compare equal, and a
/// nanosecond more or less does not.
using Seconds = std::map<std::string, double>;
inline double in_seconds(Duration d) { return static_cast<double>(d.count()) / 1e9; }

inline Seconds named(const PhaseTimes& phases) {
  Seconds seconds;
  for (std::size_t i = 0; i < kPhases; ++i) {
    if (phases[i] != 0s) seconds[std::string(kPhaseNames[i])] = in_seconds(phases[i]);
  }
  return seconds;
}
inline Seconds phases(const Figures& figures) { return named(figures.phases); }
inline Seconds causes(const Figures& figures) {
  static constexpr const char* kKinds[kFaultKinds] = {"crash",   "hang",   "slow",   "blip", "corrupt",
                                                      "warning", "switch", "update", "leak"};
  Seconds seconds;
  for (std::uint32_t i = 0; i < figures.lost.size(); ++i) {
    const Cause cause{i};
    if (lost_to(figures, cause) == 0s) continue;
    seconds[is_fault(cause) ? kKinds[fault_of(cause).value] : std::string(kCauseNames[i])] =
        in_seconds(lost_to(figures, cause));
  }
  return seconds;
}

}  // namespace gauntlet
