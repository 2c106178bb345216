#include "real/stream/server.hpp"

#include "real/stream/acceptor.hpp"
#include "real/stream/lock_order_private.hpp"
#include "real/stream/tls_private.hpp"
#include "real/stream/wire_private.hpp"

#include <agent.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

constexpr auto kShutdownPatience = std::chrono::seconds(3);  // only a driver that is stopped itself takes it
constexpr int kMostHandshakeMilliseconds = 10'000;
constexpr int kIdleMilliseconds = 60'000;  // of a connection without a stream
// The largest message starts a host's ranks, and has some kilobytes. Beyond gRPC's own bound it ends a stream in silence.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr int kMostBytesOfGrpc = 4 << 20;
constexpr std::size_t kMostStreams = 64;        // a driver has one, and a driver that takes over another
constexpr std::size_t kMostUnhandled = 10'000;  // messages of one stream
constexpr std::size_t kMostQueuedBytes = std::size_t{64} << 20;  // for one driver

using AgentStream = grpc::ServerBidiReactor<agent::ToAgent, agent::FromAgent>;

/// A stream that ends before it begins.
class RefusedStream final : public AgentStream {
 public:
  explicit RefusedStream(const grpc::Status& why) { Finish(why); }
  void OnDone() override { delete this; }
};

std::string name_of_peer(const PeerCheck::Verdict& verdict) {
  return verdict.peer ? uri_of(*verdict.peer) : "a peer without a name";
}

}  // namespace

class AgentServer::Service final : public agent::Agent::CallbackService {
 public:
  Service(Listening listening, std::shared_ptr<PeerTrust> trust, std::shared_ptr<Refusals> refusals,
          std::function<void(FromStream)> receive)
      : receive_(std::move(receive)), trust_(std::move(trust)), refusals_(std::move(refusals)) {
    ignore_lock_order();
    // A handshake may end after this object has.
    const auto refuse = [refusals = refusals_](const PeerCheck::Verdict& verdict) {
      refusals->count(name_of_peer(verdict), verdict.why);
    };
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMostBytesOfGrpc);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleMilliseconds);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kMostHandshakeMilliseconds);
    arrivals_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        trust_ ? agent_credentials(trust_, refuse) : grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    if (!server_) throw std::runtime_error(listening.address + ": gRPC cannot start a server");
    acceptor_ = std::make_unique<ConnectionAcceptor>(
        std::move(listening.socket), trust_ ? Arrival::tls : Arrival::unix_socket,
        ConnectionAcceptor::Hooks{
            .admit = [this](Descriptor connection) { hand_over(std::move(connection)); },
            .refuse = [this](const std::string& peer,
                             const std::string& why) { refusals_->count(peer, why); }});
    if (trust_) watch_ = trust_->watch([this] { look_at_certificates(); });
  }

  void shut_down() {
    acceptor_.reset();
    // Streams whose drivers listen end at once; whatever is stuck is cut. The server's own patience would be spent on
    // idle connections as well.
    for (const auto& [id, stream] : streams()) stream->end(grpc::Status::OK);
    {
      std::unique_lock lock(mutex_);
      stream_gone_.wait_for(lock, kShutdownPatience, [this] { return streams_.empty(); });
    }
    watch_.reset();
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
  }

  AgentStream* Attend(grpc::CallbackServerContext* context) override {
    Stream::Peer peer = {.name = "a driver", .certificate = certificate_of_peer(*context->auth_context())};
    if (trust_) {
      // The handshake may be long ago: one connection carries many streams.
      const PeerCheck::Verdict verdict = trust_->check(peer.certificate, {.role = PeerRole::driver});
      peer.name = name_of_peer(verdict);
      if (!verdict.passes()) return refused(peer.name, {grpc::StatusCode::PERMISSION_DENIED, verdict.why});
    }
    const std::lock_guard lock(mutex_);
    const auto heard = std::count_if(streams_.begin(), streams_.end(),
                                     [](const auto& each) { return each.second->is_heard(); });
    if (static_cast<std::size_t>(heard) >= kMostStreams) {
      return refused(peer.name, {grpc::StatusCode::RESOURCE_EXHAUSTED,
                                 "flooded: " + std::to_string(kMostStreams) + " streams are open already"});
    }
    const StreamId id = ++last_;
    const auto stream = std::make_shared<Stream>(*this, id, std::move(peer));
    streams_.emplace(id, stream);
    stream->listen();
    return stream.get();
  }

  bool send(StreamId id, const AgentMessage& message) {
    const auto stream = find(id);
    return stream && stream->send(to_wire(message));
  }
  void end(StreamId id, const std::string& why) {
    const auto stream = find(id);
    if (!stream) return;
    stream->end(why.empty() ? grpc::Status::OK : grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, why));
  }

 private:
  // gRPC allows one write at a time: the rest queues up. Its calls are made without the lock, since it may answer within
  // them.
  class Stream final : public grpc::ServerBidiReactor<agent::ToAgent, agent::FromAgent> {
   public:
    struct Peer {
      std::string name;         // for people
      std::string certificate;  // PEM; empty on a Unix socket
    };
    Stream(Service& service, StreamId id, Peer peer)
        : service_(service),
          id_(id),
          name_(std::move(peer.name)),
          open_peer_{.certificate = std::move(peer.certificate), .wanted = {.role = PeerRole::driver}} {}

    /// The watch's alone.
    PeerTrust::OpenPeer& open_peer() { return open_peer_; }
    bool is_heard() {
      const std::lock_guard lock(mutex_);
      return heard_on_;
    }

    void listen() { StartRead(&heard_); }

    bool send(agent::FromAgent message) {
      bool fits = true;
      {
        const std::lock_guard lock(mutex_);
        if (ended_) return false;
        const bool replaces = message.has_heartbeat() && queue_.size() > 1 && queue_.back().has_heartbeat();
        queued_bytes_ += message.ByteSizeLong();
        if (replaces) {
          queued_bytes_ -= queue_.back().ByteSizeLong();
          queue_.back() = std::move(message);
        } else {
          queue_.push_back(std::move(message));
        }
        fits = queued_bytes_ <= kMostQueuedBytes;
      }
      if (!fits) {
        cut_off({grpc::StatusCode::RESOURCE_EXHAUSTED,
                 "flooded: it does not take what it is told, and more than 64 MiB wait"});
        return false;
      }
      go_on();
      return true;
    }

    void end(const grpc::Status& status) {
      {
        const std::lock_guard lock(mutex_);
        if (ended_) return;
        ended_ = true;
        status_ = status;
      }
      go_on();
    }

    /// Refuses the rest of the stream: nothing that its peer says is heard any more, and what it was to be told is dropped.
    void cut_off(const grpc::Status& why) {
      {
        const std::lock_guard lock(mutex_);
        if (!heard_on_) return;
        heard_on_ = false;
        queue_.resize(writing_ ? 1 : 0);
      }
      service_.refusals_->count(name_, why.error_message());
      service_.receive_({id_, StreamGone{}});
      end(why);
    }

    void OnReadDone(bool ok) override {
      if (!ok) {
        end(grpc::Status::OK);
        service_.receive_({id_, StreamGone{}});
        return;
      }
      if (is_heard()) hear();
      StartRead(&heard_);  // also where it is not heard any more: so its end is noticed
    }

    void OnWriteDone(bool ok) override {
      {
        const std::lock_guard lock(mutex_);
        writing_ = false;
        queued_bytes_ -= std::min(queued_bytes_, queue_.front().ByteSizeLong());
        queue_.pop_front();
        if (!ok) {  // the driver is gone; reading will tell
          queue_.clear();
          ended_ = true;
        }
      }
      go_on();
    }

    void OnDone() override { service_.forget(id_); }

   private:
    void hear() {
      const std::size_t bytes = heard_.ByteSizeLong();
      if (bytes > kMostBytes) {
        return cut_off({grpc::StatusCode::RESOURCE_EXHAUSTED,
                        "flooded: a message has " + std::to_string(bytes) + " bytes, and at most " +
                            std::to_string(kMostBytes) + " are taken"});
      }
      std::optional<DriverMessage> message = from_wire(heard_);
      const bool hello = message && std::holds_alternative<DriverHello>(*message);
      if (!message || hello == greeted_) {
        return cut_off(
            {grpc::StatusCode::INVALID_ARGUMENT, message ? "the first message is Hello, and only the first"
                                                         : "a message that this agent does not know"});
      }
      greeted_ = true;
      if (++*unhandled_ > kMostUnhandled) {
        --*unhandled_;
        return cut_off({grpc::StatusCode::RESOURCE_EXHAUSTED,
                        "flooded: " + std::to_string(kMostUnhandled) + " of its messages wait to be obeyed"});
      }
      const auto handled = [unhandled = unhandled_](const void*) { --*unhandled; };
      service_.receive_({id_, std::move(*message), std::shared_ptr<const void>(nullptr, handled)});
    }
    void go_on() {
      const agent::FromAgent* next = nullptr;
      {
        const std::lock_guard lock(mutex_);
        if (writing_ || finished_) return;
        if (!queue_.empty()) {
          writing_ = true;
          next = &queue_.front();
        } else if (ended_) {
          finished_ = true;
        } else {
          return;
        }
      }
      if (next != nullptr) {
        StartWrite(next);
      } else {
        Finish(status_);
      }
    }

    Service& service_;
    const StreamId id_;
    const std::string name_;
    PeerTrust::OpenPeer open_peer_;
    const std::shared_ptr<std::atomic<std::size_t>> unhandled_ =
        std::make_shared<std::atomic<std::size_t>>(0);
    agent::ToAgent heard_;
    bool greeted_ = false;

    std::mutex mutex_;
    std::deque<agent::FromAgent> queue_;  // the first one is being written while `writing_`
    bool writing_ = false;
    bool ended_ = false;  // nothing more is taken in
    bool finished_ = false;
    bool heard_on_ = true;
    std::size_t queued_bytes_ = 0;
    grpc::Status status_;
  };

  RefusedStream* refused(const std::string& peer, const grpc::Status& why) {
    refusals_->count(peer, why.error_message());
    return new RefusedStream(why);
  }

  void hand_over(Descriptor connection) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters arrival;
    arrival.fd = connection.release();
    arrivals_->HandleNewConnection(&arrival);
  }

  /// On the thread of the watch.
  void look_at_certificates() {
    for (const auto& [id, stream] : streams()) {
      if (!stream->is_heard()) continue;
      const std::string why = trust_->distrust(stream->open_peer());
      if (!why.empty()) stream->cut_off({grpc::StatusCode::PERMISSION_DENIED, why});
    }
  }

  std::shared_ptr<Stream> find(StreamId id) {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second;
  }
  std::map<StreamId, std::shared_ptr<Stream>> streams() {
    const std::lock_guard lock(mutex_);
    return streams_;
  }
  void forget(StreamId id) {
    std::shared_ptr<Stream> last;  // dies after the lock is gone
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(id);
    last = std::move(found->second);
    streams_.erase(found);
    stream_gone_.notify_all();
  }

  const std::function<void(FromStream)> receive_;
  const std::shared_ptr<PeerTrust> trust_;
  const std::shared_ptr<Refusals> refusals_;
  std::mutex mutex_;
  std::condition_variable stream_gone_;
  std::map<StreamId, std::shared_ptr<Stream>> streams_;
  StreamId last_ = 0;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> arrivals_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<PeerTrust::Watch> watch_;
  std::unique_ptr<ConnectionAcceptor> acceptor_;
};

AgentServer::AgentServer(Listening listening, std::shared_ptr<PeerTrust> trust,
                         std::shared_ptr<Refusals> refusals, std::function<void(FromStream)> receive)
    : service_(std::make_unique<Service>(std::move(listening), std::move(trust), std::move(refusals),
                                         std::move(receive))) {}
AgentServer::~AgentServer() { service_->shut_down(); }
bool AgentServer::send(StreamId stream, const AgentMessage& message) {
  return service_->send(stream, message);
}
void AgentServer::end(StreamId stream, const std::string& why) { service_->end(stream, why); }

}  // namespace gauntlet
