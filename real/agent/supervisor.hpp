// The agent's one thread of decisions: it sleeps in poll() over ranks, signals, timers and what the server heard.
#pragma once

#include "real/agent/agent.hpp"
#include "real/agent/descriptor.hpp"
#include "real/agent/mailbox.hpp"
#include "real/agent/probes.hpp"
#include "real/agent/ranks.hpp"
#include "real/agent/server.hpp"
#include "real/agent/watches.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gauntlet {

struct ProbeEnded {
  std::uint64_t probe = 0;  // by its number here
  ProbeResult result;
};
using SupervisorMessage = std::variant<FromStream, ProbeEnded>;
using SupervisorMailbox = Mailbox<SupervisorMessage>;

class Supervisor {
 public:
  /// `signals`: a signalfd; any signal ends the agent. The mailbox outlives a probe that hangs, hence shared.
  Supervisor(const AgentOptions& options, AgentServer& server, std::shared_ptr<SupervisorMailbox> mailbox,
             Descriptor signals);

  /// Until the agent is to end and has no rank left; what run_agent() returns.
  int run();

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
    ProbeResult (*run)(const std::string& directory, std::uint64_t number);
    std::uint64_t number;  // of this agent's probes
    bool begun;
  };

  void sleep();
  Time next_deadline() const;
  void hear_ranks();
  bool on_line(std::uint32_t run, std::uint32_t rank, const std::string& line);
  void on_exit(const RankProcesses::Exit& exit);
  void hear_mailbox();
  void run_timers();
  void send_seen();
  void settle();

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

  bool told(const AgentMessage& message);  // false where nobody hears it
  void tell(const AgentMessage& message);
  void tell_or_keep(const AgentMessage& message);
  void begin_probes();
  void end_probe(const ProbeEnded& message);
  void answer_probe(const RunningProbe& probe, const AgentDone& done);
  void start_pending();
  void stop_ranks();
  void leave(int exit_code, const std::string& why);
  void say(const std::string& what) const;

  const AgentOptions options_;
  AgentServer& server_;
  const std::shared_ptr<SupervisorMailbox> mailbox_;
  const Descriptor signals_;

  RankProcesses ranks_;
  Watches watches_;
  Time now_{};                   // CLOCK_MONOTONIC at the last awakening: one time for all that it brought
  std::int64_t started_ns_ = 0;  // the drill's time zero

  std::optional<Attendance> attendance_;
  std::uint64_t epoch_ = 0;  // the highest that attended
  bool ever_attended_ = false;
  Time abandoned_at_;                // while nobody attends
  Time lease_ends_ = kStart;         // what is past is no lease
  std::deque<AgentMessage> missed_;  // lines, exits and injections that nobody attended to hear
  std::size_t missed_progress_ = 0;  // of them, lines of steps and stalls: they alone are bounded
  std::uint64_t missed_left_out_ = 0;

  std::optional<DriverStartRanks> pending_start_;  // waits for an older run to be gone
  std::vector<OrderId> pending_stops_;
  std::optional<AgentDone> last_start_;
  std::uint32_t last_run_ = 0;
  std::map<std::uint64_t, AgentInjected> injected_;  // in this drill, by number: none is done twice
  std::vector<RunningProbe> probes_;  // those of the present driver, in the order in which they came
  std::uint64_t last_probe_ = 0;
  std::uint32_t probe_threads_ = 0;  // also of earlier drivers' probes
  std::optional<int> leaving_;
};

}  // namespace gauntlet
