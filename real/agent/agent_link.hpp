// The driver's end of the stream to one agent (agent.proto), in plain types.
#pragma once

#include "core/action.hpp"
#include "core/id.hpp"
#include "core/time.hpp"
#include "real/agent/messages.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The driver's epoch that the agent obeys instead of ours, where `why` (of connect() or `lost`) says so.
std::optional<std::uint64_t> obeyed_epoch(const std::string& why);

/// One attendance to one agent. Every method may be called from any thread. What is sent while the stream does not
/// stand is dropped: `lost` has told, and whoever attends anew orders anew.
class AgentLink {
 public:
  /// `receive` and `lost` are called on a thread of the link's own, never both at once, and may send; they must not
  /// call close() or destroy the link. The first message is AgentAttending, possibly before connect() returns; then
  /// what ranks said and how they ended while nobody attended. `lost` is called once, when a stream that connect() had established breaks, with the reason; never after close()
  /// has returned. An agent that obeys quit() breaks it too.
  AgentLink(std::string socket, std::uint64_t epoch, AgentGreeting greeting,
            std::function<void(const AgentMessage&)> receive,
            std::function<void(const std::string& why)> lost);
  ~AgentLink();
  AgentLink(const AgentLink&) = delete;
  AgentLink& operator=(const AgentLink&) = delete;

  /// Waits until the agent's socket answers and the agent attends; false with `why` when it has not within `timeout`,
  /// or at once when `stop` is set or it refuses (it obeyed this epoch or a higher one already: each attendance has its own). May be called
  /// again after false.
  bool connect(Duration timeout, std::string& why, const std::atomic<bool>* stop = nullptr);

  /// `order` holds a Watch that an agent has a filter for: any but one on heartbeats.
  void watch(const Order& order);
  void unwatch(WatchId watch);
  /// The agent stops its ranks unless the next one comes within `lasts`.
  void lease(Duration lasts);
  /// `run` counts the starts of the job from 1. The agent adds `--rank R` before `arguments`. Without a lease that stands
  /// it answers with an error.
  void start_ranks(OrderId order, std::uint32_t run, const std::vector<std::uint32_t>& ranks,
                   const std::vector<std::string>& arguments);
  void stop_ranks(OrderId order);
  void run_probe(OrderId order, const std::string& probe, WatchId report);
  void inject(std::uint64_t injection, std::uint32_t rank, AgentSignal signal);
  /// Stop the ranks and exit.
  void quit();

  /// Ends the stream; what was sent before is delivered to a living agent first. The agent goes on without a driver,
  /// and its ranks until the lease lapses. Returns when the link's thread is gone.
  void close();

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace gauntlet
