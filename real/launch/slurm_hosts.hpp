// The hosts of a drill under Slurm: on which node each of them is, and what becomes of a node that is evicted.
//
// An evicted host's node is drained, and a one-node job is submitted for a replacement. The host comes back on the replacement
// once that runs. If no node is free for a replacement, the host comes back on its own node, which is resumed when it is
// readmitted. Commands are tasks (host_tasks.hpp). The next driver runs those again whose end no driver saw: a second one changes nothing,
// and a job that was submitted is found by its name.
#pragma once

#include "real/driver/platform.hpp"
#include "real/launch/host_tasks.hpp"
#include "real/launch/slurm.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

class SlurmHosts final : public HostSupply, private HostTaskOwner {
 public:
  /// Host h is on the h-th node of the allocation at first. `reason` is written to a node that is drained. Once `stop` is set, the
  /// driver is to stop.
  SlurmHosts(Slurm slurm, std::uint32_t hosts, std::string reason, const std::atomic<bool>* stop = nullptr,
             Files& files = system_files());

  /// Reads where hosts are, if an earlier driver of the drill wrote it there, and begins to run commands. Throws std::runtime_error.
  void begin(const std::string& directory);
  /// Runs what commands are left, and ends the jobs of the replacements, also those of an earlier driver. Drained nodes stay drained.
  void end(const std::string& directory);

  SlurmNode node_of(std::uint32_t host) const;
  const Slurm& slurm() const { return slurm_; }

  void evicted(const AgentName& agent) override;
  bool is_back(const AgentName& agent) override;
  void readmitted(const AgentName& agent) override;
  void leave() override { tasks_.leave(); }
  std::vector<std::string> remarks() const override { return tasks_.remarks(); }
  std::vector<std::string> take_new_remarks() override { return tasks_.take_new_remarks(); }

 private:
  enum class Replacement : std::uint8_t { none, wanted, pending, running, unavailable };
  struct Host {
    SlurmNode node;
    bool drained = false;  // the node, by this drill; until it has been resumed
    Replacement replacement = Replacement::none;
    SlurmNode replaced_by{};  // its job from `pending` on, its node where it runs
    std::chrono::steady_clock::time_point wanted_at{};
    std::chrono::steady_clock::time_point tried_again_at{};  // its agent, at the earliest
    Duration pause = Duration::zero();                       // before that
  };
  enum Deed : unsigned { drain_node, replace_node, resume_node, cancel_job };

  bool run(const HostTask& task) override;
  void look() override;
  void add_last_tasks() override;
  bool only_during_drill(const HostTask& task) const override { return task.deed == replace_node; }
  std::string name_of(const HostTask& task) const override;
  void write(std::ostream& out) const override;
  void read(const std::string& first, std::istream& line) override;

  bool drain(const HostTask& task);
  bool replace(const HostTask& task);
  bool resume(const HostTask& task);
  bool cancel(const HostTask& task);
  std::optional<std::string> submitted_before(const std::string& name, std::string& why) const;
  void note(const HostTask& task, bool drained);
  void take_no_replacement(std::uint32_t number, Host& host);
  bool may_try(std::uint32_t number, Host& host);

  Slurm slurm_;
  const std::string reason_;
  std::string directory_;
  std::vector<Host> hosts_;
  std::vector<std::string> jobs_;  // of replacements, until they are cancelled
  HostTasks tasks_;                // the last member: its thread uses the others
};

}  // namespace gauntlet
