// The hosts of a drill under Slurm: on which node each of them is, and what becomes of a node that is evicted.
//
// An evicted host's node is drained, and a one-node job is submitted for a replacement. The host comes back on the replacement
// once that runs. If no node is free for a replacement, the host comes back on its own node, which is resumed when it is
// readmitted. Commands run on a thread of their own, in order: the driver waits for none of them. Where hosts are and which jobs were
// submitted is in a file of the drill's directory, for a driver that takes over.
#pragma once

#include "real/driver/platform.hpp"
#include "real/launch/slurm.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {

class SlurmHosts final : public HostSupply {
 public:
  /// Host h is on the h-th node of the allocation at first. `reason` is written to a node that is drained; `say` is told what
  /// people should know, on any thread.
  SlurmHosts(Slurm slurm, std::uint32_t hosts, std::string reason,
             std::function<void(const std::string&)> say);
  /// Jobs of replacements stay: the drill may be continued.
  ~SlurmHosts() override { stop_working(); }

  /// Reads where hosts are, if an earlier driver of the drill wrote it there, and begins to run commands.
  void begin(const std::string& directory);
  /// Runs what commands are left, and ends the jobs of the replacements, also those of an earlier driver. Drained nodes stay drained.
  void end(const std::string& directory);

  SlurmNode node_of(std::uint32_t host) const;
  const Slurm& slurm() const { return slurm_; }

  void evicted(const AgentName& agent) override;
  bool is_back(const AgentName& agent) override;
  void readmitted(const AgentName& agent) override;
  /// What became of evicted nodes, a sentence each.
  std::vector<std::string> remarks() const override;

 private:
  enum class Replacement : std::uint8_t { none, wanted, pending, running, unavailable };
  struct Host {
    SlurmNode node;
    bool drained = false;  // the node, by this drill
    Replacement replacement = Replacement::none;
    SlurmNode replaced_by{};  // its job from `pending` on, its node where it runs
    std::chrono::steady_clock::time_point wanted_at{};
  };

  void stop_working();
  void work();
  void ask_for_replacement(std::uint32_t host, const SlurmNode& node);
  void drain(std::uint32_t host, const SlurmNode& node);
  void replace(std::uint32_t host);
  void look_at_replacements();
  void remark(const std::string& line);
  void restore(const std::string& directory);
  void save() const;

  const Slurm slurm_;
  const std::string reason_;
  const std::function<void(const std::string&)> say_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string directory_;
  std::vector<Host> hosts_;
  std::vector<std::string> jobs_;  // of replacements, to be cancelled at the end
  bool restored_ = false;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::string> remarks_;
  bool over_ = false;
  std::thread worker_;
};

}  // namespace gauntlet
