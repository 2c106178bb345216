#include "real/agent/server.hpp"

#include "real/agent/wire_private.hpp"

#include <agent.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

constexpr auto kShutdownPatience = std::chrono::seconds(3);  // only a driver that is stopped itself takes it

}  // namespace

class AgentServer::Service final : public agent::Agent::CallbackService {
 public:
  Service(const std::string& socket, std::function<void(FromStream)> receive) : receive_(std::move(receive)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    if (!server_) throw std::runtime_error(socket + ": cannot be listened on");
  }

  void shut_down() {
    // Streams whose drivers listen end at once; whatever is stuck is cut. The server's own patience would be spent on
    // idle connections as well.
    for (const auto& [id, stream] : streams()) stream->end(grpc::Status::OK);
    {
      std::unique_lock lock(mutex_);
      stream_gone_.wait_for(lock, kShutdownPatience, [this] { return streams_.empty(); });
    }
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
  }

  grpc::ServerBidiReactor<agent::ToAgent, agent::FromAgent>* Attend(grpc::CallbackServerContext*) override {
    const std::lock_guard lock(mutex_);
    const StreamId id = ++last_;
    const auto stream = std::make_shared<Stream>(*this, id);
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
    Stream(Service& service, StreamId id) : service_(service), id_(id) {}

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

    void OnReadDone(bool ok) override {
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
    agent::ToAgent heard_;
    bool greeted_ = false;

    std::mutex mutex_;
    std::deque<agent::FromAgent> queue_;  // the first one is being written while `writing_`
    bool writing_ = false;
    bool ended_ = false;  // nothing more is taken in
    bool finished_ = false;
    grpc::Status status_;
  };

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

  std::function<void(FromStream)> receive_;
  std::mutex mutex_;
  std::condition_variable stream_gone_;
  std::map<StreamId, std::shared_ptr<Stream>> streams_;
  StreamId last_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

AgentServer::AgentServer(const std::string& socket, std::function<void(FromStream)> receive)
    : service_(std::make_unique<Service>(socket, std::move(receive))) {}
AgentServer::~AgentServer() { service_->shut_down(); }
bool AgentServer::send(StreamId stream, const AgentMessage& message) {
  return service_->send(stream, message);
}
void AgentServer::end(StreamId stream, const std::string& why) { service_->end(stream, why); }

}  // namespace gauntlet
