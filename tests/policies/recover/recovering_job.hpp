// A job under recovery, for tests: tells it what happens, and keeps what it orders in words.
#pragma once

#include "policies/controller/registry.hpp"
#include "policies/recover/recovery.hpp"
#include "tests/policies/in_words.hpp"

namespace gauntlet {

constexpr Recovery::Reports kRecoveryReports{.probes = WatchId{9}, .last_collective = WatchId{8}};
constexpr std::array<const char*, std::variant_size_v<RecoveryStage>> kStageNames = {
    "running", "saving",   "gathering",   "stopping", "diagnosing", "replacing",
    "holding", "starting", "backing off", "keeping",  "released"};

/// One probe, one restart on the same hosts, a stop within a minute of a start is the same incident, and a stop for which
/// nobody is named waits 20 s for a name.
inline PolicyConstants usual_constants() {
  PolicyConstants constants;
  constants.detection.collective_timeout = std::chrono::seconds(600);
  constants.detection.gather = std::chrono::seconds(20);
  constants.diagnosis.suite = {ProbeId{0}};
  constants.recovery = {.restarts_in_place = 1, .relapse_window = std::chrono::seconds(60)};
  return constants;
}

inline const std::string kStarts = "start, ranks wait 600s";

/// Hosts 0 to 7 carry the job; hosts from 8 on are granted in turn.
class RecoveringJob {
 public:
  explicit RecoveringJob(Recovery::First first = Recovery::First::diagnosis,
                         PolicyConstants constants = usual_constants(), Diagnoser diagnoser = {},
                         std::uint32_t spares = 8)
      : constants_(std::move(constants)),
        recovery_(first, diagnoser, restore_named(constants_.names.restore), JobId{0}, constants_,
                  kRecoveryReports),
        seating_(Inventory{
            .job_hosts = 8, .spares = spares, .gpus_per_host = 8, .layout = {.tp = 8, .pp = 2, .dp = 4}}) {
    recovery_.launch(now_, seating_, orders_);
    unanswered_.note(orders_);
  }
  RecoveringJob(const RecoveringJob&) = delete;
  RecoveringJob& operator=(const RecoveringJob&) = delete;

  std::string stage() const { return kStageNames[recovery_.stage().index()]; }
  bool in_job(std::uint32_t host) const { return seating_.in_job(HostId{host}); }
  std::optional<HostId> host_in(std::uint32_t slot) const { return seating_.host_in(slot); }
  Duration now() const { return now_ - kStart; }
  void wait(Duration time) { now_ += time; }

  // What happens, and what is ordered then.
  Words suspect(std::uint32_t host) { return suspect(Suspicion{.host = HostId{host}, .sensed = now_}); }
  Words suspect_somebody() { return suspect(Suspicion{.sensed = now_}); }
  Words degraded(std::uint32_t host) {
    return suspect(Suspicion{.host = HostId{host}, .kind = SuspicionKind::degraded, .sensed = now_});
  }
  Words restart() { return suspect(Suspicion{.kind = SuspicionKind::restart, .sensed = now_}); }
  Words suspect(const Suspicion& suspicion) {
    opened_ = recovery_.on(suspicion, now_, seating_, orders_);
    return unanswered_.note(orders_);
  }
  Words noticed() {
    opened_ = recovery_.on(Noticed{JobId{0}}, now_, seating_, orders_);
    return unanswered_.note(orders_);
  }
  Words taken_out(std::uint32_t host) {
    recovery_.take_out(HostId{host}, now_, seating_, orders_);
    opened_ = false;
    return unanswered_.note(orders_);
  }
  Words marked(std::uint32_t host) {
    recovery_.mark_for_maintenance(HostId{host}, now_, seating_, orders_);
    return unanswered_.note(orders_);
  }
  void waits_in(std::uint32_t host, Dimension dimension) {
    recovery_.on(Seen{.watch = kRecoveryReports.last_collective,
                      .who = component(HostId{host}),
                      .edge = Edge::sample,
                      .sensed = now_,
                      .value = static_cast<double>(dimension),
                      .more = 0});
  }
  /// Whether the last suspicion opened an incident.
  bool opened() const { return opened_; }
  /// A host that stands by, or is on its way to the job, goes to repair.
  void evict_spare(std::uint32_t host) { seating_.evict(HostId{host}); }
  /// A host is back from repair.
  Words readmit(std::uint32_t host) {
    seating_.readmit(HostId{host});
    recovery_.spare_came(now_, seating_, orders_);
    return unanswered_.note(orders_);
  }
  Words told(Duration hold, bool preempted = false) {
    recovery_.on(StopRequest{JobId{0}, hold, preempted}, now_, orders_);
    return unanswered_.note(orders_);
  }
  void probe_finds(std::uint32_t host) {
    recovery_.on(Seen{.watch = kRecoveryReports.probes,
                      .who = component(HostId{host}),
                      .edge = Edge::sample,
                      .sensed = now_,
                      .value = 1,
                      .more = 0});
  }
  /// A host is named, and the probe of it finds it faulty: what that brings about.
  Words finds_faulty(std::uint32_t host) {
    suspect(host);
    probe_finds(host);
    return done("probe");
  }
  /// The oldest order that begins so is answered.
  Words done(const std::string& order, const Result& result = {}) {
    return answer(unanswered_.take(order), Status::done, result);
  }
  Words failed(const std::string& order) { return answer(unanswered_.take(order), Status::failed, {}); }
  /// Whether training began with the last answer.
  bool training_began() const { return training_began_; }

  /// Starts, and trains well past the relapse window.
  void run() {
    done("start");
    wait(std::chrono::hours(1));
  }
  /// A host is named, the job is stopped for it, nothing is found, and the job trains again.
  void goes_on_after(std::uint32_t host) {
    suspect(host);
    for (const char* order : {"stop", "probe", "start"}) done(order);
  }
  /// Nobody is named in time.
  Words gathered() {
    now_ += constants_.detection.gather;
    return done("wake");
  }
  /// Everything that is ordered from here until the job trains, when all goes well and nobody finds anything.
  Words orders_until_it_runs() {
    Words all;
    for (int turns = 0; stage() != "running"; ++turns) {
      if (unanswered_.empty() || turns == 100) {
        ADD_FAILURE() << "stuck while " << stage();
        break;
      }
      // A wake is what happens when nothing else does.
      const Order order = unanswered_.take_oldest_but_wakes();
      if (const auto* wake = std::get_if<Wake>(&order.what)) now_ = std::max(now_, wake->at);
      Result result;
      if (std::holds_alternative<Acquire>(order.what)) result = Granted{HostId{next_host_++}};
      if (std::holds_alternative<Ask>(order.what)) result = Answered{HostId{}, false};
      const Words next = answer(order, Status::done, result);
      all.insert(all.end(), next.begin(), next.end());
    }
    return all;
  }

 private:
  Words answer(const Order& order, Status status, const Result& result) {
    training_began_ = recovery_.on(Outcome{.order = order.id, .status = status, .took = {}, .result = result},
                                   now_, seating_, orders_);
    return unanswered_.note(orders_);
  }

  PolicyConstants constants_;
  Recovery recovery_;
  /// Two pipeline stages of four data-parallel hosts.
  Seating seating_;
  Orders orders_;
  Unanswered unanswered_;
  Time now_ = kStart;
  std::uint32_t next_host_ = 8;
  bool opened_ = false, training_began_ = false;
};

/// A job brought to a stage, by its name, host 1 being the suspect where there is one.
class JobInStage : public RecoveringJob {
 public:
  explicit JobInStage(const std::string& wanted)
      : RecoveringJob(Recovery::First::diagnosis, constants_for(wanted)) {
    const bool fails = wanted == "backing off" || wanted == "keeping" || wanted == "released";
    if (fails) {
      failed("start");
      done("stop for a fault");
    }
    if (wanted == "released") done("wake");
    if (wanted != "starting" && !fails) run();
    if (wanted == "saving" || wanted == "holding") told(std::chrono::hours(2));
    if (wanted == "holding") {
      done("checkpoint now", Saved{40});
      done("stop as planned");
    }
    if (wanted == "gathering") suspect_somebody();
    if (wanted == "stopping" || wanted == "diagnosing" || wanted == "replacing") suspect(1);
    if (wanted == "diagnosing" || wanted == "replacing") done("stop for a fault");
    if (wanted == "replacing") {
      probe_finds(1);
      done("probe");
    }
    EXPECT_EQ(stage(), wanted);
  }

 private:
  static PolicyConstants constants_for(const std::string& stage) {
    PolicyConstants constants = usual_constants();
    constants.recovery.start_backoff = std::chrono::seconds(stage == "backing off" ? 30 : 0);
    constants.recovery.start_attempts = stage == "keeping" || stage == "released" ? 1 : 0;
    constants.recovery.retention = std::chrono::minutes(10);
    return constants;
  }
};

}  // namespace gauntlet
