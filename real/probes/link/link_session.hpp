// What the two ends of a link measure: blocks as fast as they come, and small messages that come back.
//
// The client asks, with one byte for each kind of measurement. A block, or a message, begins with a byte that says whether another
// one follows.
#pragma once

#include "core/time.hpp"
#include "real/probes/link/link_socket.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// Bytes of payload in Gbit/s, in windows of an eighth of a second. The first window is left out: TCP still grows, and a token bucket
/// lets a burst through. Fewer windows than there should be, or none: the link carried nothing for 5 s.
using LinkRates = std::vector<double>;

struct LinkEchoes {
  std::vector<double> round_trips_ms;  // of messages that came back
  std::uint32_t retransmitted = 0;     // segments that this end sent again
  bool whole = false;                  // else the link carried nothing for 5 s
};

class LinkClient {
 public:
  explicit LinkClient(LinkSocket& socket) : socket_(socket) {}

  LinkRates upload();
  LinkRates download();
  /// One at a time, 2,000 of them or as many as come back within 2 s.
  LinkEchoes echo();

 private:
  LinkSocket& socket_;
};

/// The other end: does what the client asks for until it is gone.
void serve_link(LinkSocket& socket);

}  // namespace gauntlet
