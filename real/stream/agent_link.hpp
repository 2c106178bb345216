// The driver's end of the stream to one agent, in plain types. How it is carried is the transport's question.
#pragma once

#include "core/action.hpp"
#include "core/id.hpp"
#include "core/time.hpp"
#include "real/stream/messages.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The driver's epoch that the agent obeys instead of ours, where `why` (of connect() or `lost`) says so.
std::optional<std::uint64_t> obeyed_epoch(const std::string& why);

/// What a link tells its driver.
struct LinkListener {
  /// The first message is AgentAttending, possibly before connect() returns; then what ranks said and how they ended
  /// while nobody attended.
  std::function<void(const AgentMessage&)> receive;
  /// Once, when a stream that connect() had established breaks; never after close() has returned. An agent that obeys
  /// quit() breaks it too.
  std::function<void(const std::string& why)> lost;
};

/// How a connection to an agent stands: `refused` where another attempt has no effect before something changes.
enum class Attends : std::uint8_t { not_yet, yes, refused };

/// One attendance to one agent. Every method may be called from any thread. What is sent while the stream does not
/// stand is dropped: `lost` has told, and whoever attends anew orders anew. A listener is called on a thread of the
/// link's own, never twice at once, and may send; it must not call close() or destroy the link. Destroying the link
/// closes it.
class AgentLink {
 public:
  AgentLink() = default;
  virtual ~AgentLink() = default;
  AgentLink(const AgentLink&) = delete;
  AgentLink& operator=(const AgentLink&) = delete;

  /// Starts to connect and does not wait, so that handshakes with several agents go on together. connect() waits.
  virtual void begin_connect() {}
  /// Continues to connect and waits for nothing; `why` says why the agent does not attend. Call it again after `not_yet`.
  virtual Attends look(std::string& why) = 0;
  /// Waits until the agent answers and attends; false with `why` when it has not within `timeout`, or at once when
  /// `stop` is set or it refuses (it obeyed this epoch or a higher one already: each attendance has its own). May be
  /// called again after false: what was begun goes on meanwhile.
  virtual bool connect(Duration timeout, std::string& why, const std::atomic<bool>* stop) = 0;
  bool connect(Duration timeout, std::string& why) { return connect(timeout, why, nullptr); }
  virtual void send(const DriverMessage& message) = 0;
  /// Ends the stream; what was sent before is delivered to a living agent first. The agent goes on without a driver,
  /// and its ranks until the lease lapses. Returns when no listener is called any more.
  virtual void close() = 0;

  /// `order` holds a Watch that an agent has a filter for: any but one on heartbeats.
  void watch(const Order& order);
  void unwatch(WatchId watch) { send(DriverUnwatch{watch}); }
  /// The agent stops its ranks unless the next one comes within `lasts`.
  /// `sent_ns`: the driver's time, which the agent answers with its own.
  void lease(Duration lasts, std::int64_t sent_ns = 0) { send(DriverLease{lasts, sent_ns}); }
  /// `run` counts the starts of the job from 1. The agent adds `--rank R` before `arguments`. Without a lease that stands
  /// it answers with an error.
  void start_ranks(OrderId order, std::uint32_t run, const std::vector<std::uint32_t>& ranks,
                   const std::vector<std::string>& arguments) {
    send(DriverStartRanks{order, run, ranks, arguments});
  }
  void stop_ranks(OrderId order) { send(DriverStopRanks{order}); }
  void run_probe(OrderId order, const ProbeTask& task) { send(DriverRunProbe{order, task}); }
  /// Stop the ranks and exit.
  void quit() { send(DriverQuit{}); }
};

}  // namespace gauntlet
