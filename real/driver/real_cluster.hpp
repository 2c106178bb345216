// The real cluster: agents on machines, their ranks, and the faults that a plan injects into the ranks. It implements
// `Cluster` (core/cluster.hpp).
//
// The driver's thread owns it. Messages of agents arrive on the threads of their links and wait in an inbox. `next`
// sleeps until a message arrives or a timer is due. The platform provides the clock, the agents and the links to them
// (real/driver/platform.hpp). The journal and the raw progress are files. Policies learn what the filters of agents
// let through, and the outcomes of orders. Only the journal says which faults were injected.
//
// It is simpler than the simulated cluster: a person who is asked finds a host of the job that a fault has broken, unless an operator
// answers. For jobs that only print lines, a new checkpoint interval takes effect at the next start, and the order for a single checkpoint fails.
#pragma once

#include "core/cluster.hpp"
#include "core/files/line_file.hpp"
#include "core/filter.hpp"
#include "core/random/stream.hpp"
#include "core/record/record.hpp"
#include "models/world/fault_plan.hpp"
#include "models/world/world.hpp"
#include "real/clocks/driver_times.hpp"
#include "real/control/drill_status.hpp"
#include "real/control/operator_desk.hpp"
#include "real/driver/failed_ranks.hpp"
#include "real/driver/job_seats.hpp"
#include "real/driver/platform.hpp"
#include "real/driver/probe_turns.hpp"
#include "real/driver/raw_progress.hpp"
#include "real/driver/stop_requests.hpp"
#include "real/injectors/journal.hpp"
#include "real/system/rank_user.hpp"
#include "real/telemetry/segment_sink.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// The time that an agent has to answer an order, in addition to the time that the order itself takes. After that its
/// host counts as lost. An agent answers within milliseconds; on a busy machine it was observed to take seconds.
inline constexpr Duration kAnswersWithin = std::chrono::seconds(20);

/// Until an agent that could not be started is tried again.
inline constexpr Duration kAgentRetry = std::chrono::seconds(5);

/// How soon it is noticed that an agent attends which is started again during the drill; gRPC connects no sooner.
inline constexpr Duration kAgentLook = std::chrono::milliseconds(100);

struct DrillSetup {
  std::string directory;        // of this drill alone: sockets, checkpoints, the journal, the raw progress
  std::int64_t started_ns = 0;  // time zero of the drill, on the platform's clock
  std::uint64_t epoch = 1;      // one more for each driver that takes over
  Seed seed;
  FaultPlan plan;
  ProbeMeasures probes = {};
  std::optional<RankUser> rank_user{};      // as whom ranks run, where that is not this process's user
  const std::atomic<bool>* stop = nullptr;  // once set, `next` ends the run and waits for nobody long
  OperatorDesk* desk = nullptr;             // requests of operators; null: there are none
  SegmentSink* segments = nullptr;          // takes the times of segments; null: agents do not send them
  /// Called on the driver's thread, about twice a second and at the end.
  std::function<void(const DrillStatus&)> on_status = {};
  bool stopped() const { return stop != nullptr && *stop; }
  Duration answers_within = kAnswersWithin;
};

/// Agents obey a later driver. This driver ends without a change to the agents or the files that they use.
struct Superseded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The driver was asked to stop while it started its agents. No agent is left running.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class RealCluster final : public Cluster {
 public:
  /// Starts the agents, or connects to the agents of an earlier driver. `so_far`: the record of that driver, else
  /// empty. Throws std::runtime_error if an agent cannot be started, and Interrupted if it is asked to stop before
  /// all agents run. In both cases no agent is left running. `world`, `so_far` and `platform` must outlive the
  /// cluster.
  RealCluster(const World& world, DrillSetup setup, const Record& so_far, Platform& platform);
  /// Ends the agents and their ranks, unless they obey a later driver.
  ~RealCluster() override;

  /// Throws Superseded, and std::runtime_error if a file of the drill's directory cannot be read or written.
  std::optional<Observed> next(Time until) override;
  void start(const Order& order) override;

  /// By HostId: what each agent said of its host at the last connection. Empty for a host without a connection so
  /// far.
  std::vector<HostIdentity> identities() const;
  /// By HostId; nothing for a host that no agent is connected to.
  std::vector<std::optional<HostClock>> host_clocks();
  const ClockAccuracy& clock_accuracy() const { return times_.accuracy(); }
  /// By HostId: the last that each agent reported of its host. Empty for a host without a report so far.
  std::vector<HostReport> reports() const;
  /// The ranks that ended badly while the job ran, in the order of their ends.
  std::vector<FailedRank> failed_ranks() const { return failed_ranks_.all(); }
  /// What operators asked for, a sentence each with its time and the operator's reason, of all drivers of the drill.
  const std::vector<std::string>& operator_actions() const { return operator_actions_; }
  /// Faults of the plan that could not be injected and why, a sentence each, of all drivers of the drill.
  const std::vector<std::string>& missed_faults() const { return missed_faults_; }
  /// Ranks ended by themselves in several starts before the first step, although no fault was injected.
  bool job_never_trained() const;
  const RawProgress& raw_progress() const { return progress_; }
  const Journal& journal() const { return journal_; }

 private:
  enum class HostState : std::uint8_t { in_job, spare, in_repair, returned, retired };
  enum class RanksState : std::uint8_t { none, starting, up };
  /// What the driver still expects of a host: the answers to five orders, and the lines of its ranks after a start
  /// and at the end of the job.
  enum class Debt : std::uint8_t { start, stop, probe, injection, undo, ranks_up, ranks_finished };
  struct Host {
    HostState state = HostState::spare;
    std::unique_ptr<AgentLink> link;       // set under links_mutex_; null while no agent attends
    std::unique_ptr<AgentLink> dialled;    // to an agent that does not attend yet
    Time attends_by{};                     // an agent that is being started again; else it is given up
    std::uint32_t connection = 0;          // counts connections: messages of an older one are dropped
    std::unique_ptr<AgentHandle> process;  // null if this driver has no process of it
    Time ends_by{};                        // of a process that was told to end: else it is killed
    bool killed = false;                   // `process` was
    bool was_lost = false;                 // its last agent was, and no other one attends yet
    HostIdentity identity;
    std::shared_ptr<const AgentClock> clock;  // of the present connection; used under inbox_mutex_
    Time heard{};                             // when its last heartbeat came, or its agent was attended to
    HostReport report;
    std::vector<std::pair<WatchId, SilenceFilter>> silence;
    Time watched_since{};                             // when the newest of `silence` was added
    std::set<std::pair<Debt, std::uint64_t>> unpaid;  // answers that have not come, by order or injection
    std::uint32_t evictions = 0;                      // so far
    Time repaired{};                                  // when the repair after the last of them is over
  };
  struct Lost {
    std::string why;
  };
  struct ClockJump {};
  /// An observation that waits to be handed out, and whom it is confirmed to once it is in the record.
  struct Outgoing {
    Observed seen;
    OperatorDesk::Answer confirmed;
  };
  struct Incoming {
    std::uint32_t host;
    std::uint32_t connection;
    Time at;                                  // when the message arrived
    std::shared_ptr<const AgentClock> clock;  // of that connection; used under inbox_mutex_
    std::variant<AgentMessage, Lost, ClockJump> what;
  };
  struct OpenOrder {
    Order order;
    Time began;
    bool taken = true;                  // the result of take()
    std::set<std::uint32_t> waiting{};  // hosts that have not answered
    // Probe:
    std::size_t looks = 0;                           // so far; 0: it waits for agents
    std::deque<ProbeTurn> turns{};                   // to come
    std::map<std::uint32_t, ProbeSample> samples{};  // of hosts that have answered
    std::set<std::uint32_t> listening{};             // hosts that answer for a neighbour's turn
    std::vector<HostPair> pairs{};                   // of all turns so far: who measured, and its neighbour
    std::set<std::uint32_t> failing{};               // hosts
  };
  // Timers.
  struct WakeDue {
    OrderId order;
  };
  struct RepairDue {
    HostId host;
    bool burnt_in = false;  // else the repair is over, and the burn-in begins
  };
  struct InjectionDue {
    std::uint64_t injection;
  };
  /// The time of a fault that heals by itself is over.
  struct HealDue {
    std::uint64_t fault;
  };
  struct CheckpointDue {
    OrderId order;
  };
  struct StopRequestDue {
    std::size_t request;  // in stop_requests_
  };
  struct OperatorDue {
    std::size_t action;  // in World::operators
  };
  struct WindowDue {};
  struct GiveUpDue {};
  /// The host needs a new agent.
  struct AttendDue {
    HostId host;
  };
  /// An order that waits for agents which are being started again looks whether they attend.
  struct AgentsDue {
    OrderId order;
  };
  /// A host that has not answered by this time is lost.
  struct AnswerDue {
    HostId host;
    std::uint32_t connection;
    Debt debt;
    std::uint64_t number;  // of the order, the injection or the run
    Time at;
    Duration allowed;
    bool extended = false;
  };
  using Due = std::variant<WakeDue, RepairDue, InjectionDue, HealDue, CheckpointDue, StopRequestDue,
                           OperatorDue, WindowDue, GiveUpDue, AttendDue, AgentsDue, AnswerDue>;

  // real_cluster.cpp: the loop, and messages of agents
  Time now();
  /// Of a host that is in repair or retired, or that a fault has taken away, none is kept.
  bool has_agent(HostId host) const {
    const HostState state = hosts_[host.value].state;
    return state != HostState::in_repair && state != HostState::retired && !is_lost(host);
  }
  AgentName name_of(HostId host) const { return {setup_.directory, host.value}; }
  void push(const Observation& what, OperatorDesk::Answer confirmed = nullptr);
  void schedule(Time at, const Due& due);
  Time next_deadline() const;
  void hear_inbox();
  void run_due();
  void look_for_silence(Time present);
  void finish(Ending ending);
  void hear(const Incoming& incoming);
  void on(HostId host, const AgentAttending& message);
  void on_heartbeat(HostId host, Time came, const AgentHeartbeat& message);
  void on(HostId host, const AgentSeen& message);
  void on(HostId host, const AgentRankLine& message);
  void keep_segment(const AgentRankLine& message, const RankLine& line);
  void on_saved(std::int64_t step);
  void on_up(std::uint32_t rank, std::int64_t step);
  void on_finished(std::uint32_t rank, std::int64_t step);
  void on(HostId host, const AgentDone& message);
  void on(HostId host, const AgentProbed& message);
  void on(HostId host, const AgentRankExited& message);
  void on(HostId host, const AgentInjected& message);
  void on(HostId host, const ClockJump& jump);
  void on(HostId host, const AgentUndone& message);
  void on(HostId host, const AgentRemark& message);
  void on(HostId host, const Lost& message);
  void on(const WakeDue& due);
  void on(const InjectionDue& due);
  void on(const HealDue& due);
  void on(const CheckpointDue& due);
  void on(const StopRequestDue& due);
  void on(const OperatorDue& due);
  void on(const WindowDue& due);
  void on(const GiveUpDue& due);
  void on(const AttendDue& due);
  void on(const AgentsDue& due);
  void on(const AnswerDue& due);

  // real_attending.cpp: starting agents and attending to them
  void launch(HostId host);
  std::optional<Duration> attend(HostId host);
  std::string problem_of_launch(HostId host);
  bool is_gone(HostId host);
  bool is_coming(HostId host);
  bool waits_for_agents(const OpenOrder& open, const std::vector<HostId>& hosts);
  void end_process(HostId host);
  void kill_process(HostId host);
  void hang_up(HostId host);
  void attend_to_all();
  void dial(HostId host);
  std::string wait_for_agent(HostId host, Duration patience);
  bool has_ended(HostId host, Duration patience);
  void check_obeyed(const std::string& why);
  std::string silence_of(HostId host, const std::string& why) const;
  void hear_heartbeats();
  void greet(HostId host);

  // real_hosts.cpp: agents, and taking over from an earlier driver
  std::uint32_t last_run_begun() const;
  void begin_drill(bool taking_over);
  void find_agents();
  void end_agents();
  void check_own();
  void set_link(HostId host, std::unique_ptr<AgentLink> link);
  void schedule_attend(HostId host, Time at);
  void renew_leases(std::uint32_t remainder, std::uint32_t shares);
  bool is_watched(const Scope& scope, HostId host) const;
  void watch(HostId host, const Order& order);
  void unwatch(HostId host, WatchId watch);
  bool misses_heartbeats(HostId host, WatchId watch) const;
  void send_watches(HostId host);
  void renew_stage_watches();
  void release(HostId host);
  void restore(const Record& so_far);
  void restore_grants(const Record& so_far, const std::map<std::uint64_t, std::size_t>& heard);
  void reconcile();

  // real_repairs.cpp: hosts that are broken, in repair and in burn-in
  bool is_broken_by(std::uint64_t fault) const;
  std::vector<std::uint64_t> broken_by(HostId host) const;
  Duration repair_time(HostId host) const;
  Answered answer_of_person() const;
  void strike_again();
  void end_faults_of(HostId host);
  bool lacks_domain(HostId host) const;
  void on(const RepairDue& due);
  void leave_burn_in(HostId host);
  void repair_by_hand(HostId host);

  // real_injections.cpp: what agents are told to inject, and the ends of it
  std::vector<HostId> hosts_struck_by(std::uint64_t fault) const;
  bool strikes(std::uint64_t fault, HostId host) const;
  bool is_lost(HostId host) const;
  bool has_lost(HostId host, std::uint64_t fault) const;
  Duration left_of(std::uint64_t fault);
  void inject(std::uint64_t injection);
  std::string inject_on(HostId host, std::uint64_t injection);
  std::optional<HostId> writer_of(std::uint64_t fault) const;
  void say_missed(std::uint64_t fault, const std::string& why);
  void inject_again(HostId host);
  void fail_start();
  void lose_by_fault(HostId host);
  void end_loss(std::uint64_t fault);
  void hear_last_injections();
  bool owes_injection(std::uint64_t injection) const;

  // real_answers.cpp: answers that are due, and hosts that are lost
  void expect_answer(HostId host, Debt debt, std::uint64_t number, Duration takes = {});
  bool owes(HostId host, Debt debt, std::uint64_t number) const;
  void lose(HostId host);
  void ranks_lost(HostId host, int code = 137);  // as a shell says of SIGKILL
  void end_waiting_for(HostId host);

  // real_operators.cpp
  void hear_operators();
  void confirm();
  void refuse_unconfirmed();
  void answer(OperatorDesk::Waiting& waiting);
  void say_of_operator(const std::string& what);
  std::string problem_of(const OperatorRequest& request) const;
  std::string problem_of_host(OperatorVerb verb, HostId host) const;
  void act(OperatorAction what, HostId host, OperatorDesk::Answer answer);
  void disarm();
  void undo(std::uint64_t fault);
  bool can_be_undone(std::uint64_t fault) const;
  bool is_open(std::uint64_t injection) const;
  void end_rank_faults();
  std::vector<std::uint64_t> open_faults_of(HostId host) const;
  void note_undone(HostId host);
  void ask_undone(HostId host);
  void end_if_down();
  void note_action(const OperatorActed& acted);
  void note_order(const Order& order);
  void report_status(bool at_once);
  DrillStatus status() const;
  std::vector<std::vector<std::string>> status_rows() const;
  std::vector<std::vector<std::string>> host_rows() const;

  // job_start.cpp
  void start_ranks(OpenOrder& open);
  void begin_segments() const;
  void mark_run() const;
  std::vector<std::string> trainer_arguments() const;
  JobCommand own_command() const;
  std::vector<std::pair<std::string, std::string>> environment_of(HostId host,
                                                                  const MeetingPlace& meets) const;
  std::int64_t checkpoint_every(Tier tier) const;
  /// Of a healthy step at the present number of replicas.
  Duration step_time() const;
  Duration grace() const;
  /// Whether its ranks can be told something.
  bool job_hears() const;
  void tell_ranks(const DriverTellRanks& message);

  // real_orders.cpp
  void obey(const Order& order);
  bool take(const Order& order);
  void apply(const Order& order, Status status, const Result& result);
  OpenOrder* find(OrderId order);
  /// `confirmed`: to whom its outcome is confirmed once it is in the record.
  void close(OrderId order, Status status, const Result& result = {},
             OperatorDesk::Answer confirmed = nullptr);
  void host_answered(OpenOrder& open, HostId host);
  /// The open orders of that kind.
  template <class Action>
  std::vector<OrderId> open_orders() const {
    std::vector<OrderId> orders;
    for (const auto& [id, each] : open_) {
      if (std::holds_alternative<Action>(each.order.what)) orders.push_back(OrderId{id});
    }
    return orders;
  }
  void stop_ranks(OpenOrder& open);
  void begin_probe(OpenOrder& open);
  std::deque<ProbeTurn> turns_of(const Probe& probe) const;
  void ask_to_probe(OpenOrder& open);
  void take_turn(OpenOrder& open, const ProbeTurn& turn);
  bool is_probed(HostId host) const;
  std::size_t turns_under_way(ProbeId probe) const;
  void probe_next();
  void end_probe(OpenOrder& open);
  bool looks_again(OpenOrder& open);
  std::map<std::uint32_t, ProbeFinding> findings_of(const OpenOrder& open) const;
  void note_proven(const OpenOrder& open, const std::map<std::uint32_t, ProbeFinding>& findings);
  void grant_spares();
  void begin(OpenOrder& open, const Watch& action);
  void begin(OpenOrder& open, const Unwatch& action);
  void begin(OpenOrder& open, const Wake& action);
  void begin(OpenOrder& open, const Cancel& action);
  void begin(OpenOrder& open, const CheckpointEvery& action);
  void begin(OpenOrder& open, const Checkpoint& action);
  void begin(OpenOrder& open, const Stop& action);
  void begin(OpenOrder& open, const Start& action);
  void begin(OpenOrder& open, const Acquire& action);
  void begin(OpenOrder& open, const Evict& action);
  void begin(OpenOrder& open, const Readmit& action);
  void begin(OpenOrder& open, const Probe& action);
  void begin(OpenOrder& open, const Ask& action);
  void begin(OpenOrder& open, const Alert& action);
  void begin(OpenOrder& open, const Retire& action);
  void begin(OpenOrder& open, const StandBy& action);
  void begin(OpenOrder& open, const Release& action);

  const World* world_;
  DrillSetup setup_;
  Platform& platform_;
  DrillClock clock_;
  Journal journal_;
  RawProgress progress_;
  DriverTimes times_;
  FailedRanks failed_ranks_;
  LineFile operators_;
  std::vector<std::string> operator_actions_;
  LineFile missed_;
  std::vector<std::string> missed_faults_;

  std::mutex inbox_mutex_;
  std::unique_ptr<Alarm> inbox_filled_;
  std::deque<Incoming> inbox_;
  std::deque<Outgoing> outbox_;
  std::multimap<Time, Due> timers_;
  Time silence_due_ = kNever;  // no deadline of a heartbeat watch is earlier
  Time last_{};
  bool finished_ = false;
  bool superseded_ = false;

  // A separate thread renews the leases, so that the ranks of other hosts survive while the driver waits for one
  // agent. It renews them only while the driver's thread is alive.
  std::mutex links_mutex_;
  std::atomic<std::int64_t> alive_at_ns_;
  std::unique_ptr<Repeater> renewer_;

  std::vector<Host> hosts_;
  JobSeats seats_;
  std::deque<HostId> spares_;
  std::vector<Order> watches_;                   // in force; sent again to an agent that is started again
  std::map<std::uint64_t, OpenOrder> open_;      // by order id
  std::map<std::uint32_t, ProvenHosts> proven_;  // by probe, since the last start of the job
  Stream person_draws_;

  RanksState ranks_ = RanksState::none;
  std::uint32_t run_ = 0;  // starts of the job so far
  std::array<Duration, kTiers> checkpoint_intervals_ = {kForever, kForever, kForever};  // by Tier
  Duration collective_timeout_ = kForever;
  Restore restore_ = Restore::one_reader;  // of the last start
  std::set<std::uint32_t> up_;             // ranks of this run that are up
  std::set<std::uint32_t> finished_ranks_;
  // What operators did.
  OperatorDesk::Answer handed_out_;                  // of the observation that was handed out last
  std::map<std::uint32_t, OperatorAction> leaving_;  // hosts that they take out and that have not left
  std::size_t scripted_ = 0;                         // actions of the scenario so far
  bool ending_ = false;                              // the run ends as soon as no rank runs
  bool disarmed_ = false;

  // For DrillStatus.
  Time status_at_{};
  std::size_t agents_awaited_ = 0;  // while the driver begins
  std::uint32_t incidents_ = 0, detected_ = 0;
  Duration detection_latencies_{};
  std::set<std::uint64_t> detected_injections_;

  const std::vector<PlannedStopRequest> stop_requests_;
  std::size_t stops_requested_ = 0;  // so far
  std::int64_t most_steps_ = 0;      // the most steps that any run has completed
  Time progress_at_;                 // when most_steps_ last rose, or when this driver began
};

}  // namespace gauntlet
