// One driver and thousands of agents: what a drill of that size costs its driver. docs/performance.md has its figures.
//
//   make bench-agents
//   build/bench/agents_bench --agents 2000 --seconds 30
//
// The driver is the whole path of a drill (run_drill over MachinePlatform, gRPC and mutual TLS) on one core. Its agents are synthetic,
// in other processes on the other cores. Exits with 1 where a goal is missed: less than one core, and less than 256 KiB per agent.
#include "bench/agents/measured_platform.hpp"
#include "bench/agents/process_usage.hpp"
#include "bench/agents/synthetic_agents.hpp"
#include "bench/agents/synthetic_hosts.hpp"
#include "config/scenario.hpp"
#include "policies/controller/controller.hpp"
#include "real/certs/authority.hpp"
#include "real/driver/drill.hpp"
#include "real/driver/drill_place.hpp"
#include "real/launch/drill_certificates.hpp"
#include "real/launch/machine_platform.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <ctime>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

constexpr Duration kHeartbeatPeriod = std::chrono::seconds(10);
constexpr double kCoresWanted = 1;
constexpr double kKibibytesWanted = 256;
constexpr double kKibi = 1024;
constexpr std::uint32_t kRanksOfHost = 8;
constexpr std::uint32_t kDays = 1;

struct Options {
  std::uint32_t agents = 10'000;
  std::uint32_t processes = 4;  // each may open 20,000 files where the system's limit is not raised
  std::uint32_t seconds = 60;
  std::uint32_t lease = 40;  // seconds; renewed four times as often: as often as heartbeats come
};

double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

std::uint32_t number_of(const char* text) {
  std::uint32_t number = 0;
  const std::string_view all = text;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), number);
  if (error != std::errc{} || end != all.data() + all.size() || number == 0)
    throw std::runtime_error(fmt::format("{} is not a number from 1 on", all));
  return number;
}

Options options_of(std::span<char*> words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string_view name = words[i];
    std::uint32_t* into = name == "--agents"      ? &options.agents
                          : name == "--processes" ? &options.processes
                          : name == "--seconds"   ? &options.seconds
                          : name == "--lease"     ? &options.lease
                                                  : nullptr;
    if (into == nullptr || i + 1 == words.size())
      throw std::runtime_error(
          "usage: agents_bench [--agents N] [--processes N] [--seconds N] [--lease SECONDS]");
    *into = number_of(words[i + 1]);
  }
  return options;
}

void raise_limit_of_files() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

/// The driver's core is the first of those that this process may use. What is started before is on the others.
class Cores {
 public:
  Cores() { ::sched_getaffinity(0, sizeof all_, &all_); }
  void leave_first() const {
    cpu_set_t others = all_;
    CPU_CLR(first(), &others);
    if (CPU_COUNT(&others) == 0) throw std::runtime_error("the driver and its agents need two cores");
    ::sched_setaffinity(0, sizeof others, &others);
  }
  void take_first() const {
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(first(), &own);
    ::sched_setaffinity(0, sizeof own, &own);
  }

 private:
  int first() const {
    int core = 0;
    while (!CPU_ISSET(core, &all_)) ++core;
    return core;
  }
  cpu_set_t all_{};
};

class OwnDirectory {
 public:
  OwnDirectory() : name_(new_private_directory("gauntlet-bench-")) {}
  ~OwnDirectory() {
    std::error_code ignored;
    fs::remove_all(name_, ignored);
  }
  OwnDirectory(const OwnDirectory&) = delete;
  OwnDirectory& operator=(const OwnDirectory&) = delete;
  std::string file(const std::string& base) const { return name_ + "/" + base; }

 private:
  std::string name_;
};

void require(const std::optional<Problem>& problem) {
  if (problem) throw std::runtime_error(problem->text());
}

/// One certificate for each process of agents, and one for the driver.
void issue_certificates(const std::string& authority, std::uint32_t processes) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  require(make_authority(authority, "bench", 2 * kDays, now));
  CertificateAuthority signer;
  require(signer.open(authority));
  CertificateAuthority::Issued issued;
  require(signer.issue(
      {.role = PeerRole::driver, .host = std::string(kHostOfDrill), .days = kDays, .now = now}, issued));
  for (std::uint32_t process = 0; process < processes; ++process)
    require(signer.issue(
        {.role = PeerRole::agent, .host = host_of_process(process), .days = kDays, .now = now}, issued));
}

Scenario scenario_for(const Options& options) {
  const std::string ranks = std::to_string(options.agents * kRanksOfHost);
  const std::vector<std::string> sets = {
      fmt::format("cluster.hosts={}", options.agents), "job.global_batch=" + ranks, "job.layout.dp=" + ranks,
      fmt::format("drill.lease=\"{}s\"", options.lease),
      fmt::format("telemetry.heartbeat_period=\"{}s\"",
                  std::chrono::duration_cast<std::chrono::seconds>(kHeartbeatPeriod).count())};
  LoadedScenario loaded = load_scenario("bench/agents/agents.toml", sets);
  if (!loaded.scenario) throw std::runtime_error(loaded.problems.front().text());
  return std::move(*loaded.scenario);
}

std::uint64_t bytes_under(const std::string& path) {
  std::uint64_t bytes = 0;
  for (const auto& each : fs::recursive_directory_iterator(path)) {
    std::error_code gone;
    const std::uint64_t size = each.is_regular_file(gone) ? each.file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

struct Usage {
  Steady::time_point at = Steady::now();
  Duration cpu = cpu_time();
  std::uint64_t resident = resident_bytes();
};

/// Follows the drill by its status: waits until the job is up and a heartbeat of each agent has come, measures, and ends the drill.
class Measuring {
 public:
  Measuring(const Options& options, std::string record, Measurements& measurements)
      : options_(options), record_(std::move(record)), measurements_(measurements) {}

  void set_directory(const std::string& directory) { directory_ = directory; }
  const std::atomic<bool>& stop() const { return stop_; }

  void hear(const DrillStatus& status) {
    if (status.agents_awaited > 0) return;
    if (!attended_) attended_.emplace();
    if (!up_ && status.job == DrillStatus::Job::up) up_.emplace();
    if (!up_) return;
    const auto now = Steady::now();
    if (!begin_ && now - up_->at >= kHeartbeatPeriod) {
      measurements_.begin();
      bytes_ = {fs::file_size(record_), bytes_under(directory_)};
      begin_.emplace();
    }
    if (!begin_ || end_ || now - begin_->at < std::chrono::seconds(options_.seconds)) return;
    end_.emplace();
    lags_ = measurements_.lags();
    grown_ = {fs::file_size(record_) - bytes_.record, bytes_under(directory_) - bytes_.directory};
    incidents_ = status.incidents;
    stop_ = true;
  }

  /// Whether the goals are met.
  bool report() const {
    if (!end_ || lags_.empty()) throw std::runtime_error("the drill ended before it was measured");
    const double agents = options_.agents;
    const double wall = seconds_of(end_->at - begin_->at);
    const double cores = seconds_of(end_->cpu - begin_->cpu) / wall;
    const double kibibytes =
        (static_cast<double>(end_->resident) - static_cast<double>(start_.resident)) / kKibi / agents;
    const double handshakes = seconds_of(attended_->cpu - start_.cpu);
    const auto expected = agents * wall / seconds_of(kHeartbeatPeriod);
    const auto lag = [this](double quantile) {
      return 1e3 *
             seconds_of(lags_[static_cast<std::size_t>(quantile * static_cast<double>(lags_.size() - 1))]);
    };
    fmt::print("agents             {} in {} processes, a full heartbeat every {:.0f} s each\n",
               options_.agents, options_.processes, seconds_of(kHeartbeatPeriod));
    fmt::print("all attended to    after {:.1f} s, with {:.2f} ms of CPU time per agent\n",
               seconds_of(attended_->at - start_.at), 1e3 * handshakes / agents);
    fmt::print("job up             {:.1f} s later, {} ranks\n", seconds_of(up_->at - attended_->at),
               options_.agents * kRanksOfHost);
    fmt::print("measured for       {:.1f} s, leases of {} s\n", wall, options_.lease);
    fmt::print("CPU time           {:.3f} cores\n", cores);
    fmt::print(
        "memory             {:.1f} KiB per agent: {:.0f} MiB before the first agent, {:.0f} MiB at the end\n",
        kibibytes, static_cast<double>(start_.resident) / kKibi / kKibi,
        static_cast<double>(end_->resident) / kKibi / kKibi);
    fmt::print("heartbeats         {} of {:.0f}\n", lags_.size(), expected);
    fmt::print("their lag          median {:.2f} ms, 99% {:.2f} ms, 99.9% {:.2f} ms, longest {:.2f} ms\n",
               lag(0.5), lag(0.99), lag(0.999), lag(1));
    fmt::print("driver's thread    busy for at most {:.1f} ms at once\n",
               1e3 * seconds_of(measurements_.longest_busy()));
    fmt::print("record             grew by {} bytes, the drill's directory by {}\n", grown_.record,
               grown_.directory);
    constexpr double kWhole = 0.99;  // the last heartbeats may be on their way
    const bool met = cores < kCoresWanted && kibibytes < kKibibytesWanted && incidents_ == 0 &&
                     static_cast<double>(lags_.size()) >= kWhole * expected;
    fmt::print("goals              {}: under {:.0f} core, under {:.0f} KiB per agent, no heartbeat missing\n",
               met ? "met" : "MISSED", kCoresWanted, kKibibytesWanted);
    return met;
  }

 private:
  struct Bytes {
    std::uint64_t record = 0, directory = 0;
  };
  const Options options_;
  const std::string record_;
  Measurements& measurements_;
  std::string directory_;
  std::atomic<bool> stop_ = false;
  Usage start_;
  std::optional<Usage> attended_, up_, begin_, end_;
  std::vector<Duration> lags_;
  Bytes bytes_, grown_;
  std::uint32_t incidents_ = 0;
};

bool bench(const Options& options) {
  raise_limit_of_files();
  const Cores cores;
  const OwnDirectory own;
  const std::string authority = own.file("ca");
  issue_certificates(authority, options.processes);
  std::shared_ptr<PeerTrust> trust;
  require(load_driver_trust(authority, trust));
  cores.leave_first();
  auto hosts = std::make_unique<SyntheticHosts>(SyntheticHosts::Wanted{.authority = authority,
                                                                       .agents = options.agents,
                                                                       .processes = options.processes,
                                                                       .period = kHeartbeatPeriod},
                                                trust);
  cores.take_first();

  const Scenario scenario = scenario_for(options);
  MachinePlatform machine(std::move(hosts));
  Measurements measurements;
  MeasuredPlatform platform(machine, measurements);
  Controller controller(scenario.policies);
  DrillOptions drill;
  drill.record = own.file("drill.rec");
  drill.keep_unfinished = false;
  drill.platform = &platform;
  drill.header = {.version = "bench", .scenario = "", .seed = 1, .replica = 0};
  drill.keeps_log = true;
  Measuring measuring(options, drill.record, measurements);
  drill.stop = &measuring.stop();
  drill.on_status = [&](const DrillStatus& status) { measuring.hear(status); };
  drill.open_to_operators = [&](const std::string& directory, OperatorDesk&) {
    measuring.set_directory(directory);
    return std::shared_ptr<void>();
  };
  const DrillResult result = run_drill(scenario.world, controller, drill);
  if (!result.began) throw std::runtime_error("the drill did not begin");
  return measuring.report();
}

}  // namespace
}  // namespace gauntlet

int main(int count, char** words) {
  using namespace gauntlet;
  try {
    constexpr int kServeWords = 7;
    if (count == kServeWords && std::string_view(words[1]) == "--serve") {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      raise_limit_of_files();
      serve({.authority = words[2],
             .process = static_cast<std::uint32_t>(std::stoul(words[3])),
             .first = static_cast<std::uint32_t>(std::stoul(words[4])),
             .count = static_cast<std::uint32_t>(std::stoul(words[5])),
             .period = Duration(std::stoll(words[6]))});
    }
    return bench(options_of({words + 1, words + count})) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "agents_bench: {}\n", error.what());
    return 2;
  }
}
