#include "real/driver/local_platform.hpp"

#include "real/agent/agent.hpp"
#include "real/agent/grpc_link.hpp"
#include "real/agent/place.hpp"
#include "real/driver/agent_process.hpp"
#include "real/driver/free_port.hpp"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::string_view kHostOfDrill = "localhost";

constexpr Duration kShortestPeriod = std::chrono::milliseconds(1);

class LocalAlarm final : public Alarm {
 public:
  void sleep(Duration at_most) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [this] { return woken_; });
    woken_ = false;
  }
  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

class LocalRepeater final : public Repeater {
 public:
  LocalRepeater(Duration period, std::function<void()> body)
      : period_(std::max(period, kShortestPeriod)), body_(std::move(body)), thread_([this] { repeat(); }) {}
  ~LocalRepeater() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  void repeat() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      lock.unlock();
      body_();
      lock.lock();
      changed_.wait_for(lock, period_, [this] { return over_; });
    }
  }

  const Duration period_;
  const std::function<void()> body_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

class LocalAgent final : public AgentHandle {
 public:
  explicit LocalAgent(AgentProcess process) : process_(std::move(process)) {}

  bool exits_within(Duration patience) override { return process_.exits_within(patience); }
  bool wait_or_end(Duration patience, const std::atomic<bool>* stop) override {
    return process_.wait_or_end(patience, stop);
  }
  void kill() override { process_.kill(); }
  void let_go() override { process_.let_go(); }
  AgentProcess& process() { return process_; }

 private:
  AgentProcess process_;
};

std::string log_of(const AgentName& agent) {
  return agent.directory + "/agent-" + std::to_string(agent.host) + ".log";
}

}  // namespace

// --- the clock

std::unique_ptr<Alarm> LocalClock::alarm() { return std::make_unique<LocalAlarm>(); }

std::unique_ptr<Repeater> LocalClock::repeat(Duration period, std::function<void()> body) {
  return std::make_unique<LocalRepeater>(period, std::move(body));
}

// --- messages

std::optional<Problem> load_drill_certificates(const std::string& authority, DrillCertificates& out) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const auto load = [&](PeerRole role, HostCertificates& into) {
    const std::string name = std::string(name_of(role)) + "-" + std::string(kHostOfDrill);
    auto problem = load_host_certificates(authority + "/" + name, role, now, into);
    if (problem)
      problem->suggestion = "issue it: gauntlet certs issue " + authority + " --role " +
                            std::string(name_of(role)) + " --host " + std::string(kHostOfDrill);
    return problem;
  };
  HostCertificates driver, agent;
  if (auto problem = load(PeerRole::driver, driver)) return problem;
  if (auto problem = load(PeerRole::agent, agent)) return problem;
  out.agent_directory = authority + "/agent-" + std::string(kHostOfDrill);
  out.trust = std::make_shared<PeerTrust>(std::move(driver), [](const std::string& line) {
    std::fprintf(stderr, "gauntlet: %s\n", line.c_str());
  });
  return std::nullopt;
}

std::string LocalTransport::place_of(const AgentName& agent) const {
  return trust_ ? agent_address_file(agent.directory, agent.host) : agent_socket(agent.directory, agent.host);
}

std::unique_ptr<AgentLink> LocalTransport::link(const AgentName& agent, const DriverHello& hello,
                                                const LinkListener& listener) {
  return std::make_unique<GrpcLink>(AgentEndpoint{.path = place_of(agent), .trust = trust_}, hello, listener);
}

bool LocalTransport::listens(const AgentName& agent) const {
  return access(place_of(agent).c_str(), F_OK) == 0;
}

// --- processes

std::unique_ptr<AgentHandle> LocalProcesses::start(const AgentName& agent, bool allow_injection,
                                                   const std::atomic<bool>* stop) {
  std::vector<std::string> arguments = {
      gauntlet_,     "agent",         "--host",    std::to_string(agent.host),
      "--directory", agent.directory, "--trainer", trainer_};
  if (!certificates_.empty())
    arguments.insert(arguments.end(),
                     {"--listen", std::string(kHostOfDrill) + ":0", "--certs", certificates_});
  if (allow_injection) arguments.emplace_back("--allow-injection");
  AgentProcess(agent_process(agent.directory, agent.host)).wait_or_end(Duration::zero(), stop);
  return std::make_unique<LocalAgent>(AgentProcess(arguments, log_of(agent)));
}

std::unique_ptr<AgentHandle> LocalProcesses::find(const AgentName& agent) {
  AgentProcess process(agent_process(agent.directory, agent.host));
  return process.running() ? std::make_unique<LocalAgent>(std::move(process)) : nullptr;
}

void LocalProcesses::wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                                 const std::atomic<bool>* stop) {
  std::vector<AgentProcess*> processes;
  for (AgentHandle* each : all) processes.push_back(&static_cast<LocalAgent*>(each)->process());
  AgentProcess::wait_or_end(processes, patience, stop);
}

std::string LocalProcesses::last_words(const AgentName& agent) const {
  std::ifstream log(log_of(agent));
  std::string line, last;
  while (std::getline(log, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

MeetingPlace LocalPlatform::meeting_place(const AgentName&) {
  last_port_ = free_port(last_port_);
  return {.address = "127.0.0.1", .port = last_port_};
}

void LocalPlatform::say(const std::string& line) { std::fprintf(stderr, "gauntlet: %s\n", line.c_str()); }

}  // namespace gauntlet
