// One stream of a driver to an agent, from Hello to its end. No thread waits for it: gRPC calls when something has come or has left.
#pragma once

#include "real/certs/peer_trust.hpp"
#include "real/stream/agent_link.hpp"

#include <agent.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace gauntlet {

inline constexpr auto kNoticed = std::chrono::milliseconds(50);  // how soon a request to stop is

/// Its methods may be called from any thread. Once it is open, close() must have returned, or answer() a failure, before it is destroyed.
class Attendance final : public grpc::ClientBidiReactor<agent::ToAgent, agent::FromAgent> {
 public:
  /// Whom it talks with. Without `trust` on a Unix socket.
  struct Peer {
    std::shared_ptr<PeerTrust> trust;
    std::string host;  // that its certificate must name
  };
  Attendance(std::shared_ptr<grpc::Channel> channel, const DriverHello& hello, Peer peer,
             const LinkListener& listener);

  /// Says Hello.
  void open();
  /// The answer to Hello, if it comes by then. Where it is a failure, the stream has ended and the listener was not called.
  std::optional<grpc::Status> answer(std::chrono::system_clock::time_point until);
  /// Dropped while the stream does not stand.
  void send(const DriverMessage& message);
  /// As AgentLink::close().
  void close();

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnWritesDoneDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

 private:
  enum class State : std::uint8_t { opening, standing, closing, gone };

  bool begin();
  void watch_peer();
  void end_of_reads();
  void write_next();

  const std::shared_ptr<grpc::Channel> channel_;
  const Peer peer_;
  const LinkListener& listener_;
  grpc::ClientContext context_;
  agent::FromAgent heard_;

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::opening;
  bool attended_ = false;
  // gRPC allows one write at a time. As long as one may begin outside of its calls, it is told to keep the stream (AddHold).
  std::deque<agent::ToAgent> queue_;  // the first one is being written while `writing_`
  bool writing_ = true;
  bool writes_done_ = false;
  bool reads_over_ = false;
  std::string distrust_;
  grpc::Status status_;
  std::unique_ptr<PeerTrust::Watch> watch_;
};

}  // namespace gauntlet
