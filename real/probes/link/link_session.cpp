#include "real/probes/link/link_session.hpp"

#include "real/system/clock.hpp"

#include <array>
#include <chrono>
#include <cstring>

namespace gauntlet {
namespace {

constexpr char kUpload = 'u', kDownload = 'd', kEcho = 'e';
constexpr char kMore = 1, kLast = 0;

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kMessageBytes = 64;
constexpr Duration kWindow = std::chrono::milliseconds(125);
constexpr std::size_t kWindows = 5;  // the first one is left out
constexpr Duration kStreams = kWindow * kWindows;
constexpr Duration kEchoes = std::chrono::seconds(2);
constexpr std::size_t kMostEchoes = 2000;
// A session that takes longer keeps the link from others.
constexpr Duration kLongestSession = std::chrono::minutes(1);

using Message = std::array<char, kMessageBytes>;

/// A byte of a block decides, and the rest does not matter.
void send_blocks(LinkSocket& socket) {
  std::vector<char> block(kBlockBytes, 'g');
  const std::int64_t until = monotonic_ns() + kStreams.count();
  do {
    block[0] = monotonic_ns() < until ? kMore : kLast;
  } while (socket.send(block) && block[0] == kMore);
}

LinkRates receive_blocks(LinkSocket& socket) {
  LinkRates rates;
  std::vector<char> block(kBlockBytes);
  std::size_t filled = 0, in_window = 0;
  std::int64_t began = monotonic_ns();
  bool first = true;
  while (true) {
    const std::size_t got = socket.receive(std::span(block).subspan(filled));
    if (got == 0) return rates;
    filled += got;
    in_window += got;
    const std::int64_t now = monotonic_ns();
    if (now - began >= kWindow.count()) {
      if (!first) rates.push_back(8 * static_cast<double>(in_window) / static_cast<double>(now - began));
      first = false;
      in_window = 0;
      began = now;
    }
    if (filled < kBlockBytes) continue;
    if (block[0] == kLast) return rates;
    filled = 0;
  }
}

bool send_rates(LinkSocket& socket, const LinkRates& rates) {
  std::vector<char> bytes(sizeof(std::uint32_t) + rates.size() * sizeof(double));
  const auto count = static_cast<std::uint32_t>(rates.size());
  std::memcpy(bytes.data(), &count, sizeof count);
  std::memcpy(bytes.data() + sizeof count, rates.data(), rates.size() * sizeof(double));
  return socket.send(bytes);
}

LinkRates receive_rates(LinkSocket& socket) {
  std::array<char, sizeof(std::uint32_t)> head{};
  std::uint32_t count = 0;
  if (!socket.receive_all(head)) return {};
  std::memcpy(&count, head.data(), sizeof count);
  // A slow link has fewer windows, and the clock of a busy host a few more.
  if (count > 2 * kWindows) return {};
  std::vector<char> bytes(count * sizeof(double));
  if (!socket.receive_all(bytes)) return {};
  LinkRates rates(count);
  std::memcpy(rates.data(), bytes.data(), bytes.size());
  return rates;
}

void echo_back(LinkSocket& socket) {
  Message message{};
  do {
    if (!socket.receive_all(message)) return;
  } while (socket.send(message) && message[0] == kMore);
}

}  // namespace

LinkRates LinkClient::upload() {
  if (!socket_.send({&kUpload, 1})) return {};
  send_blocks(socket_);
  return receive_rates(socket_);
}

LinkRates LinkClient::download() {
  if (!socket_.send({&kDownload, 1})) return {};
  return receive_blocks(socket_);
}

LinkEchoes LinkClient::echo() {
  LinkEchoes out;
  const std::uint32_t before = socket_.retransmitted();
  const std::int64_t until = monotonic_ns() + kEchoes.count();
  Message message{}, back{};
  bool answered = socket_.send({&kEcho, 1});
  for (bool more = true; more && answered;) {
    more = out.round_trips_ms.size() + 1 < kMostEchoes && monotonic_ns() < until;
    message[0] = more ? kMore : kLast;
    const std::int64_t began = monotonic_ns();
    answered = socket_.send(message) && socket_.receive_all(back);
    if (answered) out.round_trips_ms.push_back(1e3 * to_seconds(Duration(monotonic_ns() - began)));
  }
  out.retransmitted = socket_.retransmitted() - before;
  out.whole = answered;
  return out;
}

void serve_link(LinkSocket& socket) {
  const std::int64_t until = monotonic_ns() + kLongestSession.count();
  char asked = 0;
  while (monotonic_ns() < until && socket.receive_all({&asked, 1})) {
    if (asked == kUpload) {
      if (!send_rates(socket, receive_blocks(socket))) return;
    } else if (asked == kDownload) {
      send_blocks(socket);
    } else if (asked == kEcho) {
      echo_back(socket);
    } else {
      return;
    }
  }
}

}  // namespace gauntlet
