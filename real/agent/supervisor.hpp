// The decisions of an agent: its answer to each order, the driver that it obeys, and the messages that it keeps for
// the next driver. It acts through interfaces and takes the time from a clock that it is given. So it runs with real
// processes and sockets (agent_loop.hpp), and with simulated ones.
#pragma once

#include "real/agent/disturbed_streams.hpp"
#include "real/agent/host_faults.hpp"
#include "real/agent/options.hpp"
#include "real/agent/probe_runner.hpp"
#include "real/agent/served_drill.hpp"
#include "real/runner/rank_runner.hpp"
#include "real/signals/host_sensor.hpp"
#include "real/signals/line_patterns.hpp"
#include "real/signals/loss_level.hpp"
#include "real/signals/segment_times.hpp"
#include "real/signals/traffic_meter.hpp"
#include "real/signals/watches.hpp"
#include "real/stream/server.hpp"
#include "real/system/clock.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gauntlet {

using SupervisorMessage = std::variant<FromStream, ProbeEnded>;

/// The interfaces that an agent acts through. They must outlive the supervisor.
struct AgentSurroundings {
  const Clock& clock;
  AgentStreams& streams;
  RankRunner& ranks;
  ProbeRunner& probes;
  HostSensor& host;
  HostFaults& faults;
  HostIdentity identity;
  std::optional<std::uint32_t> rank_uid;        // as whom ranks run; nothing: not said
  std::function<void(const std::string&)> say;  // a line for people
};

/// One thread owns it. Its loop: settle(); sleep until next_deadline() or until a message arrives; wake().
class Supervisor {
 public:
  Supervisor(const AgentOptions& options, AgentSurroundings surroundings);

  /// If no rank is left, answers the orders to stop and begins the start that waits. Returns the exit code of the
  /// agent if it is to end and has no rank left.
  std::optional<int> settle();
  /// The time at which wake() is due without a message, on the clock of the surroundings. kNever if no timer is set.
  Time next_deadline() const;
  /// Reads the output and the exits of the ranks, then handles these messages, then the timers that are due.
  void wake(const std::vector<SupervisorMessage>& heard);
  /// The same where nothing was heard, of ranks neither. Reads the counter of traffic alone if no other timer is due: that is so a
  /// hundred times a second.
  void wake_by_timer();
  /// Ends the agent because of a signal, without an order of a driver.
  void end() { leave(kAgentEnded, ""); }
  bool leaving() const { return leaving_.has_value(); }

 private:
  struct Attendance {
    StreamId stream = 0;
    Duration heartbeat_period{};
    std::uint64_t heartbeats = 0;
    Time next_heartbeat{};
    Time next_report{};
  };
  struct RunningProbe {
    OrderId order;
    Time late;
    ProbeTask task;
    std::uint64_t number;  // counts the probes of this agent
    bool begun;
  };

  void hear_ranks();
  bool on_line(std::uint32_t run, std::uint32_t rank, const std::string& line);
  void on_exit(const RankRunner::Exit& exit);
  void on_printed(std::uint32_t run, std::uint32_t rank, const std::string& line);
  void on_logged_line(const std::string& line);
  void train();
  void stop_watching_ranks();
  bool measures_traffic() const;
  Time next_deadline_but_traffic() const;
  void measure_traffic();
  void read_traffic();
  void beat();
  void hear(const SupervisorMessage& message);
  void hear_stream(const FromStream& message);
  void hear_late();
  void run_timers();
  void send_seen();

  void on(StreamId stream, const DriverHello& message);
  void on(StreamId stream, const DriverLease& message);
  void on(StreamId stream, const DriverWatch& message);
  void on(StreamId stream, const DriverUnwatch& message);
  void on(StreamId stream, const DriverStartRanks& message);
  void on(StreamId stream, const DriverStopRanks& message);
  void on(StreamId stream, const DriverTellRanks& message);
  void on(StreamId stream, const DriverRunProbe& message);
  void on(StreamId stream, const DriverInject& message);
  void on(StreamId stream, const DriverUndo& message);
  void on(StreamId stream, const DriverQuit& message);
  void on(const ProbeEnded& message);
  template <class Message>
  void obey(StreamId stream, const Message& message);

  bool told(const AgentMessage& message);  // false if no driver is connected
  void tell(const AgentMessage& message);
  void tell_or_keep(const AgentMessage& message);
  void carry_out(const DriverInject& message);
  void conclude(const DriverInject& message, std::int64_t began_ns, const std::string& why);
  bool hold(const DriverInject& message);
  void end_hold(std::uint32_t rank, const std::string& why);
  std::optional<std::uint32_t> held_by(const DriverInject& what) const;
  std::string refusal_of(const DriverInject& message) const;
  std::string inject(const DriverInject& message);
  std::string signal_targets(const DriverInject& what, AgentSignal signal);
  std::vector<std::uint32_t> targets_of(const DriverInject& what) const;
  InjectionSubject subject_of(const DriverInject& what);
  std::string problem_of_line(const InjectedLine& line);
  void write_line(const InjectedLine& line);
  double higher_loss() const;
  bool by_watchdog(const DriverInject& what) const;
  void disturb(const DriverInject& what, bool begins);
  void undo(const DriverInject& what);
  void undo_all();
  void hear_undone();
  void undo_of_ranks();
  void stop_again();
  void begin_probes();
  void answer_probe(const RunningProbe& probe, ProbeSample sample);
  void start_pending();
  void hear_start();
  void answer_start(const std::string& why);
  void stop_ranks();
  void end_ranks(const std::string& why);
  void leave(int exit_code, const std::string& why);
  void leave_drill(int exit_code, const std::string& why);
  void forget_drill();
  bool ending() const { return leaving_ || drill_ends_; }

  const AgentOptions options_;
  const AgentSurroundings around_;
  DisturbedStreams streams_;
  std::deque<FromStream> unheard_;  // what came while nothing passes between driver and agent

  Watches watches_;
  AgentGreeting greeting_;  // of the present driver
  LinePatterns patterns_;
  LossLevel loss_;
  SegmentTimes segments_;
  TrafficMeter traffic_;
  bool trains_ = false;  // the first rank of this host is up
  Time now_{};           // the time of the last wake(): one time for all that it handles

  std::optional<Attendance> attendance_;
  ServedDrill drill_;
  bool drill_ends_ = false;          // of an agent that stays: once no rank is left
  HostId host_;                      // in this drill
  Time abandoned_at_;                // when the drill ends here if no driver connects and gives a lease
  Time lease_ends_ = kStart;         // in the past: no lease
  std::deque<AgentMessage> missed_;  // lines, exits and injections that no driver was connected to receive
  std::size_t missed_progress_ = 0;  // how many of them are lines of steps and stalls: only these are limited
  std::uint64_t missed_left_out_ = 0;

  std::optional<DriverStartRanks> pending_start_;  // waits until the ranks of the run before have ended
  std::vector<OrderId> pending_stops_;
  std::optional<OrderId> starting_;  // whose programs may not run yet
  std::optional<AgentDone> last_start_;
  std::uint32_t last_run_ = 0;
  std::uint32_t lapsed_run_ = 0;  // the last that ended because no lease came
  struct Injection {
    DriverInject what;
    AgentInjected answer;
    bool over = false;   // its effect
    Time ends = kNever;  // what the agent itself ends
  };
  std::map<std::uint64_t, Injection> injected_;  // of this drill, by number: no injection is done twice
  std::vector<DriverInject> start_fails_;        // wait for the start that is pending
  struct Hold {
    DriverInject what;
    Time late;  // when the rank should have come to a collective
  };
  std::map<std::uint32_t, Hold> holds_;   // by rank: it was told and has not said that it is held
  bool host_lost_ = false;                // by an injection: nothing more is said of its ranks
  std::vector<NicCounters> sent_before_;  // when the first rank of this host came up ...
  Time trains_since_;                     // ... which was then
  std::vector<RunningProbe> probes_;      // of the present driver, in the order of their arrival
  std::uint64_t last_probe_ = 0;
  std::uint32_t probes_begun_ = 0;  // probes that run, including those of earlier drivers
  std::optional<int> leaving_;
};

}  // namespace gauntlet
