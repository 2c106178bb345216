#include "real/runner/host_checkpointer.hpp"

#include "real/runner/rank_tag.hpp"
#include "real/system/clock.hpp"
#include "real/system/launch.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

namespace gauntlet {
namespace {

constexpr int kWaitingRanks = 1024;
// One that dies so often has a cause that stays. Ranks then write themselves.
constexpr int kMostBegun = 3;
// For the copies that are being written when the last rank ends. A driver waits 20 s for the answer to an order.
constexpr Duration kFinishes = std::chrono::seconds(10);

}  // namespace

HostCheckpointer::HostCheckpointer(std::string program, std::optional<RankUser> user)
    : program_(std::move(program)), user_(std::move(user)) {}

HostCheckpointer::~HostCheckpointer() {
  kill();
  close();
  if (handle_) ::waitpid(pid_, nullptr, WNOHANG);
}

std::string HostCheckpointer::open(const std::string& directory) {
  close();
  begun_ = 0;
  if (program_.empty()) return "";
  const std::string path = directory + "/copies-" + std::to_string(::getpid()) + ".sock";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto failure = [&](int error) {
    return path + ": its checkpointer cannot be listened for: " + std::strerror(error);
  };
  if (path.size() >= sizeof address.sun_path) return failure(ENAMETOOLONG);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ::unlink(path.c_str());  // the directory and the number are ours
  Descriptor listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener || ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      (user_ && ::lchown(path.c_str(), user_->uid, user_->gid) != 0) ||
      ::listen(listener.get(), kWaitingRanks) != 0)
    return failure(errno);
  listener_ = std::move(listener);
  path_ = path;
  return "";
}

void HostCheckpointer::close() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
  listener_.reset();
}

void HostCheckpointer::begin() {
  if (++begun_ > kMostBegun) return close();
  Launched launched = launch({.program = program_,
                              .arguments = {program_, "agent-checkpointer", path_},
                              .environment = {rank_tag()},
                              .directory = {},
                              .input = listener_.get(),
                              .output = STDERR_FILENO,
                              .errors = STDERR_FILENO,
                              .user = user_});
  if (launched.pid <= 0) return close();
  pid_ = launched.pid;
  handle_ = std::move(launched.handle);
}

void HostCheckpointer::collect() {
  if (ends_by_ != kNever && Time(Duration(monotonic_ns())) >= ends_by_) {
    late_ = true;
    kill();
  }
  if (handle_ && ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
    handle_.reset();
    ends_by_ = kNever;
  }
  pollfd waits{.fd = listener_.get(), .events = POLLIN, .revents = 0};
  if (!handle_ && listener_ && ::poll(&waits, 1, 0) > 0) begin();
}

bool HostCheckpointer::finish() {
  collect();  // a rank may have come and ended
  if (handle_ && ends_by_ == kNever) ends_by_ = after(Time(Duration(monotonic_ns())), kFinishes);
  if (listener_) ::shutdown(listener_.get(), SHUT_RDWR);  // the process has this socket too
  close();
  return none();
}

void HostCheckpointer::kill() {
  close();
  ends_by_ = kNever;
  if (handle_) signal_process(handle_, SIGKILL);
}

void HostCheckpointer::add_to(std::vector<pollfd>& polled) const {
  if (handle_)
    polled.push_back({.fd = handle_.get(), .events = POLLIN, .revents = 0});
  else if (listener_)
    polled.push_back({.fd = listener_.get(), .events = POLLIN, .revents = 0});
}

}  // namespace gauntlet
