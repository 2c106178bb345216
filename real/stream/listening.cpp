#include "real/stream/listening.hpp"

#include "core/system_advice.hpp"
#include "real/certs/peer_identity.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

constexpr int kWaiting = 64;  // connections that the kernel holds until they are accepted

Problem not_listening(const std::string& where, const char* what, int error, const std::string& advice = "") {
  return problem_of(where, std::string(what) + ": " + system_message(error), advice);
}

Descriptor new_socket(int family) {
  return Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

struct Resolved {
  sockaddr_in address{};
  std::string why;  // where there is none
};

Resolved resolve(const HostPort& where) {
  addrinfo wanted{};
  wanted.ai_flags = AI_NUMERICSERV;
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  Resolved out;
  const int unknown = ::getaddrinfo(where.host.c_str(), std::to_string(where.port).c_str(), &wanted, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
  if (unknown != 0)
    out.why = ::gai_strerror(unknown);
  else
    std::memcpy(&out.address, addresses->ai_addr, sizeof out.address);
  return out;
}

FoundAddress numeric_address(const HostPort& where) {
  const Resolved resolved = resolve(where);
  if (!resolved.why.empty()) return {.text = "", .why = resolved.why};
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &resolved.address.sin_addr, text, sizeof text);
  return {.text = text + (":" + std::to_string(where.port)), .why = ""};
}

}  // namespace

struct AddressLookup::Answer {
  std::mutex mutex;
  std::condition_variable came;
  std::optional<FoundAddress> found;

  void tell(FoundAddress address) {
    const std::lock_guard lock(mutex);
    found = std::move(address);
    came.notify_all();
  }
};

AddressLookup::AddressLookup(HostPort where) : where_(std::move(where)), answer_(std::make_shared<Answer>()) {
  in_addr address{};
  if (::inet_pton(AF_INET, where_.host.c_str(), &address) == 1)
    answer_->tell({.text = where_.text(), .why = ""});
  else
    std::thread([where = where_, answer = answer_] { answer->tell(numeric_address(where)); }).detach();
}

std::optional<FoundAddress> AddressLookup::found(Duration patience) const {
  std::unique_lock lock(answer_->mutex);
  answer_->came.wait_for(lock, patience, [this] { return answer_->found.has_value(); });
  return answer_->found;
}

std::optional<HostPort> host_port_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  HostPort out = {.host = std::string(text.substr(0, colon))};
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (error != std::errc{} || end != port.data() + port.size() || port.empty()) return std::nullopt;
  return problem_of_host_name(out.host).empty() ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Problem> listen_at(const std::string& path, Listening& out) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return problem_of(path, "has a name that is too long for a Unix socket");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor socket = new_socket(AF_UNIX);
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kWaiting) != 0)
    return not_listening(path, "cannot be listened on", errno);
  out = {.socket = std::move(socket), .address = "unix:" + path};
  return std::nullopt;
}

std::optional<Problem> listen_at(const HostPort& where, Listening& out) {
  const Resolved resolved = resolve(where);
  if (!resolved.why.empty())
    return problem_of(where.text(), "is not an address of this machine: " + resolved.why,
                      "name the host as the others know it, or by its IPv4 address");
  Descriptor socket = new_socket(AF_INET);
  const int yes = 1;
  if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&resolved.address), sizeof resolved.address) !=
          0 ||
      ::listen(socket.get(), kWaiting) != 0) {
    const int error = errno;
    return not_listening(where.text(), "cannot be listened on", error,
                         error == EADDRINUSE ? "choose another port; 0 takes any that is free" : "");
  }
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0)
    return not_listening(where.text(), "cannot be listened on", errno);
  const HostPort actual = {.host = where.host, .port = ntohs(bound.sin_port)};
  out = {.socket = std::move(socket), .address = actual.text()};
  return std::nullopt;
}

}  // namespace gauntlet
