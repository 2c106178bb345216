#include "real/watchdog/watchdog.hpp"

#include "real/runner/rank_tag.hpp"
#include "real/system/clock.hpp"
#include "real/system/file_lock.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

// Messages, one a datagram. To the watchdog: "inject NUMBER KIND LASTS_NS LEASE_NS TARGET", "undo NUMBER", "lease NS". From it: "injected
// NUMBER", "failed NUMBER WHY", "undone NUMBER", "stuck NUMBER WHY": it cannot be undone yet.
constexpr std::size_t kLongestMessage = 64 * 1024;
constexpr int kAnswersWithinMs = 5'000;  // a sync of the disk and a few system calls
constexpr std::int64_t kForeverNs = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kRetryNs = 100'000'000;  // of what could not be undone
constexpr int kTriesAlone = 100;                // without an agent; then it is left to the next start

std::int64_t later(std::int64_t time, std::int64_t by) {
  return by > kForeverNs - time ? kForeverNs : time + by;
}

// --- the watchdog's side

class WatchdogProcess {
 public:
  WatchdogProcess(Descriptor socket, const std::string& journal, const HostInjectors& injectors, Files& files,
                  std::string tag)
      : socket_(std::move(socket)), journal_(journal, files), injectors_(injectors), tag_(std::move(tag)) {}

  int run() {
    for (const auto& [injection, entry] : journal_.open()) due_[injection] = 0;
    for (int alone = 0;;) {
      undo_due();
      if (alone > 0 && (due_.empty() || ++alone > kTriesAlone)) return due_.empty() ? 0 : 1;
      pollfd polled{.fd = alone > 0 ? -1 : socket_.get(), .events = POLLIN, .revents = 0};
      ::poll(&polled, 1, wait_milliseconds());
      if (polled.revents != 0 && !hear()) {
        alone = 1;  // the agent is gone
        for (auto& [injection, due] : due_) due = 0;
        undo_due();
        if (!kill_tagged(tag_)) std::fprintf(stderr, "processes of ranks are left that cannot be killed\n");
      }
    }
  }

 private:
  int wait_milliseconds() const {
    std::int64_t first = kForeverNs;
    for (const auto& [injection, due] : due_) first = std::min(first, due);
    if (!due_.empty()) first = std::min(first, std::max(lease_ends_, retry_));
    if (first == kForeverNs) return -1;
    constexpr std::int64_t kMillisecond = 1'000'000, kLongest = 60'000;
    const std::int64_t left = std::max(first, retry_) - monotonic_ns();
    return static_cast<int>(std::clamp<std::int64_t>(left / kMillisecond + 1, 0, kLongest));
  }

  void undo_due() {
    const std::int64_t now = monotonic_ns();
    if (now < retry_) return;
    std::vector<std::uint64_t> over;
    for (const auto& [injection, due] : due_)
      if (now >= due || now >= lease_ends_) over.push_back(injection);
    for (const std::uint64_t injection : over) undo(injection);
  }

  void undo(std::uint64_t injection) {
    const auto entry = journal_.open().find(injection);
    const UndoEntry undone = entry == journal_.open().end() ? UndoEntry{} : entry->second;
    const std::string why = journal_.undo(injection, injectors_);
    if (why.empty()) {
      due_.erase(injection);
      if (!undone.target.empty()) hold_on(undone.kind);
      return say("undone " + std::to_string(injection));
    }
    if (std::exchange(said_[injection], why) != why) {
      std::fprintf(stderr, "injection %llu is not undone yet: %s\n",
                   static_cast<unsigned long long>(injection), why.c_str());
      say("stuck " + std::to_string(injection) + " " + why);
    }
    retry_ = monotonic_ns() + kRetryNs;
    due_[injection] = 0;
  }

  /// What another injection of that kind holds as well is not free yet: it is taken again.
  void hold_on(InjectionKind kind) {
    const auto ended = injectors_.find(kind);
    if (ended == injectors_.end()) return;
    const std::int64_t now = monotonic_ns();
    for (const auto& [injection, entry] : journal_.open()) {
      const auto due = due_.find(injection);
      const auto other = injectors_.find(entry.kind);
      const bool lasts = due != due_.end() && now < due->second && now < lease_ends_;
      if (lasts && other != injectors_.end() && other->second.inject == ended->second.inject)
        static_cast<void>(other->second.inject(entry.target));
    }
  }

  /// False once the agent is gone.
  bool hear() {
    std::array<char, kLongestMessage> bytes;
    const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    std::istringstream in(std::string(bytes.data(), static_cast<std::size_t>(count)));
    std::string verb;
    in >> verb;
    if (verb == "inject") on_inject(in);
    std::uint64_t injection = 0;
    if (verb == "undo" && in >> injection) undo(injection);
    std::int64_t lease = 0;
    if (verb == "lease" && in >> lease) lease_ends_ = later(monotonic_ns(), lease);
    return true;
  }

  void on_inject(std::istringstream& in) {
    std::uint64_t injection = 0;
    unsigned kind = 0;
    std::int64_t lasts = 0, lease = 0;
    UndoEntry entry;
    in >> injection >> kind >> lasts >> lease >> std::ws;
    std::getline(in, entry.target);
    entry.kind = static_cast<InjectionKind>(kind);
    lease_ends_ = later(monotonic_ns(), lease);
    std::string why = journal_.begin(injection, entry);
    if (why.empty()) why = inject(entry);
    const std::int64_t now = monotonic_ns();
    due_[injection] = why.empty() ? later(now, lasts) : 0;
    say((why.empty() ? "injected " : "failed ") + std::to_string(injection) + " " + why);
  }

  /// Why not, or nothing.
  std::string inject(const UndoEntry& entry) const {
    const auto injector = injectors_.find(entry.kind);
    if (injector == injectors_.end()) return "the watchdog has no injector of that kind";
    std::string why = injector->second.inject(entry.target);
    if (why.empty() && !injector->second.observed(entry.target)) why = "the system does not show its effect";
    return why;
  }

  void say(const std::string& message) const {
    static_cast<void>(::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL));
  }

  Descriptor socket_;
  UndoJournal journal_;
  const HostInjectors& injectors_;
  const std::string tag_;                      // of the agent's ranks
  std::map<std::uint64_t, std::int64_t> due_;  // when each is undone: monotonic ns
  std::int64_t lease_ends_ = kForeverNs;
  std::int64_t retry_ = 0;
  std::map<std::uint64_t, std::string> said_;  // why each is not undone yet
};

int watch(Descriptor socket, const std::string& journal, const HostInjectors& injectors, Files& files,
          const std::string& tag) {
  ::prctl(PR_SET_NAME, "gauntlet-undo");
  // Nothing of the agent's is kept open, and only the end of the agent ends it.
  const int kept = ::fcntl(socket.get(), F_DUPFD, STDERR_FILENO + 1);
  ::close(socket.release());
  if (kept > STDERR_FILENO + 1)
    ::syscall(SYS_close_range, static_cast<unsigned>(STDERR_FILENO + 1), static_cast<unsigned>(kept - 1), 0U);
  ::syscall(SYS_close_range, static_cast<unsigned>(kept + 1), ~0U, 0U);
  ::fcntl(kept, F_SETFD, FD_CLOEXEC);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  try {
    // An earlier watchdog of this place is still undoing.
    const Descriptor lock = open_lock_file(journal + ".lock");
    if (!lock || !wait_for_lock(lock)) return 1;
    return WatchdogProcess(Descriptor(kept), journal, injectors, files, tag).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the watchdog ends: %s\n", error.what());
    return 1;
  }
}

}  // namespace

// --- the agent's side

Watchdog::Watchdog(std::string journal, InjectionSite site, const HostInjectors& injectors, Files& files)
    : journal_(std::move(journal)), site_(std::move(site)), injectors_(injectors), files_(files) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error("no socket for the watchdog: " + std::generic_category().message(errno));
  socket_ = Descriptor(ends[0]);
  Descriptor other(ends[1]);
  const std::string tag = rank_tag();
  pid_ = ::fork();
  if (pid_ == 0) {
    socket_.reset();
    ::_exit(watch(std::move(other), journal_, injectors_, files_, tag));
  }
  if (pid_ < 0)
    throw std::runtime_error("no process for the watchdog: " + std::generic_category().message(errno));
}

Watchdog::~Watchdog() {
  if (retry_) undo_left();
  socket_.reset();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Watchdog::send(const std::string& message) const {
  return socket_ && ::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL) ==
                        static_cast<ssize_t>(message.size());
}

/// False where none came in that time, or none will come.
bool Watchdog::receive(std::string& message, int wait_milliseconds) {
  if (!socket_) return false;
  pollfd polled{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&polled, 1, wait_milliseconds) <= 0) return false;
  std::array<char, kLongestMessage> bytes;
  const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  gone_ = gone_ || count == 0;
  if (count <= 0) return false;
  message.assign(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

/// "injected" and "failed" are answers that inject() waits for.
void Watchdog::hear(const std::string& message) {
  std::istringstream in(message);
  std::string verb;
  FaultEnd end;
  in >> verb >> end.injection >> std::ws;
  std::getline(in, end.why);
  if (verb == "undone") open_.erase(end.injection);
  if (verb == "undone" || verb == "stuck") ends_.push_back(end);
}

/// The watchdog was killed: what it has begun is undone here.
void Watchdog::note_lost() {
  for (std::string message; receive(message, 0);) hear(message);  // what it said before
  gone_ = false;
  if (socket_)
    remarks_.emplace_back(
        "its watchdog was killed: what that had begun is undone, nothing that needs it is injected here any "
        "more, and processes that ranks "
        "have started are not ended if this agent is killed too");
  socket_.reset();
  undo_left();
}

/// Until nothing is left and the ends are taken, the timer asks for it again.
void Watchdog::undo_left() {
  if (!retry_) {
    retry_ = Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    const itimerspec times = {.it_interval = {.tv_sec = 0, .tv_nsec = kRetryNs},
                              .it_value = {.tv_sec = 0, .tv_nsec = 1}};
    ::timerfd_settime(retry_.get(), 0, &times, nullptr);
  }
  std::uint64_t ticks = 0;
  static_cast<void>(::read(retry_.get(), &ticks, sizeof ticks));
  std::string unread;
  try {
    if (!left_) left_.emplace(journal_, files_);
    for (const auto& [injection, entry] : left_->open()) open_.insert(injection);
  } catch (const std::exception& error) {
    unread = error.what();
    if (unread_ != unread)
      std::fprintf(stderr, "what the watchdog has left is not undone yet: %s\n", unread.c_str());
    unread_ = unread;
  }
  for (const std::uint64_t each : std::exchange(open_, {})) {
    const std::string why = left_ ? left_->undo(each, injectors_) : unread;
    if (!why.empty()) open_.insert(each);
    if (why.empty() || std::exchange(said_[each], why) != why)
      ends_.push_back({.injection = each, .why = why});
  }
}

std::string Watchdog::inject(const DriverInject& what, const InjectionSubject& subject, Duration lease) {
  const auto injector = injectors_.find(what.kind);
  if (injector == injectors_.end()) return "this agent has no injector of that kind";
  std::string why;
  const std::string target = injector->second.target(site_, what, subject, why);
  if (!why.empty()) return why;
  const std::string number = std::to_string(what.injection);
  if (!send("inject " + number + " " + std::to_string(static_cast<unsigned>(what.kind)) + " " +
            std::to_string(what.lasts.count()) + " " + std::to_string(lease.count()) + " " + target))
    return "the watchdog of this host is gone";
  const std::int64_t until = monotonic_ns() + std::int64_t{kAnswersWithinMs} * 1'000'000;
  const auto left_ms = [until] {
    return static_cast<int>(std::max<std::int64_t>(until - monotonic_ns(), 0) / 1'000'000);
  };
  for (std::string message; receive(message, left_ms());) {
    hear(message);
    std::istringstream in(message);
    std::string verb, rest;
    std::uint64_t injection = 0;
    in >> verb >> injection >> std::ws;
    std::getline(in, rest);
    if (injection != what.injection) continue;
    if (verb == "injected") open_.insert(injection);
    if (verb == "injected" || verb == "failed") return rest;
  }
  undo(what.injection);
  return "the watchdog of this host does not answer";
}

void Watchdog::undo(std::uint64_t injection) {
  open_.insert(injection);
  if (!send("undo " + std::to_string(injection))) note_lost();
}

void Watchdog::renew(Duration lease) {
  if (socket_ && !send("lease " + std::to_string(lease.count()))) note_lost();
}

std::vector<FaultEnd> Watchdog::take_ends() {
  for (std::string message; receive(message, 0);) hear(message);
  if (gone_) {
    note_lost();
  } else if (retry_) {
    undo_left();
  }
  if (left_ && open_.empty()) retry_.reset();
  return std::exchange(ends_, {});
}

/// -1 is passed over.
void Watchdog::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({.fd = socket_.get(), .events = POLLIN, .revents = 0});
  polled.push_back({.fd = retry_.get(), .events = POLLIN, .revents = 0});
}

}  // namespace gauntlet
