#include "real/trainer/door.hpp"

#include "real/system/clock.hpp"
#include "real/trainer/output.hpp"

#include <poll.h>

#include <algorithm>
#include <iostream>
#include <span>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kMostWaiting = 256;  // the oldest makes way: a rank that it was comes again

}  // namespace

std::optional<Door::Guest> Door::next(const Patience& patience) {
  while (true) {
    for (const PeerLink& listener : listeners_) let_in(listener);
    if (auto guest = introduced()) return guest;
    const std::int64_t left_ns = patience.until_ns - monotonic_ns();
    if (left_ns <= 0) return std::nullopt;
    std::vector<pollfd> waits{{.fd = patience.reader, .events = 0, .revents = 0}};
    for (const PeerLink& listener : listeners_)
      waits.push_back({.fd = listener.descriptor(), .events = POLLIN, .revents = 0});
    for (const Waiting& each : waiting_)
      waits.push_back({.fd = each.guest.link.descriptor(), .events = POLLIN, .revents = 0});
    ::poll(waits.data(), waits.size(),
           static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000)));
    if ((waits[0].revents & (POLLERR | POLLHUP)) != 0) end_without_reader();
  }
}

void Door::let_in(const PeerLink& listener) {
  while (PeerLink link = accept_from(listener)) {
    Waiting next{.guest = {.link = std::move(link), .said = std::vector<std::byte>(introduction_)}};
    next.left = next.guest.said;
    if (!greeting_.empty()) {
      next.guest.challenge = new_challenge();
      std::vector<std::byte> greeting = greeting_;
      greeting.insert(greeting.end(), next.guest.challenge.begin(), next.guest.challenge.end());
      // A new connection has room for it.
      if (transfer({&next.guest.link, greeting}, {}, {.on_close = OnClose::tell}) != TransferEnd::complete)
        continue;
    }
    if (waiting_.size() == kMostWaiting) waiting_.pop_front();
    waiting_.push_back(std::move(next));
  }
}

std::optional<Door::Guest> Door::introduced() {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    Receiving receiving{&each->guest.link, each->left};
    const TransferEnd end = receive_now(receiving);
    each->left = receiving.bytes;
    switch (end) {
      case TransferEnd::complete: {
        Guest guest = std::move(each->guest);
        waiting_.erase(each);
        return guest;
      }
      case TransferEnd::closed:
        each = waiting_.erase(each);
        break;
      case TransferEnd::timed_out:
        ++each;
    }
  }
  return std::nullopt;
}

void Door::refuse(const Guest& guest, const std::string& why) {
  if (std::exchange(has_refused_, true)) return;
  std::cerr << "gauntlet-trainer: warning: " + other_end(guest.link) + " was refused: " + why + "\n"
            << std::flush;
}

}  // namespace gauntlet
