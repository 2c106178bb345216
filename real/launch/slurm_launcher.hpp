// `--launch slurm`: inside an allocation, the agent of each host is a step on a node of it. Agents listen on the network of
// the nodes, with certificates of an authority of this drill or of a lab.
#pragma once

#include "real/launch/agents_here.hpp"
#include "real/launch/drill_certificates.hpp"
#include "real/launch/slurm_hosts.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace gauntlet {

class SlurmLauncher final : public AgentsHere {
 public:
  struct Wanted {
    AgentCommand command;
    std::string authority;  // its directory; empty: one of this drill is made
    std::uint32_t hosts = 0;
    bool own_job = false;                     // of the user; else the trainer
    std::string name;                         // of the scenario
    const std::atomic<bool>* stop = nullptr;  // set once the driver is to stop
  };
  SlurmLauncher(Slurm slurm, Wanted wanted);

  void prepare(const std::string& directory) override;
  void end(const std::string& directory) override { hosts_.end(directory); }
  std::unique_ptr<AgentHandle> start(const AgentName& agent, bool allow_injection,
                                     const std::atomic<bool>* stop) override;
  /// The step's srun, which an earlier driver on this machine started.
  std::unique_ptr<AgentHandle> find(const AgentName& agent) override;
  AgentEndpoint endpoint(const AgentName& agent) const override;
  HostSupply& supply() override { return hosts_; }
  MeetingPlace meeting_place(const AgentName& agent) override;
  std::vector<LaunchTable> plan() const override;

 private:
  std::string certificates_of(const std::string& node);
  void issue(PeerRole role, const std::string& host) const;
  std::string address_of(const std::string& node);

  const Wanted wanted_;
  SlurmHosts hosts_;
  std::string authority_;
  std::shared_ptr<PeerTrust> trust_;
  std::set<std::uint32_t> started_;               // hosts that may have an older step
  std::map<std::string, std::string> addresses_;  // of nodes
  std::uint16_t last_port_ = 0;
};

}  // namespace gauntlet
