#include "real/stream/grpc_link.hpp"

#include "real/stream/attendance_private.hpp"
#include "real/stream/listening.hpp"
#include "real/stream/lock_order_private.hpp"
#include "real/stream/tls_private.hpp"
#include "real/system/clock.hpp"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

// An agent that was just started listens within some tens of milliseconds; gRPC takes no less than 100 ms.
constexpr int kRetryMilliseconds = 100;
constexpr int kHandshakeMilliseconds = 5'000;          // of TLS between machines that are busy
constexpr auto kLongestWait = std::chrono::hours(24);  // to connect; clocks overflow beyond centuries

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
      : agent_(std::move(agent)), hello_(std::move(hello)), listener_(std::move(listener)) {
    ignore_lock_order();
  }
  ~Stream() { close(); }

  void begin_connect() {
    const std::lock_guard one_at_a_time(use_);
    if (!dialled_.channel) dialled_ = dial(kNoticed);
    if (dialled_.channel) dialled_.channel->GetState(true);
  }

  Attends look(std::string& why) {
    const std::lock_guard one_at_a_time(use_);
    return go_on(std::chrono::system_clock::now(), why);
  }

  bool connect(Duration timeout, std::string& why, const std::atomic<bool>* stop) {
    const std::lock_guard one_at_a_time(use_);
    const auto deadline = std::chrono::system_clock::now() + std::min<Duration>(timeout, kLongestWait);
    do {
      const auto soon = std::min(deadline, std::chrono::system_clock::now() + kNoticed);
      const Attends attends = go_on(soon, why);
      if (attends != Attends::not_yet) return attends == Attends::yes;
      if (!dialled_.channel) std::this_thread::sleep_until(soon);
    } while (!is_set(stop) && std::chrono::system_clock::now() < deadline);
    return false;
  }

  void send(const DriverMessage& message) {
    if (const auto attendance = this->attendance()) attendance->send(message);
  }

  void close() {
    const std::lock_guard one_at_a_time(use_);
    if (attendance_) attendance_->close();
  }

 private:
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

  /// Waits no longer for the address of a name than `patience`; the next call goes on.
  Dialled dial(Duration patience) {
    Dialled dialled = {.channel = nullptr, .name = agent_.address.empty() ? agent_.path : agent_.address};
    if (!agent_.trust) {
      dialled.channel = grpc::CreateCustomChannel("unix:" + agent_.path, grpc::InsecureChannelCredentials(),
                                                  channel_arguments(kRetryMilliseconds));
      return dialled;
    }
    const auto where = host_port_of(agent_.address.empty() ? address_in_file() : agent_.address);
    if (!where) return dialled;
    dialled.name = where->text();
    if (!lookup_ || lookup_->where().text() != where->text()) lookup_.emplace(*where);
    const std::optional<FoundAddress> address = lookup_->found(patience);
    dialled.why_not = address ? address->why : "its address is not known yet: the system looks its name up";
    if (address) lookup_.reset();
    if (!address || address->text.empty()) return dialled;
    const auto refuse = [handshakes = dialled.handshakes](const PeerCheck::Verdict& verdict) {
      const std::lock_guard lock(handshakes->mutex);
      handshakes->refusal = verdict.why;
    };
    host_ = agent_.host.empty() ? where->host : agent_.host;
    grpc::ChannelArguments arguments = channel_arguments(kHandshakeMilliseconds);
    arguments.SetSslTargetNameOverride(host_);  // its certificate is the host's, not the address's
    dialled.channel = grpc::CreateCustomChannel("ipv4:" + address->text,
                                                driver_credentials(agent_.trust, host_, refuse), arguments);
    return dialled;
  }

  /// Goes on from the name to the answer to Hello, and waits until `soon` for one step of it.
  Attends go_on(std::chrono::system_clock::time_point soon, std::string& why) {
    if (attends_) return Attends::yes;
    if (!attendance()) {
      if (!is_connected(soon, why)) return dialled_.refusal().empty() ? Attends::not_yet : refused();
      hello_.sent_ns = monotonic_ns();  // an agent that was waited for answers a later Hello
      // Set before it is opened: a listener may send as soon as it is called.
      set_attendance(std::make_shared<Attendance>(dialled_.channel, hello_,
                                                  Attendance::Peer{agent_.trust, host_}, listener_));
      attendance()->open();
    }
    const std::optional<grpc::Status> answer = attendance()->answer(soon);
    why = dialled_.name + ": " + (answer ? answer->error_message() : "the agent does not answer");
    if (!answer) return Attends::not_yet;
    attends_ = answer->ok();
    if (attends_) return Attends::yes;
    set_attendance(nullptr);
    return answer->error_code() == grpc::StatusCode::UNAVAILABLE ? Attends::not_yet : Attends::refused;
  }

  /// False with `why`, and with a refusal where the peer was refused.
  bool is_connected(std::chrono::system_clock::time_point soon, std::string& why) {
    if (!dialled_.channel && !(dialled_ = dial({})).channel) {
      why = dialled_.name + ": " + dialled_.why_not;
      return false;
    }
    const bool connected = dialled_.channel->WaitForConnected(soon);
    if (const std::string refusal = dialled_.refusal(); !refusal.empty()) {
      why = dialled_.name + ": refused: " + refusal;
      return false;
    }
    if (connected) return true;
    why = dialled_.name + ": no agent answers" +
          (agent_.trust ? ", or it refuses this driver's certificate" : "");
    if (is_elsewhere(dialled_)) dialled_ = {};
    return false;
  }

  Attends refused() {
    dialled_ = {};
    return Attends::refused;
  }

  std::shared_ptr<Attendance> attendance() const {
    const std::lock_guard lock(mutex_);
    return attendance_;
  }
  void set_attendance(std::shared_ptr<Attendance> next) {
    const std::lock_guard lock(mutex_);
    attendance_.swap(next);
  }

  const AgentEndpoint agent_;
  DriverHello hello_;
  const LinkListener listener_;
  std::string host_;  // as it was dialled
  std::optional<AddressLookup> lookup_;  // that has not ended
  Dialled dialled_;  // kept when connect() has waited in vain: its handshake goes on
  bool attends_ = false;

  std::mutex use_;            // of what connects, and of close
  mutable std::mutex mutex_;  // of the pointer
  std::shared_ptr<Attendance> attendance_;
};

GrpcLink::GrpcLink(AgentEndpoint agent, DriverHello hello, LinkListener listener)
    : stream_(std::make_unique<Stream>(std::move(agent), std::move(hello), std::move(listener))) {}
GrpcLink::~GrpcLink() = default;

bool GrpcLink::connect(Duration timeout, std::string& why, const std::atomic<bool>* stop) {
  return stream_->connect(timeout, why, stop);
}
Attends GrpcLink::look(std::string& why) { return stream_->look(why); }
void GrpcLink::begin_connect() { stream_->begin_connect(); }
void GrpcLink::send(const DriverMessage& message) { stream_->send(message); }
void GrpcLink::close() { stream_->close(); }

}  // namespace gauntlet
