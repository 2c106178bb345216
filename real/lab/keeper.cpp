#include "real/lab/keeper.hpp"

#include "core/files/durable.hpp"
#include "real/agent/place.hpp"
#include "real/system/file_lock.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

constexpr int kLookMilliseconds = 250;
constexpr int kLooksWithoutDriver =
    8;  // in a row, without an agent: a driver that starts has its lock before its agents
constexpr Duration kEndsWithin = std::chrono::seconds(10);
constexpr Duration kLook = std::chrono::milliseconds(100);  // how soon a request to stop is noticed
// Of all commands of `ip`. The eight hosts of a lab take them a fraction of a second, and each host takes the same.
constexpr Duration kMadeWithin = std::chrono::minutes(2);

/// Set by the signals that end a keeper.
std::atomic<bool> keeper_ends{false};
static_assert(std::atomic<bool>::is_always_lock_free);

std::string keeper_lock(const std::string& directory) { return directory + "/lab-keeper.lock"; }
std::string driver_lock(const std::string& directory) { return directory + "/lab-driver.lock"; }
std::string lab_file(const std::string& directory) { return directory + "/lab"; }

Descriptor lock_file(const std::string& path) {
  Descriptor file = open_lock_file(path);
  if (!file) throw std::runtime_error(path + ": " + std::generic_category().message(errno));
  return file;
}

bool agents_live(const std::string& directory, std::size_t hosts) {
  for (std::size_t h = 0; h < hosts; ++h)
    if (agent_process(directory, static_cast<std::uint32_t>(h))) return true;
  return false;
}

// --- the keeper's side

/// Standard streams of its own, and nothing else of the driver's but `report`.
void leave_driver(const std::string& directory, int& report) {
  ::setsid();
  ::prctl(PR_SET_NAME, "gauntlet-lab");
  constexpr int kReport = 3;
  if (report != kReport) ::dup2(report, kReport);
  report = kReport;
  ::syscall(SYS_close_range, static_cast<unsigned>(kReport + 1), ~0U, 0U);
  const int null = ::open("/dev/null", O_RDONLY);
  const int log = ::open((directory + "/lab.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(null, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::close(null);
  ::close(log);
  ::fcntl(kReport, F_SETFD, FD_CLOEXEC);
}

/// Waits until the lab is to be removed. Holds the driver's lock then, or was told by the driver.
void await_end(const std::string& directory, std::size_t hosts, Descriptor& driver) {
  for (int alone = 0; alone < kLooksWithoutDriver;) {
    ::poll(nullptr, 0, kLookMilliseconds);
    if (keeper_ends) return;
    alone = holder_of(driver) || agents_live(directory, hosts) ? 0 : alone + 1;
    if (alone == kLooksWithoutDriver && !take_lock(driver)) alone = 0;
  }
}

void write_lab_file(const std::string& directory, const LabNamespaces& made) {
  std::string text = std::to_string(made.bridges.get()) + "\n";
  for (const HostNamespaces& host : made.hosts)
    text += std::to_string(host.network.get()) + " " + std::to_string(host.time.get()) + "\n";
  const std::string path = lab_file(directory);
  if (replace_file(system_files(), {.path = path, .temporary = path + ".new", .mode = 0600}, text))
    throw std::runtime_error(path + ": cannot be written");
}

void say(int report, const std::string& text) {
  static_cast<void>(::write(report, text.data(), text.size()));
}

/// Signals of its own, whatever the driver had.
void take_ends() {
  struct sigaction ends{};
  ends.sa_handler = [](int) { keeper_ends = true; };
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaction(signal, &ends, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Its control groups, with their processes, and its files. Namespaces end with their last process.
void remove_lab(const QuotaSystem& quotas, const std::string& group, const std::string& directory) {
  for (const std::string& left : remove_groups(quotas, group))
    std::fprintf(stderr, "this control group of the lab cannot be removed, with its processes: %s\n",
                 left.c_str());
  std::error_code ignored;
  std::filesystem::remove_all(lab_authority(directory), ignored);
  std::filesystem::remove(lab_file(directory), ignored);
}

int keep(const LabPlan& plan, const QuotaSystem& quotas, const std::string& directory, int report) {
  leave_driver(directory, report);
  take_ends();
  // Held until the lab is gone. The keeper's is released first: a driver that gets the other then looks for a keeper.
  Descriptor driver, lock;
  int exit_code = 0;
  try {
    driver = lock_file(driver_lock(directory));
    lock = lock_file(keeper_lock(directory));
  } catch (const std::exception& error) {
    say(report, error.what());
    return 1;
  }
  if (!take_lock(lock)) {  // another's lab is not removed
    say(report, "the lab has a keeper already");
    return 1;
  }
  try {
    remove_dead_groups(quotas);
    make_groups(quotas, plan);
    const LabNamespaces made = make_namespaces(plan, kMadeWithin, keeper_ends);
    write_lab_file(directory, made);
    say(report, "ready");
    ::close(report);
    await_end(directory, plan.hosts.size(), driver);
  } catch (const std::exception& error) {
    say(report, error.what());
    exit_code = 1;
  }
  leave_groups(quotas);
  remove_lab(quotas, plan.cgroup, directory);
  return exit_code;
}

}  // namespace

std::string lab_authority(const std::string& directory) { return directory + "/lab-ca"; }

// --- the driver's side

Lab::Lab(const LabPlan& plan, const QuotaSystem& quotas, const std::string& directory,
         const std::atomic<bool>* stop)
    : quotas_(quotas), group_(plan.cgroup), directory_(directory), stop_(stop) {
  take_turn();
  const Descriptor lock = lock_file(keeper_lock(directory));
  LockHolder keeper = process_with(lock);
  if (keeper.process) {
    keeper_pid_ = keeper.pid;
    keeper_ = std::move(keeper.process);
  } else {
    start_keeper(plan, quotas);
  }
  read_entrances(plan, quotas);
}

/// Waits for an earlier driver that ends, or an earlier keeper that is removing the lab.
void Lab::take_turn() {
  turn_ = lock_file(driver_lock(directory_));
  const auto until = std::chrono::steady_clock::now() + kMadeWithin + kEndsWithin;
  while (!take_lock(turn_)) {
    if (stopped() || std::chrono::steady_clock::now() >= until)
      throw std::runtime_error(driver_lock(directory_) +
                               ": another driver or the keeper of its lab holds it; wait for its end");
    ::poll(nullptr, 0, static_cast<int>(kLook / std::chrono::milliseconds(1)));
  }
}

void Lab::start_keeper(const LabPlan& plan, const QuotaSystem& quotas) {
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the keeper of the lab");
  const Descriptor read_end(report[0]);
  Descriptor write_end(report[1]);
  keeper_pid_ = ::fork();
  if (keeper_pid_ == 0) ::_exit(keep(plan, quotas, directory_, write_end.get()));
  if (keeper_pid_ < 0) throw std::runtime_error("no process for the keeper of the lab");
  child_ = true;
  keeper_ = pidfd_of(keeper_pid_);
  write_end.reset();
  const std::string said = keepers_report(read_end);
  if (said == "ready") return;
  end_keeper();
  throw std::runtime_error(said.empty() ? "the keeper of the lab ended" : said);
}

/// All that the new keeper says before it has made the lab, or why it has not.
std::string Lab::keepers_report(const Descriptor& report) const {
  const auto until = std::chrono::steady_clock::now() + kMadeWithin + kEndsWithin;
  std::string said;
  std::array<char, 4096> bytes;
  while (true) {
    if (stopped()) return "asked to stop while the lab was made";
    if (std::chrono::steady_clock::now() >= until) return "the keeper of the lab does not answer";
    pollfd polled{.fd = report.get(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, static_cast<int>(kLook / std::chrono::milliseconds(1))) <= 0) continue;
    const ssize_t count = ::read(report.get(), bytes.data(), bytes.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return said;
    if (count > 0) said.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

/// It removes what it has made of the lab. One that does not end is killed: the next lab removes its control groups.
void Lab::end_keeper() {
  const Descriptor keeper = std::move(keeper_);
  ::syscall(SYS_pidfd_send_signal, keeper.get(), SIGTERM, nullptr, 0);
  pollfd polled{.fd = keeper.get(), .events = POLLIN, .revents = 0};
  const auto wait = [&polled] {
    return ::poll(&polled, 1, static_cast<int>(kEndsWithin / std::chrono::milliseconds(1))) > 0;
  };
  if (!wait()) {
    ::syscall(SYS_pidfd_send_signal, keeper.get(), SIGKILL, nullptr, 0);
    wait();
  }
  if (child_) ::waitpid(keeper_pid_, nullptr, WNOHANG);
}

void Lab::read_entrances(const LabPlan& plan, const QuotaSystem& quotas) {
  const auto open = [&](const std::string& path, int flags) {
    Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
    if (!file) throw std::runtime_error(path + ": " + std::generic_category().message(errno));
    return file;
  };
  const std::string held = "/proc/" + std::to_string(keeper_pid_) + "/fd/";
  std::ifstream file(lab_file(directory_));
  std::string bridges, network, time;
  file >> bridges;
  for (const LabHost& host : plan.hosts) {
    if (!(file >> network >> time)) throw std::runtime_error(lab_file(directory_) + ": is not whole");
    hosts_.push_back({.network = open(held + network, O_RDONLY),
                      .time = open(held + time, O_RDONLY),
                      .group = open(entrance_of_group(quotas, plan, host.number), O_WRONLY)});
  }
  enter_network(open(held + bridges, O_RDONLY));
}

/// The lab stays for a later driver where agents live. What a keeper that was killed has left is removed here.
Lab::~Lab() {
  if (!keeper_ || agents_live(directory_, hosts_.size())) return;
  hosts_.clear();
  end_keeper();
  remove_lab(quotas_, group_, directory_);
}

}  // namespace gauntlet
