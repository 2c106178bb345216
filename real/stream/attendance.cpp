#include "real/stream/attendance_private.hpp"
#include "real/stream/tls_private.hpp"
#include "real/stream/wire_private.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

// How long a living agent has to answer the end of a stream before it is cut.
constexpr auto kClosePatience = std::chrono::seconds(1);

}  // namespace

Attendance::Attendance(std::shared_ptr<grpc::Channel> channel, const DriverHello& hello, Peer peer,
                       const LinkListener& listener)
    : channel_(std::move(channel)), peer_(std::move(peer)), listener_(listener) {
  queue_.push_back(to_wire(hello));
}

void Attendance::open() {
  agent::Agent::NewStub(channel_)->async()->Attend(&context_, this);
  AddHold();
  StartRead(&heard_);
  StartWrite(&queue_.front());  // where it fails, reading tells why
  StartCall();
}

std::optional<grpc::Status> Attendance::answer(std::chrono::system_clock::time_point until) {
  std::unique_lock lock(mutex_);
  // A refusal counts once the stream is gone: the listener is not called any more, and this may be destroyed.
  changed_.wait_until(lock, until, [this] { return attended_ || state_ == State::gone; });
  if (attended_) return grpc::Status::OK;  // also where it is lost already
  if (state_ != State::gone) return std::nullopt;
  if (status_.ok()) return grpc::Status(grpc::StatusCode::INTERNAL, "the agent does not attend");
  return status_;
}

void Attendance::send(const DriverMessage& message) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::standing || reads_over_) return;
    queue_.push_back(to_wire(message));
  }
  write_next();
}

void Attendance::close() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::opening) context_.TryCancel();  // nobody waits for the answer to Hello any more
    if (state_ == State::opening || state_ == State::standing) state_ = State::closing;
  }
  write_next();
  std::unique_lock lock(mutex_);
  const auto is_gone = [this] { return state_ == State::gone; };
  if (!changed_.wait_for(lock, kClosePatience, is_gone)) {
    context_.TryCancel();
    changed_.wait(lock, is_gone);
  }
  const std::unique_ptr<PeerTrust::Watch> ended = std::move(watch_);
  lock.unlock();  // it may be about to tell
}

void Attendance::OnReadDone(bool ok) {
  if (!ok) return end_of_reads();
  if (!attended_ && (!heard_.has_attending() || !begin())) {
    context_.TryCancel();
    return end_of_reads();
  }
  if (const auto message = from_wire(heard_)) listener_.receive(*message);
  StartRead(&heard_);
}

/// The answer to Hello came; false where nobody waits for it any more.
bool Attendance::begin() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::opening) return false;
    attended_ = true;
    state_ = State::standing;
    changed_.notify_all();
  }
  if (peer_.trust) watch_peer();
  return true;
}

void Attendance::watch_peer() {
  const auto look =
      [this, peer = PeerTrust::OpenPeer{.certificate = certificate_of_peer(*context_.auth_context()),
                                        .wanted = {.role = PeerRole::agent, .host = peer_.host}}]() mutable {
        const std::string why = peer_.trust->distrust(peer);
        if (why.empty()) return;
        {
          const std::lock_guard lock(mutex_);
          distrust_ = why;
        }
        context_.TryCancel();  // again and again has no effect
      };
  auto watch = peer_.trust->watch(look);
  const std::lock_guard lock(mutex_);
  watch_ = std::move(watch);
}

void Attendance::end_of_reads() {
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    reads_over_ = true;
    last = !writing_;
  }
  if (last) RemoveHold();
}

void Attendance::OnWriteDone(bool) {  // where it failed, reading tells
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    queue_.pop_front();
    last = reads_over_;
  }
  if (last) return RemoveHold();
  write_next();
}

void Attendance::OnWritesDoneDone(bool) {
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    last = reads_over_;
  }
  if (last) RemoveHold();
}

/// Or says that nothing more is written.
void Attendance::write_next() {
  const agent::ToAgent* next = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (writing_ || reads_over_ || writes_done_) return;
    if (!queue_.empty()) {
      next = &queue_.front();
    } else if (state_ == State::closing) {
      writes_done_ = true;
    } else {
      return;
    }
    writing_ = true;
  }
  if (next != nullptr) {
    StartWrite(next);
  } else {
    StartWritesDone();
  }
}

void Attendance::OnDone(const grpc::Status& status) {
  std::optional<std::string> lost;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::standing) lost = distrust_.empty() ? status.error_message() : distrust_;
  }
  if (lost) listener_.lost(lost->empty() ? "the agent ended the stream" : *lost);
  const std::lock_guard lock(mutex_);
  status_ = status;
  state_ = State::gone;
  changed_.notify_all();
}

}  // namespace gauntlet
