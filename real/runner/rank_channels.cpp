#include "real/runner/rank_channels.hpp"

#include "real/system/peer_user.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace gauntlet {
namespace {

constexpr int kWaitingConnections = 64;
constexpr std::size_t kMessagesAtOnce = 256;  // of a rank, between two looks at everything else
// Beyond one for each rank: of those that come again, or that say nothing.
constexpr std::size_t kMoreConnections = 16;

bool said_to(const Descriptor& socket, std::string_view message) {
  return ::send(socket.get(), message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(message.size());
}

}  // namespace

std::int64_t rank_of_hello(std::string_view message) {
  constexpr std::string_view kHello = "hello ";
  std::uint32_t rank = 0;
  if (!message.starts_with(kHello)) return -1;
  message.remove_prefix(kHello.size());
  const auto [end, error] = std::from_chars(message.data(), message.data() + message.size(), rank);
  return error == std::errc() && end == message.data() + message.size() ? std::int64_t{rank} : -1;
}

std::string RankChannels::open(const std::string& directory, std::vector<std::uint32_t> ranks,
                               const std::optional<RankUser>& user, OfJob of_job) {
  close();
  of_job_ = std::move(of_job);
  user_ = user ? std::optional(user->uid) : std::nullopt;
  ranks_ = std::move(ranks);
  const std::string path = directory + "/ranks-" + std::to_string(::getpid()) + ".sock";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto failure = [&](int error) {
    return path + ": ranks cannot be listened to: " + std::strerror(error);
  };
  if (path.size() >= sizeof address.sun_path) return failure(ENAMETOOLONG);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ::unlink(path.c_str());  // the directory and the number are ours
  listener_ = Descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener_ ||
      ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      (user && ::lchown(path.c_str(), user->uid, user->gid) != 0) ||
      ::listen(listener_.get(), kWaitingConnections) != 0) {
    const int error = errno;
    listener_.reset();
    return failure(error);
  }
  path_ = path;
  return "";
}

void RankChannels::close() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
  listener_.reset();
  connections_.clear();
  said_.clear();
}

bool RankChannels::admits(uid_t user) const {
  return user_ ? user == *user_ : may_command(user, ::geteuid());
}

void RankChannels::accept_all() {
  while (listener_ && connections_.size() < ranks_.size() + kMoreConnections) {
    Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    const std::optional<ucred> peer = process_at_other_end(socket.get());
    if (peer && admits(peer->uid))
      connections_.push_back({.socket = std::move(socket), .speaker = {.pid = peer->pid, .handle = {}}});
  }
}

void RankChannels::collect(const OnLine& on_line) {
  accept_all();
  for (std::size_t i = 0; i < connections_.size();) {
    if (listen(connections_[i], on_line)) {
      ++i;
    } else {
      connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

/// False where the connection is over.
bool RankChannels::listen(Connection& connection, const OnLine& on_line) {
  std::array<char, kLongestMessage> bytes;
  for (std::size_t i = 0; i < kMessagesAtOnce; ++i) {
    const ssize_t count = ::recv(connection.socket.get(), bytes.data(), bytes.size(), MSG_TRUNC);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return true;
    if (count <= 0) return false;
    if (static_cast<std::size_t>(count) > bytes.size()) continue;  // its last number would be cut
    if (!hear(connection, std::string_view(bytes.data(), static_cast<std::size_t>(count)), on_line))
      return false;
  }
  return true;
}

bool RankChannels::hear(Connection& connection, std::string_view message, const OnLine& on_line) {
  if (connection.rank < 0) {
    connection.rank = rank_of_hello(message);
    connection.speaker.handle = pidfd_of(connection.speaker.pid);
    // After it is opened: whoever has that number now has the handle.
    if (of_job_ && !of_job_(connection.speaker.pid)) connection.speaker.handle.reset();
    return connection.rank >= 0 && std::find(ranks_.begin(), ranks_.end(),
                                             static_cast<std::uint32_t>(connection.rank)) != ranks_.end();
  }
  const auto rank = static_cast<std::uint32_t>(connection.rank);
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    const std::string line(message.substr(0, end));
    message.remove_prefix(std::min(end + 1, message.size()));
    const auto parsed = parse_rank_line(line);
    if (!parsed) continue;
    Said& said = said_[rank];
    if (parsed->kind == RankLine::Kind::up || parsed->kind == RankLine::Kind::step) said.step = parsed->step;
    if (parsed->kind == RankLine::Kind::finished) {
      said.finished = line;
      continue;
    }
    on_line(rank, line);
  }
  return true;
}

void RankChannels::tell(std::string_view message) {
  for (const Connection& connection : connections_) static_cast<void>(said_to(connection.socket, message));
}

bool RankChannels::tell(std::uint32_t rank, std::string_view message) {
  bool told = false;
  for (const Connection& connection : connections_)
    if (connection.rank == std::int64_t{rank}) told = said_to(connection.socket, message) || told;
  return told;
}

void RankChannels::add_to(std::vector<pollfd>& polled) const {
  const bool room = connections_.size() < ranks_.size() + kMoreConnections;
  if (listener_ && room) polled.push_back({.fd = listener_.get(), .events = POLLIN, .revents = 0});
  for (const Connection& each : connections_)
    polled.push_back({.fd = each.socket.get(), .events = POLLIN, .revents = 0});
}

const RankChannels::Speaker* RankChannels::speaker_of(std::uint32_t rank) const {
  const Speaker* found = nullptr;
  for (const Connection& each : connections_) {
    if (each.rank != std::int64_t{rank}) continue;
    if (found == nullptr || each.speaker.handle) found = &each.speaker;
  }
  return found;
}

std::int64_t RankChannels::step_of(std::uint32_t rank) const {
  const auto found = said_.find(rank);
  return found == said_.end() ? 0 : found->second.step;
}

std::string RankChannels::finished_line(std::uint32_t rank) const {
  const auto found = said_.find(rank);
  return found == said_.end() ? "" : found->second.finished;
}

}  // namespace gauntlet
