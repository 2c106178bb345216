// Hosts with synthetic agents, in processes of their own on the cores that the driver leaves, and the launcher that knows them.
#pragma once

#include "real/launch/launcher.hpp"

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gauntlet {

class SyntheticHosts final : public Launcher {
 public:
  struct Wanted {
    std::string authority;  // as SyntheticAgents has it
    std::uint32_t agents = 0;
    std::uint32_t processes = 0;
    Duration period{};
  };
  /// Starts the processes: this program with `--serve`. Throws std::runtime_error.
  SyntheticHosts(const Wanted& wanted, std::shared_ptr<PeerTrust> trust);
  ~SyntheticHosts() override;
  SyntheticHosts(const SyntheticHosts&) = delete;
  SyntheticHosts& operator=(const SyntheticHosts&) = delete;

  std::unique_ptr<AgentHandle> start(const AgentName&, bool, const std::atomic<bool>*) override;
  std::unique_ptr<AgentHandle> find(const AgentName&) override;
  void wait_or_end(std::span<AgentHandle* const>, Duration, const std::atomic<bool>*) override {}
  std::string last_words(const AgentName&) const override { return ""; }
  AgentEndpoint endpoint(const AgentName& agent) const override;
  HostSupply& supply() override { return supply_; }
  MeetingPlace meeting_place(const AgentName&) override { return {.address = "127.0.0.1", .port = 1}; }

 private:
  void spawn(const Wanted& wanted, std::uint32_t first);
  void end_processes();

  const std::uint32_t share_;  // agents of a process; the last may have fewer
  std::shared_ptr<PeerTrust> trust_;
  HostSupply supply_;
  std::vector<pid_t> processes_;
  std::vector<int> pipes_;              // from the processes, in their order
  std::vector<std::string> addresses_;  // by host
};

}  // namespace gauntlet
