// `--launch lab`: each host of the drill is a part of this machine with a network, a clock and a share of the processors of its own
// (real/lab). Agents listen on their management interface with mutual TLS, and ranks use the data interfaces.
#pragma once

#include "models/world/world.hpp"
#include "real/certs/peer_trust.hpp"
#include "real/lab/cpu_quota.hpp"
#include "real/lab/keeper.hpp"
#include "real/lab/plan.hpp"
#include "real/launch/agents_here.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

class LabLauncher final : public AgentsHere {
 public:
  struct Setup {
    AgentCommand command;
    std::string certificates;  // an authority's directory; empty: one is made for the drill
    QuotaSystem quotas;
    unsigned cores = 1;
    const std::atomic<bool>* stop = nullptr;  // once set, the lab is not made
  };
  LabLauncher(const World& world, Setup setup) : world_(world), setup_(std::move(setup)) {}

  /// The driver is in the lab's network then. Throws Interrupted where it is asked to stop before.
  void prepare(const std::string& directory) override;
  void end(const std::string&) override { lab_.reset(); }
  std::unique_ptr<AgentHandle> start(const AgentName& agent, bool allow_injection,
                                     const std::atomic<bool>* stop) override;
  AgentEndpoint endpoint(const AgentName& agent) const override;
  bool hosts_share_machine() const override { return true; }
  HostSupply& supply() override { return supply_; }
  MeetingPlace meeting_place(const AgentName& agent) override;
  std::vector<LaunchTable> plan() const override;
  std::string shortfall() const override;

 private:
  std::string authority(const std::string& directory) const;
  void issue_certificates(const std::string& directory) const;

  const World& world_;
  const Setup setup_;
  HostSupply supply_;
  LabPlan plan_;
  std::shared_ptr<PeerTrust> trust_;
  std::uint16_t last_port_ = 0;
  std::unique_ptr<Lab> lab_;
};

/// Why no lab can be made here; nothing where it can.
std::optional<Problem> problem_of_lab(const World& world, QuotaSystem& quotas);

}  // namespace gauntlet
