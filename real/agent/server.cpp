#include "real/agent/server.hpp"

#include "real/agent/acceptor.hpp"
#include "real/agent/tls_private.hpp"
#include "real/agent/wire_private.hpp"

#include <agent.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

constexpr auto kShutdownPatience = std::chrono::seconds(3);  // only a driver that is stopped itself takes it
constexpr int kHandshakeMilliseconds = 10'000;
constexpr int kMostBytes = 1 << 20;       // of a message: the largest starts a host's ranks, some kilobytes
constexpr std::size_t kMostStreams = 64;  // a driver has one, and a driver that takes over another

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
  Service(Listening listening, std::shared_ptr<PeerTrust> trust, Refusals& refusals,
          std::function<void(FromStream)> receive)
      : receive_(std::move(receive)), trust_(std::move(trust)), refusals_(refusals) {
    const auto refuse = [this](const PeerCheck::Verdict& verdict) {
      refusals_.count(name_of_peer(verdict), verdict.why);
    };
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMostBytes);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMilliseconds);
    arrivals_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        trust_ ? agent_credentials(trust_, refuse) : grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    if (!server_) throw std::runtime_error(listening.address + ": gRPC cannot start a server");
    if (trust_) watcher_ = std::thread([this] { watch_certificates(); });
    acceptor_ = std::make_unique<ConnectionAcceptor>(
        std::move(listening.socket), trust_ ? Arrival::tls : Arrival::unix_socket,
        ConnectionAcceptor::Hooks{
            .admit = [this](Descriptor connection) { hand_over(std::move(connection)); },
            .refuse = [this](const std::string& peer,
                             const std::string& why) { refusals_.count(peer, why); }});
  }

  void shut_down() {
    acceptor_.reset();
    // Streams whose drivers listen end at once; whatever is stuck is cut. The server's own patience would be spent on
    // idle connections as well.
    for (const auto& [id, stream] : streams()) stream->end(grpc::Status::OK);
    {
      std::unique_lock lock(mutex_);
      stream_gone_.wait_for(lock, kShutdownPatience, [this] { return streams_.empty(); });
      over_ = true;
      over_changed_.notify_all();
    }
    if (watcher_.joinable()) watcher_.join();
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
  }

  AgentStream* Attend(grpc::CallbackServerContext* context) override {
    const std::string certificate = certificate_of_peer(*context->auth_context());
    if (trust_) {
      // The handshake may be long ago: one connection carries many streams.
      const PeerCheck::Verdict verdict = trust_->check(certificate, {.role = PeerRole::driver});
      if (!verdict.passes()) return refused(name_of_peer(verdict), verdict.why);
    }
    const std::lock_guard lock(mutex_);
    if (streams_.size() >= kMostStreams)
      return refused("a driver", std::to_string(kMostStreams) + " streams are open already");
    const StreamId id = ++last_;
    const auto stream = std::make_shared<Stream>(*this, id, *context, certificate);
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
    Stream(Service& service, StreamId id, grpc::CallbackServerContext& context, std::string certificate)
        : service_(service), id_(id), context_(context), certificate_(std::move(certificate)) {}

    const std::string& certificate() const { return certificate_; }

    void listen() { StartRead(&heard_); }

    bool send(agent::FromAgent message) {
      {
        const std::lock_guard lock(mutex_);
        if (ended_) return false;
        const bool replaces = message.has_heartbeat() && queue_.size() > 1 && queue_.back().has_heartbeat();
        if (replaces) {
          queue_.back() = std::move(message);
        } else {
          queue_.push_back(std::move(message));
        }
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

    /// Nothing that it says is heard any more. A peer that does not take its end is cut off the second time.
    void distrust(const std::string& why) {
      {
        const std::lock_guard lock(mutex_);
        if (distrusted_) context_.TryCancel();
        distrusted_ = true;
      }
      service_.receive_({id_, StreamGone{}});
      end({grpc::StatusCode::PERMISSION_DENIED, why});
    }

    void OnReadDone(bool ok) override {
      if (ok && is_distrusted()) return StartRead(&heard_);
      if (!ok) {
        end(grpc::Status::OK);
        service_.receive_({id_, StreamGone{}});
        return;
      }
      std::optional<DriverMessage> message = from_wire(heard_);
      const bool hello = message && std::holds_alternative<DriverHello>(*message);
      if (!message || hello == greeted_) {
        end({grpc::StatusCode::INVALID_ARGUMENT, message ? "the first message is Hello, and only the first"
                                                         : "a message that this agent does not know"});
        service_.receive_({id_, StreamGone{}});
        return;
      }
      greeted_ = true;
      service_.receive_({id_, std::move(*message)});
      StartRead(&heard_);
    }

    void OnWriteDone(bool ok) override {
      {
        const std::lock_guard lock(mutex_);
        writing_ = false;
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
    bool is_distrusted() {
      const std::lock_guard lock(mutex_);
      return distrusted_;
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
    grpc::CallbackServerContext& context_;
    const std::string certificate_;
    agent::ToAgent heard_;
    bool greeted_ = false;

    std::mutex mutex_;
    std::deque<agent::FromAgent> queue_;  // the first one is being written while `writing_`
    bool writing_ = false;
    bool ended_ = false;  // nothing more is taken in
    bool finished_ = false;
    bool distrusted_ = false;
    grpc::Status status_;
  };

  RefusedStream* refused(const std::string& peer, const std::string& why) {
    refusals_.count(peer, why);
    return new RefusedStream({grpc::StatusCode::PERMISSION_DENIED, why});
  }

  void hand_over(Descriptor connection) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters arrival;
    arrival.fd = connection.release();
    arrivals_->HandleNewConnection(&arrival);
  }

  /// On a thread of its own.
  void watch_certificates() {
    std::unique_lock lock(mutex_);
    while (!over_changed_.wait_for(lock, kRevocationsReadEvery, [this] { return over_; })) {
      lock.unlock();
      for (const auto& [id, stream] : streams()) {
        const PeerCheck::Verdict verdict = trust_->check(stream->certificate(), {.role = PeerRole::driver});
        if (verdict.passes()) continue;
        refusals_.count(name_of_peer(verdict), verdict.why);
        stream->distrust(verdict.why);
      }
      lock.lock();
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
  Refusals& refusals_;
  std::mutex mutex_;
  std::condition_variable stream_gone_, over_changed_;
  bool over_ = false;
  std::map<StreamId, std::shared_ptr<Stream>> streams_;
  StreamId last_ = 0;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> arrivals_;
  std::unique_ptr<grpc::Server> server_;
  std::thread watcher_;
  std::unique_ptr<ConnectionAcceptor> acceptor_;
};

AgentServer::AgentServer(Listening listening, std::shared_ptr<PeerTrust> trust, Refusals& refusals,
                         std::function<void(FromStream)> receive)
    : service_(
          std::make_unique<Service>(std::move(listening), std::move(trust), refusals, std::move(receive))) {}
AgentServer::~AgentServer() { service_->shut_down(); }
bool AgentServer::send(StreamId stream, const AgentMessage& message) {
  return service_->send(stream, message);
}
void AgentServer::end(StreamId stream, const std::string& why) { service_->end(stream, why); }

}  // namespace gauntlet
