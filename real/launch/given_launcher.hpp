// `--launch given`: agents that somebody else started and keeps running (`gauntlet agent --stay`), on the hosts of a host file. They
// listen on TCP with mutual TLS. The driver takes them for the drill, and leaves them to the next one.
#pragma once

#include "real/certs/peer_trust.hpp"
#include "real/launch/given_hosts.hpp"
#include "real/launch/launcher.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {

class GivenLauncher final : public Launcher {
 public:
  struct Wanted {
    HostFile file;
    std::shared_ptr<PeerTrust> trust;
    std::uint32_t hosts = 0;
    std::string name;                         // of the scenario
    const std::atomic<bool>* stop = nullptr;  // set once the driver is to stop
  };
  explicit GivenLauncher(Wanted wanted);

  /// Throws std::runtime_error too where a command of the host file has no program here.
  void prepare(const std::string& directory) override;
  void end(const std::string& directory) override { hosts_.end(directory); }
  /// Nothing is started: the agent runs, or whoever keeps it running starts it again. Whether it injects faults is its own option.
  std::unique_ptr<AgentHandle> start(const AgentName& agent, bool allow_injection,
                                     const std::atomic<bool>* stop) override;
  std::unique_ptr<AgentHandle> find(const AgentName& agent) override;
  void wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                   const std::atomic<bool>* stop) override;
  std::string last_words(const AgentName& agent) const override;
  AgentEndpoint endpoint(const AgentName& agent) const override;
  LinkListener listener(const AgentName& agent, const LinkListener& drivers) override;
  HostSupply& supply() override { return hosts_; }
  MeetingPlace meeting_place(const AgentName& agent) override;
  bool starts_agents() const override { return false; }
  std::vector<LaunchTable> plan() const override;

 private:
  class Handle;
  bool parted_within(std::uint32_t host, Duration patience, const std::atomic<bool>* stop);

  const Wanted wanted_;
  GivenHosts hosts_;
  std::uint16_t last_port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::uint32_t> attending_;  // hosts whose agents have a stream to this driver
};

}  // namespace gauntlet
