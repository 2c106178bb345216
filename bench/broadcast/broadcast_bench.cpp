// broadcast_bench [MEGABYTES]: what it takes to send a state from one rank to another, beside a bare loop over one TCP connection. The two ranks are processes that
// meet on loopback; in a network namespace whose loopback has a rate (make bench-checkpoint), that rate is the shared link. The medians of 7
// alternations are printed.
#include "real/trainer/options.hpp"
#include "real/trainer/output.hpp"
#include "real/trainer/peers.hpp"
#include "real/trainer/tcp.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace gauntlet;

constexpr std::size_t kAlternations = 7;
constexpr std::size_t kPieceOfLoop = 1 << 20;  // of a bare send or receive
constexpr std::uint16_t kMeetingPort = 29'411, kLoopPort = 29'412;

void ensure(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

double seconds(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void wait_for(const PeerLink& link, short events) {
  pollfd waits{.fd = link.descriptor(), .events = events, .revents = 0};
  ::poll(&waits, 1, -1);
}

void send_bare(const PeerLink& link, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(link.descriptor(), bytes.data(), std::min(kPieceOfLoop, bytes.size()), MSG_NOSIGNAL);
    if (sent > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    else
      wait_for(link, POLLOUT);
  }
}

void receive_bare(const PeerLink& link, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::recv(link.descriptor(), bytes.data(), std::min(kPieceOfLoop, bytes.size()), 0);
    ensure(got != 0, "the other rank is gone");
    if (got > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    else
      wait_for(link, POLLIN);
  }
}

/// Rank 0 listens, rank 1 connects.
PeerLink bare_link(std::uint32_t rank, Peers& peers) {
  TcpAddress place = tcp_address("127.0.0.1", kLoopPort);
  const Patience patience{.until_ns = std::numeric_limits<std::int64_t>::max(), .on_close = OnClose::tell};
  if (rank == 0) {
    const PeerLink listener = listen_at(place);
    peers.sum_over_all(0);  // it listens
    wait_for(listener, POLLIN);
    return accept_from(listener);
  }
  peers.sum_over_all(0);
  auto link = connect_to(place, {}, patience);
  ensure(link.has_value(), "nobody listens");
  return std::move(*link);
}

double median(std::array<double, kAlternations> all) {
  std::sort(all.begin(), all.end());
  return all[kAlternations / 2];
}

void run_rank(std::uint32_t rank, std::size_t bytes) {
  TrainerOptions options;
  options.rank = rank;
  options.dp = 2;
  options.meeting = {.address = "127.0.0.1", .port = kMeetingPort, .secret = std::string(64, 's'), .own = {}};
  options.collective_timeout = std::chrono::minutes(10);
  RankOutput output;
  Peers peers(options, output);
  const PeerLink link = bare_link(rank, peers);
  std::vector<std::byte> state(bytes, std::byte{1});
  std::array<double, kAlternations> bare{}, ours{};
  std::byte arrived{};
  const auto loop = [&] {
    if (rank == 0) {
      send_bare(link, state);
      receive_bare(link, std::span(&arrived, 1));
    } else {
      receive_bare(link, state);
      send_bare(link, std::span(&arrived, 1));
    }
  };
  const auto broadcast = [&] {
    peers.broadcast_over_replicas(state);
    peers.sum_over_all(0);  // it has arrived
  };
  for (std::size_t i = 0; i < kAlternations; ++i) {
    if (i % 2 == 0) bare.at(i) = seconds(loop);
    ours.at(i) = seconds(broadcast);
    if (i % 2 == 1) bare.at(i) = seconds(loop);
  }
  const double megabytes = static_cast<double>(bytes) / 1e6;
  if (rank == 0)
    fmt::print("broadcast  {:>8.0f} MB/s bare {:>8.0f} MB/s here  {:>6.1f}% of bare\n",
               megabytes / median(bare), megabytes / median(ours), 100 * median(bare) / median(ours));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::size_t bytes = static_cast<std::size_t>(argc == 2 ? std::stoul(argv[1]) : 1000) * 1'000'000;
    const pid_t other = ::fork();
    if (other == 0) {
      run_rank(1, bytes);
      return EXIT_SUCCESS;
    }
    run_rank(0, bytes);
    int status = 0;
    ::waitpid(other, &status, 0);
    return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    fmt::print(stderr, "broadcast_bench: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
