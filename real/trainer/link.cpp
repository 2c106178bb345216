#include "real/trainer/link.hpp"

#include "core/problem.hpp"
#include "real/system/clock.hpp"
#include "real/trainer/failure.hpp"
#include "real/trainer/output.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

enum class Side : std::uint8_t { done, blocked, closed };

/// The last four: TCP has given up on a way that was lost for a quarter of an hour (tcp_retries2).
bool peer_is_gone(int error) {
  return error == EPIPE || error == ECONNRESET || error == ETIMEDOUT || error == EHOSTUNREACH ||
         error == ENETUNREACH || error == ENETDOWN;
}

[[noreturn]] void fail(const char* what, int error) {
  throw Failure({.file = {},
                 .what = what,
                 .why = "(" + std::generic_category().message(error) + ")",
                 .suggestion = {}});
}

/// As much as goes out without blocking.
Side send_some(Sending& sending) {
  while (!sending.bytes.empty()) {
    const ssize_t count = ::send(sending.to->descriptor(), sending.bytes.data(), sending.bytes.size(),
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) sending.bytes = sending.bytes.subspan(static_cast<std::size_t>(count));
    if (count >= 0 || errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Side::blocked;
    if (peer_is_gone(errno)) return Side::closed;
    fail("cannot send to a rank", errno);
  }
  return Side::done;
}

Side receive_some(Receiving& receiving) {
  while (!receiving.bytes.empty()) {
    const ssize_t count =
        ::recv(receiving.from->descriptor(), receiving.bytes.data(), receiving.bytes.size(), MSG_DONTWAIT);
    if (count > 0) receiving.bytes = receiving.bytes.subspan(static_cast<std::size_t>(count));
    if (count > 0 || (count < 0 && errno == EINTR)) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Side::blocked;
    if (count == 0 || peer_is_gone(errno)) return Side::closed;
    fail("cannot receive from a rank", errno);
  }
  return Side::done;
}

pollfd waiting_for(Side side, const PeerLink* link, short events) {
  // poll() passes over negative descriptors: a closed link would wake it again and again.
  return {.fd = side == Side::blocked ? link->descriptor() : -1, .events = events, .revents = 0};
}

}  // namespace

PeerLink::PeerLink(PeerLink&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

PeerLink& PeerLink::operator=(PeerLink&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

PeerLink::~PeerLink() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

TransferEnd receive_now(Receiving& receiving) {
  switch (receive_some(receiving)) {
    case Side::done:
      return TransferEnd::complete;
    case Side::closed:
      return TransferEnd::closed;
    case Side::blocked:
      break;
  }
  return TransferEnd::timed_out;
}

TransferEnd transfer(Sending sending, Receiving receiving, const Patience& patience) {
  while (true) {
    const Side out = send_some(sending);
    const Side in = receive_some(receiving);
    if (out == Side::done && in == Side::done) return TransferEnd::complete;
    if (patience.on_close == OnClose::tell && (out == Side::closed || in == Side::closed))
      return TransferEnd::closed;

    const std::int64_t left_ns = patience.until_ns - monotonic_ns();
    if (left_ns <= 0) return TransferEnd::timed_out;
    const std::int64_t left_ms = std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000);
    std::array<pollfd, 3> waits{waiting_for(out, sending.to, POLLOUT),
                                waiting_for(in, receiving.from, POLLIN),
                                pollfd{.fd = patience.reader, .events = 0, .revents = 0}};
    if (::poll(waits.data(), waits.size(), static_cast<int>(left_ms)) < 0 && errno != EINTR)
      fail("cannot wait for a rank", errno);
    if ((waits[2].revents & (POLLERR | POLLHUP)) != 0) end_without_reader();
  }
}

}  // namespace gauntlet
