#include "real/stream/acceptor.hpp"

#include "real/system/peer_user.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr auto kSpeaksWithin = std::chrono::seconds(5);
constexpr std::size_t kMostSilent = 64;
constexpr int kPauseMilliseconds = 100;      // while the system has no descriptor or no memory
constexpr unsigned char kTlsHandshake = 22;  // RFC 8446, section 5.1: the type of the first record

std::string address_of(const sockaddr_storage& peer) {
  char text[INET6_ADDRSTRLEN] = {};
  const auto* ipv4 = reinterpret_cast<const sockaddr_in*>(&peer);
  const bool known = peer.ss_family == AF_INET && ::inet_ntop(AF_INET, &ipv4->sin_addr, text, sizeof text);
  return known ? text : "an unknown address";
}

Descriptor new_event() {
  Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) throw std::system_error(errno, std::generic_category(), "eventfd");
  return event;
}

}  // namespace

std::string problem_of_user(uid_t user, uid_t own) {
  if (may_command(user, own)) return "";
  return "this agent obeys user " + std::to_string(own) + " and root alone";
}

/// A connection that has not said anything.
struct ConnectionAcceptor::Waiting {
  Descriptor connection;
  std::string peer;
  SteadyTime until;
};

ConnectionAcceptor::ConnectionAcceptor(Descriptor listening, Arrival arrival, Hooks hooks)
    : listening_(std::move(listening)),
      arrival_(arrival),
      hooks_(std::move(hooks)),
      stop_(new_event()),
      thread_([this] { run(); }) {}

ConnectionAcceptor::~ConnectionAcceptor() {
  const std::uint64_t one = 1;
  static_cast<void>(::write(stop_.get(), &one, sizeof one));
  thread_.join();
}

void ConnectionAcceptor::run() {
  std::vector<Waiting> waiting;
  bool accepts = true;
  for (;;) {
    std::vector<pollfd> polled = {{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                                  {.fd = accepts ? listening_.get() : -1, .events = POLLIN, .revents = 0}};
    for (const Waiting& each : waiting)
      polled.push_back({.fd = each.connection.get(), .events = POLLIN, .revents = 0});
    // Those that say nothing are looked at now and then.
    const int patience = accepts && waiting.empty() ? -1 : kPauseMilliseconds;
    if (::poll(polled.data(), polled.size(), patience) < 0) {
      if (errno != EINTR) std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMilliseconds));
      continue;
    }
    if (polled[0].revents != 0) return;
    std::erase_if(waiting, [this](Waiting& each) { return judge_first_byte(each); });
    accepts = !accepts || (polled[1].revents & POLLIN) == 0 || accept_one(waiting);
    if (waiting.size() > kMostSilent) {
      hooks_.refuse(waiting.front().peer, "too many connections say nothing");
      waiting.erase(waiting.begin());
    }
  }
}

bool ConnectionAcceptor::accept_one(std::vector<Waiting>& waiting) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  Descriptor connection(
      ::accept4(listening_.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!connection) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
  if (arrival_ == Arrival::unix_socket) {
    judge_user(std::move(connection));
    return true;
  }
  const int yes = 1;  // messages are small, and are waited for
  ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  waiting.push_back({.connection = std::move(connection),
                     .peer = address_of(peer),
                     .until = std::chrono::steady_clock::now() + kSpeaksWithin});
  return true;
}

void ConnectionAcceptor::judge_user(Descriptor connection) {
  const std::optional<uid_t> user = user_at_other_end(connection.get());
  if (!user) return hooks_.refuse("an unknown process", "the system does not say whose it is");
  const std::string why = problem_of_user(*user, ::geteuid());
  if (why.empty()) return hooks_.admit(std::move(connection));
  hooks_.refuse("a process of user " + std::to_string(*user), why);
}

bool ConnectionAcceptor::judge_first_byte(Waiting& waiting) {
  unsigned char first = 0;
  const ssize_t count = ::recv(waiting.connection.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
  const bool silent = count < 0 && (errno == EAGAIN || errno == EINTR);
  if (silent && std::chrono::steady_clock::now() < waiting.until) return false;
  if (count == 1 && first == kTlsHandshake) {
    hooks_.admit(std::move(waiting.connection));
  } else {
    hooks_.refuse(waiting.peer, count == 1 ? "it does not speak TLS" : "it said nothing");
  }
  return true;
}

}  // namespace gauntlet
