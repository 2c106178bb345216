// The process that holds a lab: its namespaces last as long as this process or one in them. It removes the lab when the driver asks
// for it, and when the driver is dead, no agent lives and no other driver came.
#pragma once

#include "real/lab/cpu_quota.hpp"
#include "real/lab/namespaces.hpp"
#include "real/lab/plan.hpp"
#include "real/system/descriptor.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace gauntlet {

/// What a process enters to be on a host of the lab.
struct HostEntrance {
  Descriptor network, time;
  Descriptor group;  // "0" written there moves the writer into the host's control group
};

/// A lab as its driver has it.
class Lab {
 public:
  /// The lab of the drill in this directory: that of an earlier driver, or a new one. The calling thread is in the
  /// lab's network then, and so are the threads and processes that it starts; other threads, as the one that serves metrics, stay
  /// where they are. Throws std::runtime_error, also soon after `stop` is set. Then nothing is left of a new lab.
  Lab(const LabPlan& plan, const QuotaSystem& quotas, const std::string& directory,
      const std::atomic<bool>* stop);
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  const HostEntrance& entrance(std::uint32_t host) const { return hosts_.at(host); }

 private:
  void take_turn();
  void start_keeper(const LabPlan& plan, const QuotaSystem& quotas);
  void read_entrances(const LabPlan& plan, const QuotaSystem& quotas);

  bool stopped() const { return stop_ != nullptr && *stop_; }
  std::string keepers_report(const Descriptor& report) const;
  void end_keeper();

  QuotaSystem quotas_;
  std::string group_;  // of all its control groups
  std::string directory_;
  const std::atomic<bool>* stop_;
  Descriptor turn_;    // the lock of the driver
  Descriptor keeper_;  // a pidfd
  pid_t keeper_pid_ = -1;
  bool child_ = false;
  std::vector<HostEntrance> hosts_;
};

/// The folder with the certificates that were made for a lab's drill; its keeper removes it.
std::string lab_authority(const std::string& directory);

}  // namespace gauntlet
