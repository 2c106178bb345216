// What a driver needs of the place where a drill runs: a clock, the processes of agents, a way to talk to them, and where
// hosts come from. MachinePlatform is real, by a launcher. Tests have one that is simulated.
#pragma once

#include "core/time.hpp"
#include "real/stream/agent_link.hpp"
#include "real/system/clock.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// Which agent: that of one host of one drill. A drill is named by its directory.
struct AgentName {
  std::string directory;
  std::uint32_t host = 0;
};

/// Puts one thread to sleep until others wake it.
class Alarm {
 public:
  Alarm() = default;
  virtual ~Alarm() = default;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// Returns after `at_most`, or earlier once wake() was called since the last sleep.
  virtual void sleep(Duration at_most) = 0;
  /// From any thread.
  virtual void wake() = 0;
};

/// Calls a function again and again, on a thread of its own, until it is destroyed.
class Repeater {
 public:
  Repeater() = default;
  virtual ~Repeater() = default;
  Repeater(const Repeater&) = delete;
  Repeater& operator=(const Repeater&) = delete;
};

class DriverClock : public Clock {
 public:
  virtual std::unique_ptr<Alarm> alarm() = 0;
  /// `body` is called at once, and then with pauses of `period`.
  virtual std::unique_ptr<Repeater> repeat(Duration period, std::function<void()> body) = 0;
};

/// How messages reach agents.
class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// Not yet connected.
  virtual std::unique_ptr<AgentLink> link(const AgentName& agent, const DriverHello& hello,
                                          const LinkListener& listener) = 0;
  /// Whether there may be an agent to connect to: a look that costs nothing, before the patience of connect().
  virtual bool listens(const AgentName& agent) const = 0;
};

/// The process of an agent that answers to this driver. It is waited for, and no error leaves it behind: destroying this
/// ends the process, unless that was seen to end or let go.
class AgentHandle {
 public:
  AgentHandle() = default;
  virtual ~AgentHandle() = default;
  AgentHandle(const AgentHandle&) = delete;
  AgentHandle& operator=(const AgentHandle&) = delete;

  /// Whether it ends by itself within the time.
  virtual bool exits_within(Duration patience) = 0;
  /// After it was asked to leave: waits so long for it, then insists. False where it had to insist. Once `stop` is set,
  /// a fraction of a second of each wait is left.
  virtual bool wait_or_end(Duration patience, const std::atomic<bool>* stop) = 0;
  /// Asks it to end, and does not wait: exits_within() says when it has.
  virtual void terminate() = 0;
  /// Likewise; it has had its time.
  virtual void kill() = 0;
  /// Leaves it running: it obeys another driver now.
  virtual void let_go() = 0;
};

/// Processes of agents.
class Processes {
 public:
  Processes() = default;
  virtual ~Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// Starts the agent. One that holds its place, whoever started it, is ended first, as by wait_or_end. Throws
  /// std::runtime_error where it cannot be started.
  virtual std::unique_ptr<AgentHandle> start(const AgentName& agent, bool allow_injection,
                                             const std::atomic<bool>* stop) = 0;
  /// The living agent of that name that another driver started; null where there is none to be found.
  virtual std::unique_ptr<AgentHandle> find(const AgentName& agent) = 0;
  /// AgentHandle::wait_or_end of several, which are waited for together. They are handles of these processes.
  virtual void wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                           const std::atomic<bool>* stop) = 0;
  /// What it said last, or where its log is: a clause for people.
  virtual std::string last_words(const AgentName& agent) const = 0;
};

/// Where the ranks of a start meet: rank 0 listens there, and nobody before it.
struct MeetingPlace {
  std::string address;
  std::uint16_t port = 0;
  std::string secret{};  // by which they know each other
};

/// What it means where the drill runs that a host leaves the job or comes to it. The driver's thread calls, so no call
/// waits: what takes longer goes on beside the driver. A driver that takes over may repeat calls. The default is a drill
/// whose hosts are its own.
class HostSupply {
 public:
  HostSupply() = default;
  virtual ~HostSupply() = default;
  HostSupply(const HostSupply&) = delete;
  HostSupply& operator=(const HostSupply&) = delete;

  /// The host is evicted, and its agent has ended.
  virtual void evicted(const AgentName&) {}
  /// Whether the agent of an evicted host can be started again: on the host, or on its replacement. The driver asks when
  /// its time for repair is over, and then again and again.
  virtual bool is_back(const AgentName&) { return true; }
  /// A host that was back joins the spare hosts.
  virtual void readmitted(const AgentName&) {}
  /// This driver leaves, and another one may continue the drill. May wait for what runs beside the driver, unless that is to stop.
  virtual void leave() {}
  /// What became of hosts outside the drill, a sentence each, for its report. Also in the time of earlier drivers.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// Those of this driver's time that were not taken before, for the person who runs the drill.
  virtual std::vector<std::string> take_new_remarks() { return {}; }
};

class Platform {
 public:
  Platform() = default;
  virtual ~Platform() = default;
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  /// Before the first agent of a drill is started, and before a driver that takes over attends to its agents. `directory`
  /// is the drill's. Throws std::runtime_error.
  virtual void prepare(const std::string& /*directory*/) {}
  /// Nothing of the drill is left running, and nobody continues it. Also without prepare(): an earlier driver came to the end.
  virtual void end(const std::string& /*directory*/) {}

  virtual DriverClock& clock() = 0;
  /// Whether every agent reads the driver's clock: then nothing has to be mapped.
  virtual bool one_clock() const { return false; }
  /// Whether the hosts of the drill are parts of one machine: then they are probed one after the other.
  virtual bool hosts_share_machine() const { return false; }
  virtual Transport& transport() = 0;
  virtual Processes& processes() = 0;
  virtual HostSupply& supply() = 0;
  /// On the host of that agent; another port and another secret at each call. Throws std::runtime_error where none is free.
  virtual MeetingPlace meeting_place(const AgentName& agent) = 0;
  /// A line for the person who runs the drill.
  virtual void say(const std::string& line) = 0;
  void say_new_remarks() {
    for (const std::string& each : supply().take_new_remarks()) say(each);
  }
};

}  // namespace gauntlet
