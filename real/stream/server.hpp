// The agent's end of the drivers' streams. It speaks and listens; who is obeyed is the supervisor's question.
#pragma once

#include "real/certs/peer_trust.hpp"
#include "real/stream/listening.hpp"
#include "real/stream/messages.hpp"
#include "real/stream/refusals.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace gauntlet {

/// Counts the streams that were opened, from 1.
using StreamId = std::uint64_t;

/// The stream ended, by whichever side.
struct StreamGone {};

/// The first of a stream is DriverHello; no later one is.
struct FromStream {
  StreamId stream = 0;
  std::variant<DriverMessage, StreamGone> what;
  /// Lives until the message is handled: a stream has so many at one time.
  std::shared_ptr<const void> receipt = nullptr;
};

/// The streams of the drivers that attend, as the supervisor sees them.
class AgentStreams {
 public:
  AgentStreams() = default;
  virtual ~AgentStreams() = default;
  AgentStreams(const AgentStreams&) = delete;
  AgentStreams& operator=(const AgentStreams&) = delete;

  /// Never blocks. A heartbeat that could not leave yet gives way to the next. False where the stream is gone, at the
  /// latest from when its driver knows that.
  virtual bool send(StreamId stream, const AgentMessage& message) = 0;
  /// After what was sent before. `why` reaches the driver as its refusal; empty where all is well.
  virtual void end(StreamId stream, const std::string& why) = 0;
};

class AgentServer final : public AgentStreams {
 public:
  /// Nobody comes in unseen: on a Unix socket (`trust` is null) processes of our user and of root, elsewhere who has the
  /// certificate of a driver. A certificate that is revoked, or expires, ends its streams. Messages,
  /// queues and streams have bounds: what goes beyond ends a stream, and is a refusal. `receive` is called on threads
  /// of the server, on several at once for several streams. Throws std::runtime_error where no server can be started.
  AgentServer(Listening listening, std::shared_ptr<PeerTrust> trust, std::shared_ptr<Refusals> refusals,
              std::function<void(FromStream)> receive);
  /// Ends every stream, after a moment for what was sent to leave.
  ~AgentServer() override;

  bool send(StreamId stream, const AgentMessage& message) override;
  void end(StreamId stream, const std::string& why) override;

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

}  // namespace gauntlet
