#include "real/agent/place.hpp"

#include "real/system/file_lock.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gauntlet {
namespace {

Problem problem(const std::string& file, const std::string& why, const std::string& suggestion) {
  return {.file = file, .why = why, .suggestion = suggestion};
}

std::optional<Problem> check_directory(const std::string& directory) {
  struct stat found {};
  if (::stat(directory.c_str(), &found) != 0) {
    return problem(directory, std::strerror(errno), "make it: mkdir -m 700 " + directory);
  }
  if (!S_ISDIR(found.st_mode)) return problem(directory, "is not a directory", "");
  if (found.st_uid != ::geteuid()) {
    return problem(directory, "belongs to user " + std::to_string(found.st_uid) + ", not to this one",
                   "whoever can write there could command the agent: take a directory of your own");
  }
  // A group may pass through to what it is given there (rank_user.hpp).
  if ((found.st_mode & 067) != 0) {
    return problem(directory, "is open to other users",
                   "whoever can write there could command the agent: chmod 700 " + directory);
  }
  return std::nullopt;
}

std::string lock_of(const std::string& directory, std::uint32_t host) {
  return directory + "/agent-" + std::to_string(host) + ".lock";
}

std::optional<Problem> take_place(const std::string& file, Descriptor& out) {
  Descriptor lock = open_lock_file(file);
  if (!lock) return problem(file, std::strerror(errno), "");
  if (take_lock(lock)) {
    out = std::move(lock);
    return std::nullopt;
  }
  if (errno != EACCES && errno != EAGAIN) return problem(file, std::strerror(errno), "");
  const std::optional<pid_t> holder = holder_of(lock);
  const std::string who = holder ? " (process " + std::to_string(*holder) + ")" : "";
  return problem(file, "is held by a living agent" + who, "end that one first, or take another directory");
}

std::optional<Problem> clear_socket(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) {
    return problem(socket,
                   "has " + std::to_string(socket.size()) + " characters, and a Unix socket's name at most " +
                       std::to_string(sizeof address.sun_path - 1),
                   "take a directory with a shorter name");
  }
  struct stat found {};
  if (::lstat(socket.c_str(), &found) != 0) {
    return errno == ENOENT ? std::nullopt : std::optional(problem(socket, std::strerror(errno), ""));
  }
  if (!S_ISSOCK(found.st_mode)) return problem(socket, "is not a socket", "remove it");
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  const Descriptor caller(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const bool answered =
      ::connect(caller.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (answered || errno == EAGAIN) {  // EAGAIN: a listener whose queue is full
    return problem(socket, "is in use by another program", "end it first, or take another directory");
  }
  if (::unlink(socket.c_str()) != 0) return problem(socket, std::strerror(errno), "");
  return std::nullopt;
}

}  // namespace

std::string agent_socket(const std::string& directory, std::uint32_t host) {
  return directory + "/agent-" + std::to_string(host) + ".sock";
}

std::string agent_address_file(const std::string& directory, std::uint32_t host) {
  return directory + "/agent-" + std::to_string(host) + ".address";
}

std::optional<Problem> AgentPlace::take(const std::string& directory, std::uint32_t host, AgentPlace& out) {
  if (auto wrong = check_directory(directory)) return wrong;
  if (auto wrong = take_place(lock_of(directory, host), out.lock_)) return wrong;
  const std::string address = agent_address_file(directory, host);
  if (::unlink(address.c_str()) != 0 && errno != ENOENT) return problem(address, std::strerror(errno), "");
  return clear_socket(agent_socket(directory, host));
}

Descriptor agent_process(const std::string& directory, std::uint32_t host) {
  const Descriptor lock(::open(lock_of(directory, host).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return lock ? process_with(lock).process : Descriptor();
}

}  // namespace gauntlet
