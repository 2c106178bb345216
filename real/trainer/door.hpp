// The listening sockets of a rank, and those who have come and not yet said who they are. Nobody is waited for alone: whoever comes and says
// nothing keeps no rank out.
#pragma once

#include "real/trainer/link.hpp"
#include "real/trainer/secret.hpp"
#include "real/trainer/tcp.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

class Door {
 public:
  struct Guest {
    PeerLink link;
    Challenge challenge{};          // that it got, where the door greets
    std::vector<std::byte> said{};  // its introduction, whole once next() returns it
  };

  /// Guests introduce themselves by so many bytes. `greeting`: what each hears first, and after it a challenge of its own; empty: nothing.
  explicit Door(std::size_t introduction, std::vector<std::byte> greeting = {})
      : introduction_(introduction), greeting_(std::move(greeting)) {}

  /// Listens there too. As listen_at().
  void open(TcpAddress& place) { listeners_.push_back(listen_at(place)); }

  /// The next one who has introduced itself; nothing at the end of `patience`.
  std::optional<Guest> next(const Patience& patience);

  /// Says why a guest is refused, on standard error: once, because whoever is refused may come again and again. The connection closes with
  /// the guest.
  void refuse(const Guest& guest, const std::string& why);

 private:
  void let_in(const PeerLink& listener);
  std::optional<Guest> introduced();

  std::size_t introduction_;
  std::vector<std::byte> greeting_;
  std::vector<PeerLink> listeners_;
  struct Waiting {
    Guest guest;
    std::span<std::byte> left{};  // of its introduction
  };
  std::deque<Waiting> waiting_;
  bool has_refused_ = false;
};

}  // namespace gauntlet
