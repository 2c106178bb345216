#include "real/checkpoint/host_stage_two.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

namespace gauntlet {

HostStageTwo::HostStageTwo(Settings settings, std::unique_ptr<StageTwo> own, CheckpointListener listener)
    : settings_(std::move(settings)), own_(std::move(own)), listener_(std::move(listener)) {}

std::uint16_t HostStageTwo::meet(const std::string& address, Duration patience) {
  settings_.hello.address = address;
  return connect() ? hear_port(patience) : 0;
}

std::uint16_t HostStageTwo::hear_port(Duration patience) const {
  pollfd waits{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  if (::poll(&waits, 1, static_cast<int>(std::min<std::int64_t>(wait, std::numeric_limits<int>::max()))) <= 0)
    return 0;
  const auto text = receive_message(socket_.get());
  const auto message = text ? parse_from_checkpointer(*text) : std::nullopt;
  if (!message || message->kind != FromCheckpointer::Kind::listens) return 0;
  return static_cast<std::uint16_t>(message->step);
}

void HostStageTwo::write(std::int64_t step, StagedCopy& copy, Tier reach) {
  if (reach == Tier::memory) return;
  const std::string file = file_of(copy);
  if (!file.empty() && order(to_text(WriteOrder{.step = step, .copy = file, .reach = reach})) &&
      hear_until_done())
    return;
  disconnect();
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
  }
  own_->write(step, copy, reach);
}

void HostStageTwo::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (socket_) ::shutdown(socket_.get(), SHUT_RDWR);
  }
  own_->end();
}

/// Where the memory of a copy is not in its file, another process does not see it.
std::string HostStageTwo::file_of(const StagedCopy& copy) const {
  for (const std::string& file : settings_.copies)
    if (const auto key = copy_in(file); key && key == copy.key()) return file;
  return "";
}

bool HostStageTwo::connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (settings_.socket.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, settings_.socket.c_str(), settings_.socket.size() + 1);
  Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      !send_message(socket.get(), to_text(settings_.hello)))
    return false;
  const std::lock_guard lock(mutex_);
  if (ending_) return false;
  socket_ = std::move(socket);
  return true;
}

/// A checkpointer that ended since the last order has a successor.
bool HostStageTwo::order(const std::string& message) {
  const auto sent = [&] {
    return send_message(socket_.get(), to_text(ToCheckpointer(peers_))) &&
           send_message(socket_.get(), message);
  };
  if (socket_ && sent()) return true;
  disconnect();
  return connect() && sent();
}

void HostStageTwo::disconnect() {
  const std::lock_guard lock(mutex_);
  socket_.reset();
}

bool HostStageTwo::hear_until_done() {
  using Kind = FromCheckpointer::Kind;
  while (const auto text = receive_message(socket_.get())) {
    const auto message = parse_from_checkpointer(*text);
    if (!message) return false;
    const Problem why{.what = message->why};
    if (message->kind == Kind::done) return true;
    if (message->kind == Kind::saved) listener_.saved(message->step);
    if (message->kind == Kind::failed) listener_.failed(message->step, why);
    if (message->kind == Kind::not_removed) listener_.not_removed(why);
  }
  return false;
}

}  // namespace gauntlet
