// A reference cluster: the simulated world once more, slow and plain, as the documents describe it.
//
// It implements `Cluster`, so that the policies under study drive it, and it keeps the same truth log and progress log. It
// shares no rule with sim/: training goes on step by step, a checkpoint is a copy at each host, a heartbeat is an event. It
// draws nothing: what chance did is on a tape. Each rule names the document that it comes from; "keys" are the descriptions of
// scenario keys (`gauntlet show NAME`, config/describe_*.cpp).
//
// Left out: jobs that get smaller (`elastic`), increments, two-level intervals.
//
// COUNT=10000 build/tests/reference_reference_slow_test compares it with SimCluster on seeds 1 to 10,000 (random_runs.hpp), in
// half a minute.
//
//   hosts.cpp        hosts, repair, spares
//   job.cpp          starts, steps, pauses, stops, the end of the run
//   checkpoints.cpp  what is saved where, what outlives what, what a start goes back to
//   faults.cpp       what strikes, what it does to the job, what ends it
//   symptoms.cpp     what of it shows: lines, exits, victims, the loss, a person who notices
//   watches.cpp      what passes the filters of the watches
//   orders.cpp       orders and their outcomes
#pragma once

#include "core/cluster.hpp"
#include "core/filter.hpp"
#include "core/record/progress.hpp"
#include "models/step/step.hpp"
#include "models/storage/storage.hpp"
#include "models/world/blast_radius.hpp"
#include "tests/reference/agenda.hpp"
#include "tests/reference/tape.hpp"

#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace gauntlet::reference {

/// A fault that is there.
struct Fault {
  FaultKindId kind;
  ComponentId component;
  HostRange hosts;
  Time struck, heals = kNever;
  double factor = 1;       // slow, degrade: at present
  bool met = false;        // the job has met it
  std::int64_t step = -1;  // at which it stopped the job
  Agenda::Entry heal{}, grow{}, line{};
};

class ReferenceCluster final : public Cluster {
 public:
  /// The world must outlive it.
  ReferenceCluster(const World& world, Tape tape);

  std::optional<Observed> next(Time until) override;
  void start(const Order& order) override;

  const TruthLog& truth() const { return truth_; }
  const ProgressLog& progress() const { return progress_; }
  /// What on the tape cannot have happened, as the documents have it.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  enum class Place : std::uint8_t { in_job, spare, in_repair, returned, retired };
  enum class Ranks : std::uint8_t { none, starting, up, stuck };
  struct Host {
    Place place = Place::spare;
    std::uint32_t repairs = 0;                   // that it came back from
    std::uint32_t mended = 0;                    // ... as good as new
    std::uint32_t perhaps_mended = 0;            // ... with nothing wrong by then that would tell
    std::uint32_t silenced_by = 0;               // faults that took its agent away
    std::uint32_t held_by = 0;                   // faults that hold its heartbeats back
    std::optional<Time> held{};                  // the last of these was sent then
    std::optional<std::pair<Time, int>> exit{};  // of its ranks, which no heartbeat has told yet: when, code
    bool exit_told = false;                      // in the present stop
    Time listened_since = kStart;
    Time heard = kNever;  // its last heartbeat; kNever: none since then
    Agenda::Entry beat{};
  };
  using FaultIt = std::list<Fault>::iterator;
  struct Visit {
    Law law = Law::constant(0);
    std::uint32_t stage = 0;  // 0: automatic, 1: by hand
    bool by_hand = false;     // somebody has had it in hand
    bool in_hand = false;
    bool mended = false;  // an operator had it repaired
    Agenda::Entry done{};
  };
  /// A copy of a checkpoint that is not complete yet.
  struct Underway {
    Tier tier = Tier::storage;
    std::int64_t step = 0, number = 0;
    std::set<std::uint32_t> lost{};  // slots whose host lost its memory meanwhile
    Time due{};
    Duration left{};  // while storage does not answer
    Agenda::Entry done{};
    OrderId order{};
  };

  // hosts.cpp
  Host& host(HostId id) { return hosts_[id.value]; }
  bool in_job(HostId id) const { return hosts_[id.value].place == Place::in_job; }
  bool in_service(HostId id) const {
    return hosts_[id.value].place == Place::in_job || hosts_[id.value].place == Place::spare;
  }
  bool powered(HostId id) const {
    return hosts_[id.value].place != Place::in_repair && hosts_[id.value].place != Place::retired;
  }
  std::optional<std::uint32_t> slot_of(HostId id) const;
  void take_out(HostId id);
  void admit_to_repair(HostId id);
  void mend(HostId id);
  void next_repair(std::uint32_t crew_of);
  void repair_stage_done(HostId id);
  void burn_in_done(HostId id);
  void back_from_repair(HostId id);
  double silent_failure(const Visit& visit) const;
  void drop_from_repair(HostId id);
  std::size_t wanted_hosts() const { return acquires_.size(); }
  void stands_by(HostId id);
  void grant();
  void select_hosts();
  void send_for(HostId id, Duration until_ready);
  void no_longer_stands_by(HostId id);
  void seat(HostId id);

  // job.cpp
  enum class Activity : std::uint8_t { none, step, stall };
  void begin_start(const Order& order, const Start& start);
  void load_waits(Time until);
  void start_done();
  void start_will_fail(const Fault& fault);
  Duration start_phases(const Start& start, bool before_load) const;
  void begin_training(std::int64_t step);
  void at_boundary();
  void begin_activity(Activity what, Duration takes);
  void activity_done();
  void step_done();
  void after_checkpoint();
  void log_stretch();
  void close_stretch();
  void pause(FaultKindId by);
  void go_on();
  void cut_training();
  void stop_ranks();
  void evaluation_begins();
  void evaluation_ends();
  bool training() const { return ranks_ == Ranks::up && !paused_; }
  Duration pace() const;
  void give_up_later();
  void finish(Ending ending);
  void operator_acts(const ScriptedAction& action);
  void end_run();

  // checkpoints.cpp
  const TierCosts& costs(Tier tier) const { return costs_[tier]; }
  Duration interval(Tier tier) const;
  Duration stall_of(Tier far) const;
  void damage_newest();
  void storage_halts();
  void storage_answers();
  bool in_use(Tier tier) const { return interval(tier) != kForever; }
  void plan_checkpoints();
  void pace_and_plan();
  std::optional<Tier> checkpoint_due() const;
  Tier next_reaches() const;
  void take_checkpoint();
  void take_checkpoint_at_once();
  void begin_checkpoint(Tier far);
  void copy_complete(std::list<Underway>::iterator it);
  void abandon_copies();
  void lose_memory(std::uint32_t slot);
  bool left_in(Tier tier) const;
  struct Load {
    std::int64_t step = 0;
    Duration takes{};
    Tier from = Tier::storage;
  };
  Load what_to_load(const Start& start) const;
  void loaded(const Load& load);

  // faults.cpp
  const FaultKind& kind(const Fault& fault) const { return world_->faults[fault.kind.value]; }
  bool holds_heartbeats(const Fault& fault) const {
    return kind(fault).tampers == Tampering::late_heartbeats || kind(fault).tampers == Tampering::partition;
  }
  bool on_job(const Fault& fault) const;
  static bool sits_in_host(const Fault& fault);
  bool cured_by_repair(const Fault& fault) const;
  std::uint32_t nic_of(const Fault& fault) const;
  void add_slow_nics(const Fault& fault, ClusterState& state) const;
  double times_as_long(const Fault& fault) const;
  ClusterState state_with(const std::vector<const Fault*>& faults) const;
  void log_truth(TruthKind what, const Fault& fault);
  void plan_strikes();
  void strike(FaultKindId kind, ComponentId component);
  void grow_later(FaultIt fault);
  void follow(const Fault& fault);
  void faults_strike_at_start();
  void meet_job(FaultIt fault);
  void stop_job(FaultIt fault);
  std::vector<std::uint32_t> slots_of(const Fault& fault) const;
  void expect_collective_timeout();
  void end(FaultIt fault, bool healed);
  void end_faults(const std::function<bool(const Fault&)>& which);
  void end_faults_cured_by_restart();
  void faults_meet_job(FaultClock at);
  const Fault* first_stall() const;
  void resume_unless_paused();

  // symptoms.cpp
  void show(FaultIt fault);
  void show_again(FaultIt fault);
  void write_line(FaultIt fault);
  HostId line_host(const Fault& fault) const;
  void report_line(HostId id, PatternId pattern, Severity severity);
  void victims(PatternId line, Time first);
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;
  void abort_wave(std::uint32_t hop);
  void no_victims();
  double loss() const;
  void stands_still();
  void starts_in_vain();
  void nobody_notices();

  // watches.cpp
  struct Listening {
    Watch watch;
    Time since;
    std::uint64_t number = 0;  // in the order in which watches were ordered
    std::map<HostId, SilenceFilter> heartbeats{};
    std::map<HostId, Agenda::Entry> missing{};
    std::optional<std::variant<SilenceFilter, OutsideFilter, SampleFilter>> filter{};  // of a job's signal
    Agenda::Entry due{};
    std::uint32_t told = 0, held = 0;  // members of the present burst
    std::optional<HostId> first_held{}, lowest{};
  };
  void watch(const Watch& watch);
  void unwatch(WatchId id);
  void tell_last_collectives(const Listening& by);
  bool concerns(const Scope& who, HostId id) const;
  void see_later(const Listening& by, HostId id, double value, std::uint32_t more);
  void see(const Listening& by, ComponentId who, Edge edge, Time sensed, double value,
           std::uint32_t more = 0);
  void heartbeat(HostId id);
  void heartbeat_arrives(HostId id, Time sent);
  void heartbeats_are_let_go(const Fault& fault);
  Time next_heard(HostId id);
  void listen(Listening& by, HostId id);
  void leaves_service(HostId id);
  void enters_service(HostId id);
  void agent_is_back(const Fault& fault);
  void next_heartbeat(HostId id);
  void expect_heartbeat(Listening& by, HostId id);
  void rank_exits(HostId id, int code);
  void tell_exit(HostId id, Time sent);
  void all_have_exited();
  void forget_exits();
  void filters_start_afresh();
  void start_filter(Listening& by, Time since);
  void sample(Signal signal, double value);
  void report_samples();
  /// For the watches that there were by then.
  struct Sampled {
    Signal signal;
    double value;
    std::uint64_t watches;
  };
  void report_sample(const Sampled& what);
  void expect_sample(Listening& by);
  void nothing_more_is_sampled();

  // orders.cpp
  struct Open {
    Order order;
    Time began;
    Agenda::Entry due{};
  };
  void observe(const Observation& what) { out_.push_back({agenda_.now(), what}); }
  void answer(const Open& open, Status status, const Result& result = {});
  void answer_now(const Order& order, Status status, const Result& result = {});
  Open& open(const Order& order, Duration takes);
  std::optional<Open> close(OrderId order);
  void order_due(OrderId order);
  template <class Action>
  Open* find_open();
  void begin(const Order& order, const Watch& action);
  void begin(const Order& order, const Unwatch& action);
  void begin(const Order& order, const Wake& action);
  void begin(const Order& order, const Cancel& action);
  void begin(const Order& order, const CheckpointEvery& action);
  void begin(const Order& order, const Checkpoint& action);
  void begin(const Order& order, const Stop& action);
  void begin(const Order& order, const Start& action);
  void begin(const Order& order, const Acquire& action);
  void begin(const Order& order, const Evict& action);
  void begin(const Order& order, const Readmit& action);
  void begin(const Order& order, const Probe& action);
  void begin(const Order& order, const Ask& action);
  void begin(const Order& order, const Alert& action);
  void begin(const Order& order, const Retire& action);
  void begin(const Order& order, const Release& action);
  void begin(const Order& order, const StandBy& action);
  bool finds(const ProbeKind& probe, HostId id, bool failed) const;
  std::vector<HostId> failing(const Probe& probe, const std::vector<HostId>& failed) const;
  Result probe_result(const Probe& probe, std::size_t number);
  Answered person_answers();

  void complain(const std::string& what) { complaints_.push_back(what); }

  const World* world_;
  Tape tape_;
  StepModel steps_;
  CheckpointCosts costs_;
  Agenda agenda_;
  std::deque<Observed> out_;
  bool finished_ = false;
  bool ends_when_down_ = false;  // an operator ends the run
  TruthLog truth_;
  ProgressLog progress_;
  std::vector<std::string> complaints_;
  std::size_t orders_ = 0;

  // hosts
  std::vector<Host> hosts_;
  std::vector<std::optional<HostId>> seats_;  // by slot
  HostId first_host_{};               // in the first slot, or the last that was; faults of the job show there
  std::deque<std::uint32_t> vacant_;  // slots, in the order in which they fell empty
  std::deque<HostId> warm_, cold_, pool_;
  std::map<HostId, Agenda::Entry> coming_;
  std::size_t kept_warm_ = 0;
  std::vector<HostId> beyond_;  // granted for replicas that the job lacks
  std::map<HostId, Visit> visits_;
  struct Crew {
    std::uint32_t size = 0, busy = 0;
    std::deque<HostId> waiting{};
  };
  std::array<Crew, 2> crews_;
  std::deque<OrderId> acquires_;

  // the job
  Ranks ranks_ = Ranks::none;
  bool paused_ = false, evaluating_ = false;
  bool provisioned_ = false;
  std::size_t starts_ = 0;
  Start started_as_{};  // the present or last start
  Load loading_;
  Time load_begins_{}, load_ends_{}, load_held_until_{}, start_due_{};
  bool storage_halted_ = false;
  std::int64_t step_ = 0, mark_ = 0, evaluated_ = 0;
  Time progress_at_ = kStart, last_step_ = kStart;
  Activity activity_ = Activity::none;
  Time activity_end_{};
  Agenda::Entry activity_ends_{}, job_end_{}, give_up_{};
  Duration activity_takes_{}, activity_left_{};
  Duration step_takes_{};
  std::optional<Stretch> stretch_, paused_stretch_;
  Agenda::Entry evaluation_{};

  // checkpoints
  std::array<Duration, kTiers> ordered_ = {kForever, kForever, kForever};
  std::array<Duration, kTiers> trained_since_ = {};
  /// Of the checkpoints that are taken, every so manieth reaches the tier, and next the so manieth from now.
  struct Level {
    Tier tier;
    std::int64_t every, next;
  };
  std::vector<Level> levels_;
  std::int64_t steps_apart_ = 0, steps_left_ = 0;
  bool plan_wanted_ = false;
  std::optional<Tier> saving_;      // how far the checkpoint under way goes
  bool checkpoint_wanted_ = false;  // an order waits for a step boundary
  bool saving_wanted_ = false;      // the checkpoint under way is the ordered one
  struct Copy {
    std::int64_t step = 0;
    std::set<std::uint32_t> slots{};  // whose memory holds it
  };
  std::array<std::optional<Copy>, 2> copies_;                  // in memory, at peers
  std::vector<std::pair<std::int64_t, std::int64_t>> stored_;  // number, step; oldest first
  std::set<std::int64_t> damaged_;                             // numbers
  std::int64_t stored_count_ = 0;
  std::list<Underway> underway_;

  // faults
  std::list<Fault> faults_;  // in the order in which they struck
  Agenda::Entry collective_timeout_{};

  // symptoms
  struct Victims {
    std::vector<std::uint32_t> culprits;
    PatternId line;
    Time first;
    std::uint32_t last_hop = 0;
  };
  std::optional<Victims> victims_;
  Agenda::Entry wave_{}, burst_{}, notice_{}, start_notice_{};
  std::uint32_t exited_ = 0;  // hosts, in the present stop

  std::map<WatchId, Listening> watches_;
  std::map<Time, std::vector<Seen>> on_their_way_;  // by when they arrive
  bool sampling_ = false;
  std::uint64_t watches_made_ = 0;
  std::vector<Sampled> samples_;  // taken now, and not reported yet
  Agenda::Entry sampled_{};
  std::map<OrderId, Open> open_;
  std::size_t probes_ = 0;
  std::map<std::uint32_t, std::multiset<Time>> turns_;  // by probe: when each of its places is free
  std::map<OrderId, std::size_t> probe_number_;
};

}  // namespace gauntlet::reference
