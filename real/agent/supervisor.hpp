// The agent's decisions: what it answers to each order, which driver it obeys, and what it remembers. It acts through
// interfaces and gets the time from its caller. So it runs over processes and sockets (agent_loop) and over simulated ones.
#pragma once

#include "real/agent/options.hpp"
#include "real/agent/probe_runner.hpp"
#include "real/agent/rank_runner.hpp"
#include "real/agent/server.hpp"
#include "real/agent/watches.hpp"
#include "real/clock.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gauntlet {

using SupervisorMessage = std::variant<FromStream, ProbeEnded>;

/// What an agent acts through. All of it outlives the supervisor.
struct AgentSurroundings {
  const Clock& clock;
  AgentStreams& streams;
  RankRunner& ranks;
  ProbeRunner& probes;
  HostIdentity identity;
  std::function<void(const std::string&)> say;  // a line for people
};

/// One thread owns it. Its loop: settle(); sleep until next_deadline() or until a message arrives; wake().
class Supervisor {
 public:
  Supervisor(const AgentOptions& options, AgentSurroundings surroundings);

  /// Does what waited until no rank was left. Returns the agent's exit code when it is to end and has no rank left.
  std::optional<int> settle();
  /// When wake() is due although no message arrived, on the clock of the surroundings; kNever where no timer is set.
  Time next_deadline() const;
  /// Hears the ranks, then these messages, and does what is due.
  void wake(const std::vector<SupervisorMessage>& heard);
  /// Ends the agent on a signal, not on a driver's order.
  void end() { leave(kAgentEnded, ""); }
  bool leaving() const { return leaving_.has_value(); }

 private:
  struct Attendance {
    StreamId stream = 0;
    Duration heartbeat_period{};
    std::uint64_t heartbeats = 0;
    Time next_heartbeat{};
  };
  struct RunningProbe {
    OrderId order;
    WatchId report;
    Time late;
    std::string name;
    std::uint64_t number;  // of this agent's probes
    bool begun;
  };

  void hear_ranks();
  bool on_line(std::uint32_t run, std::uint32_t rank, const std::string& line);
  void on_exit(const RankRunner::Exit& exit);
  void hear(const SupervisorMessage& message);
  void run_timers();
  void send_seen();

  void on(StreamId stream, const DriverHello& message);
  void on(StreamId stream, const DriverLease& message);
  void on(StreamId stream, const DriverWatch& message);
  void on(StreamId stream, const DriverUnwatch& message);
  void on(StreamId stream, const DriverStartRanks& message);
  void on(StreamId stream, const DriverStopRanks& message);
  void on(StreamId stream, const DriverRunProbe& message);
  void on(StreamId stream, const DriverInject& message);
  void on(StreamId stream, const DriverQuit& message);
  void on(const ProbeEnded& message);
  template <class Message>
  void obey(StreamId stream, const Message& message);

  bool told(const AgentMessage& message);  // false where no driver attends
  void tell(const AgentMessage& message);
  void tell_or_keep(const AgentMessage& message);
  void begin_probes();
  void end_probe(const ProbeEnded& message);
  void answer_probe(const RunningProbe& probe, const AgentDone& done);
  void start_pending();
  void stop_ranks();
  void leave(int exit_code, const std::string& why);

  const AgentOptions options_;
  const AgentSurroundings around_;

  Watches watches_;
  Time now_{};                   // the time of the last wake(): the same for all that it brought
  std::int64_t started_ns_ = 0;  // the drill's time zero

  std::optional<Attendance> attendance_;
  std::uint64_t epoch_ = 0;  // the highest that attended
  bool ever_attended_ = false;
  Time abandoned_at_;                // while nobody attends
  Time lease_ends_ = kStart;         // in the past: no lease
  std::deque<AgentMessage> missed_;  // lines, exits and injections while no driver attended
  std::size_t missed_progress_ =
      0;  // how many of them are lines of steps and stalls, which alone are bounded
  std::uint64_t missed_left_out_ = 0;

  std::optional<DriverStartRanks> pending_start_;  // waits for an older run to be gone
  std::vector<OrderId> pending_stops_;
  std::optional<AgentDone> last_start_;
  std::uint32_t last_run_ = 0;
  std::map<std::uint64_t, AgentInjected> injected_;  // in this drill, by number, so that none is done twice
  std::vector<RunningProbe> probes_;                 // of the present driver, in the order of their arrival
  std::uint64_t last_probe_ = 0;
  std::uint32_t probes_begun_ = 0;  // probes that have not ended, with those of earlier drivers
  std::optional<int> leaving_;
};

}  // namespace gauntlet
