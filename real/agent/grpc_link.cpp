#include "real/agent/grpc_link.hpp"

#include "core/contract.hpp"
#include "real/agent/listening.hpp"
#include "real/agent/tls_private.hpp"
#include "real/agent/wire_private.hpp"
#include "real/clock.hpp"

#include <agent.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

// An agent that was just started listens within some tens of milliseconds; gRPC takes no less than 100 ms.
constexpr int kRetryMilliseconds = 100;
constexpr int kHandshakeMilliseconds = 5'000;  // of TLS between machines that are busy
// How long a living agent has to answer the end of a stream before it is cut.
constexpr auto kClosePatience = std::chrono::seconds(1);
constexpr auto kNoticed = std::chrono::milliseconds(50);  // how soon a request to stop is
constexpr auto kLongestWait = std::chrono::hours(24);     // to connect; clocks overflow beyond centuries

bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

/// `attempt_milliseconds`: how long one connection may take, with its handshake.
grpc::ChannelArguments channel_arguments(int attempt_milliseconds) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kRetryMilliseconds);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, attempt_milliseconds);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kRetryMilliseconds);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // no connection is shared, nor its waiting
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return arguments;
}

}  // namespace

class GrpcLink::Stream {
 public:
  Stream(AgentEndpoint agent, DriverHello hello, LinkListener listener)
      : agent_(std::move(agent)), hello_(std::move(hello)), listener_(std::move(listener)) {}
  ~Stream() { close(); }

  bool connect(Duration timeout, std::string& why, const std::atomic<bool>* stop) {
    const std::lock_guard one_at_a_time(use_);
    expect(!reader_.joinable(), "a link connects once");
    const auto deadline = std::chrono::system_clock::now() + std::min<Duration>(timeout, kLongestWait);
    const auto over = [&] { return is_set(stop) || std::chrono::system_clock::now() >= deadline; };
    Dialled dialled;
    do {
      const auto soon = std::min(deadline, std::chrono::system_clock::now() + kNoticed);
      if (!dialled.channel && !(dialled = dial()).channel) {
        why = dialled.name + ": " + dialled.why_not;
        std::this_thread::sleep_until(soon);
        continue;
      }
      const bool connected = dialled.channel->WaitForConnected(soon);
      if (const std::string refusal = dialled.refusal(); !refusal.empty()) {
        why = dialled.name + ": refused: " + refusal;
        return false;
      }
      if (!connected) {
        why = dialled.name + ": no agent answers" +
              (agent_.trust ? ", or it refuses this driver's certificate" : "");
        if (is_elsewhere(dialled)) dialled = {};
        continue;
      }
      const grpc::Status status = attend(dialled.channel, over);
      if (status.ok()) return true;
      why = dialled.name + ": " + status.error_message();
      if (status.error_code() != grpc::StatusCode::UNAVAILABLE) return false;
    } while (!over());
    return false;
  }

  void send(const DriverMessage& message) {
    const std::lock_guard lock(mutex_);
    if (state_ != State::standing) return;
    queue_.push_back(to_wire(message));
    changed_.notify_all();
  }

  void close() {
    const std::lock_guard one_at_a_time(use_);
    if (!reader_.joinable()) return;
    {
      std::unique_lock lock(mutex_);
      if (state_ == State::standing) state_ = State::closing;
      changed_.notify_all();
      if (!changed_.wait_for(lock, kClosePatience, [this] { return state_ == State::gone; }))
        context_->TryCancel();
    }
    reader_.join();
  }

 private:
  enum class State : std::uint8_t { gone, opening, standing, closing };

  /// Why the peer of the last handshake was refused, told on a thread of gRPC's.
  struct Handshakes {
    std::mutex mutex;
    std::string refusal;
  };
  struct Dialled {
    std::shared_ptr<grpc::Channel> channel;  // null where nobody has said where to dial
    std::string name;
    std::string why_not = "no agent has said where it listens";
    std::shared_ptr<Handshakes> handshakes = std::make_shared<Handshakes>();

    std::string refusal() const {
      const std::lock_guard lock(handshakes->mutex);
      return handshakes->refusal;
    }
  };

  /// Empty where no agent has written it.
  std::string address_in_file() const {
    std::string line;
    std::ifstream file(agent_.path);
    std::getline(file, line);
    return line;
  }

  /// Whether an agent has written another address since: the one that was dialled may be of an agent that is dead.
  bool is_elsewhere(const Dialled& dialled) const {
    if (!agent_.trust || !agent_.address.empty()) return false;
    const auto where = host_port_of(address_in_file());
    return where && where->text() != dialled.name;
  }

  Dialled dial() {
    Dialled dialled = {.channel = nullptr, .name = agent_.address.empty() ? agent_.path : agent_.address};
    if (!agent_.trust) {
      dialled.channel = grpc::CreateCustomChannel("unix:" + agent_.path, grpc::InsecureChannelCredentials(),
                                                  channel_arguments(kRetryMilliseconds));
      return dialled;
    }
    const auto where = host_port_of(agent_.address.empty() ? address_in_file() : agent_.address);
    if (!where) return dialled;
    dialled.name = where->text();
    const FoundAddress address = numeric_address(*where);
    dialled.why_not = address.why;
    if (address.text.empty()) return dialled;
    const auto refuse = [handshakes = dialled.handshakes](const PeerCheck::Verdict& verdict) {
      const std::lock_guard lock(handshakes->mutex);
      handshakes->refusal = verdict.why;
    };
    host_ = agent_.host.empty() ? where->host : agent_.host;
    grpc::ChannelArguments arguments = channel_arguments(kHandshakeMilliseconds);
    arguments.SetSslTargetNameOverride(host_);  // its certificate is the host's, not the address's
    dialled.channel = grpc::CreateCustomChannel("ipv4:" + address.text,
                                                driver_credentials(agent_.trust, host_, refuse), arguments);
    return dialled;
  }

  /// Why the agent at the other end is not to be trusted any more; empty where it is.
  std::string distrust() const {
    if (!agent_.trust) return "";
    const std::string certificate = certificate_of_peer(*context_->auth_context());
    return agent_.trust->check(certificate, {.role = PeerRole::agent, .host = host_}).why;
  }

  // Opens the stream and waits for the answer to Hello until it is over.
  grpc::Status attend(const std::shared_ptr<grpc::Channel>& channel, const std::function<bool()>& over) {
    stream_.reset();
    client_ = agent::Agent::NewStub(channel);
    context_ = std::make_unique<grpc::ClientContext>();
    stream_ = client_->Attend(context_.get());
    hello_.sent_ns = monotonic_ns();  // an agent that was waited for answers a later Hello
    stream_->Write(to_wire(hello_));  // where it fails, reading tells why
    std::unique_lock lock(mutex_);
    state_ = State::opening;
    reader_ = std::thread([this] { read(); });
    bool answered = false;
    do {
      answered = changed_.wait_for(lock, kNoticed, [this] { return state_ != State::opening; });
    } while (!answered && !over());
    if (answered && state_ != State::gone) return grpc::Status::OK;
    if (!answered) {
      state_ = State::closing;
      context_->TryCancel();
    } else if (attended_) {
      return grpc::Status::OK;  // it stood, and is lost already
    }
    lock.unlock();
    reader_.join();
    if (!answered) return {grpc::StatusCode::DEADLINE_EXCEEDED, "the agent does not answer"};
    return refusal_;
  }

  void read() {
    agent::FromAgent message;
    const bool answered = stream_->Read(&message);
    if (answered && message.has_attending() && begin()) {
      do {
        if (const auto plain = from_wire(message)) listener_.receive(*plain);
      } while (stream_->Read(&message));
    } else if (answered) {
      context_->TryCancel();
    }
    bool broken = false;
    {
      const std::lock_guard lock(mutex_);
      broken = state_ == State::standing;
      if (state_ != State::opening) state_ = State::gone;
      changed_.notify_all();
    }
    if (writer_.joinable()) writer_.join();
    const grpc::Status status = stream_->Finish();
    if (broken && !distrust_.empty())
      listener_.lost(distrust_);
    else if (broken)
      listener_.lost(status.error_message().empty() ? "the agent ended the stream" : status.error_message());
    const std::lock_guard lock(mutex_);
    if (status.ok()) {
      refusal_ = {grpc::StatusCode::INTERNAL, "the agent does not attend"};
    } else {
      refusal_ = status;
    }
    state_ = State::gone;
    changed_.notify_all();
  }

  // The answer to Hello came; false where nobody waits for it any more.
  bool begin() {
    const std::lock_guard lock(mutex_);
    if (state_ != State::opening) return false;
    attended_ = true;
    state_ = State::standing;
    writer_ = std::thread([this] { write(); });
    changed_.notify_all();
    return true;
  }

  void write() {
    auto check_at = std::chrono::steady_clock::now() + kRevocationsReadEvery;
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto has_work = [this] { return !queue_.empty() || state_ != State::standing; };
      if (agent_.trust) {
        changed_.wait_until(lock, check_at, has_work);
      } else {
        changed_.wait(lock, has_work);
      }
      if (state_ == State::gone) return;
      if (agent_.trust && std::chrono::steady_clock::now() >= check_at) {
        check_at = std::chrono::steady_clock::now() + kRevocationsReadEvery;
        lock.unlock();
        distrust_ = distrust();
        if (!distrust_.empty()) return context_->TryCancel();
        lock.lock();
        continue;
      }
      if (queue_.empty()) break;
      const agent::ToAgent message = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      stream_->Write(message);  // where it fails, the reader learns of it too
      lock.lock();
    }
    lock.unlock();
    stream_->WritesDone();
  }

  const AgentEndpoint agent_;
  DriverHello hello_;
  const LinkListener listener_;

  std::mutex use_;  // of connect and close
  std::unique_ptr<agent::Agent::StubInterface> client_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriterInterface<agent::ToAgent, agent::FromAgent>> stream_;
  std::thread reader_;
  std::thread writer_;    // the reader's own
  std::string host_;      // as it was dialled
  std::string distrust_;  // the writer's, until it has ended

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::gone;
  bool attended_ = false;
  grpc::Status refusal_;
  std::deque<agent::ToAgent> queue_;
};

GrpcLink::GrpcLink(AgentEndpoint agent, DriverHello hello, LinkListener listener)
    : stream_(std::make_unique<Stream>(std::move(agent), std::move(hello), std::move(listener))) {}
GrpcLink::~GrpcLink() = default;

bool GrpcLink::connect(Duration timeout, std::string& why, const std::atomic<bool>* stop) {
  return stream_->connect(timeout, why, stop);
}
void GrpcLink::send(const DriverMessage& message) { stream_->send(message); }
void GrpcLink::close() { stream_->close(); }

}  // namespace gauntlet
