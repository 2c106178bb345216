// The driver's cluster over agents of a test's own: two hosts with a rank each.
#pragma once

#include "real/agent/place.hpp"
#include "real/driver/real_cluster.hpp"
#include "real/launch/agent_process.hpp"
#include "tests/real/agent_harness.hpp"
#include "tests/real/local_platform.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace gauntlet {

struct RealClusters : testing::Test {
  RealClusters() {
    using namespace std::chrono_literals;
    world.inventory.job_hosts = 2;
    world.inventory.gpus_per_host = 1;
    world.job.layout = {.tp = 1, .pp = 2, .dp = 1};
    world.job.step_time = 1s;
    world.repair.time = Law::constant(3600);
    world.telemetry.heartbeat_period = 20ms;
    world.drill.lease = 10min;
  }

  virtual DrillSetup setup(std::uint64_t epoch) const {
    DrillSetup setup;
    setup.directory = directory.name();
    setup.started_ns = started_ns;
    setup.epoch = epoch;
    setup.seed = {.study = 1, .replica = 0};
    return setup;
  }
  /// How an agent is started that no driver starts.
  std::vector<std::string> agent_command(std::uint32_t host, bool allow_injection = false) const {
    std::vector<std::string> arguments = agent_arguments(
        {.gauntlet = std::getenv("GAUNTLET"), .trainer = trainer.program(), .run_as = own_user()},
        {directory.name(), host}, allow_injection);
    arguments.emplace_back(kSharesMachine);
    return arguments;
  }
  std::string socket(std::uint32_t host) const {
    return directory.file("agent-" + std::to_string(host) + ".sock");
  }
  /// The next observation of this kind.
  template <class Kind>
  static Kind await(RealCluster& cluster) {
    while (true) {
      const std::optional<Observed> seen = cluster.next(Time(Duration(kPatience)));
      if (!seen) throw std::runtime_error("what was awaited was not observed");
      if (const auto* found = std::get_if<Kind>(&seen->what)) return *found;
    }
  }

  /// Silent from now on, and there: SIGSTOP. Its process, to see it end.
  Descriptor stop_agent_of(std::uint32_t host) const {
    Descriptor agent = agent_process(directory.name(), host);
    EXPECT_EQ(syscall(SYS_pidfd_send_signal, agent.get(), SIGSTOP, nullptr, 0), 0);
    return agent;
  }
  static bool has_ended(const Descriptor& process) {
    pollfd polled{.fd = process.get(), .events = POLLIN, .revents = 0};
    return poll(&polled, 1, 0) > 0;
  }

  const std::int64_t started_ns = monotonic_ns();  // names the drill
  OwnDirectory directory;
  PuppetTrainer trainer{directory, 2};
  LocalPlatform platform{std::getenv("GAUNTLET"), trainer.program()};
  World world;
};

}  // namespace gauntlet
