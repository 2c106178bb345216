// The machine of an agent, from /proc and /sys, and by the driver of its GPUs.
#pragma once

#include "real/signals/gpu_watch.hpp"
#include "real/signals/host_sensor.hpp"
#include "real/system/descriptor.hpp"
#include "real/system/kept_file.hpp"

#include <poll.h>

#include <memory>
#include <string>
#include <vector>

namespace gauntlet {

struct MachineSources {
  std::string root = "";    // of proc/ and sys/; tests have their own
  std::string directory{};  // whose disk is looked at
  HostIdentity identity{};
  /// The interfaces that are this host's alone and carry the traffic of its ranks. Empty: none are.
  std::vector<std::string> interfaces{};
  std::vector<std::string> links{};  // that its ranks need: of a host of a lab
  bool rdma = true;                  // its RDMA ports are too, and are read in place of the interfaces
  /// Its kernel's log is that of this host alone: /dev/kmsg; empty: not read.
  std::string kernel_log{};
  std::string nvml{};  // the library that its GPUs are looked at by; empty: they are not
};

class MachineSensor final : public HostSensor {
 public:
  explicit MachineSensor(MachineSources sources);

  HostReport report() override;
  std::optional<std::uint64_t> bytes_sent() override;
  bool links_up() const override;
  std::vector<std::string> logged_lines() override;
  /// Adds what to wait for.
  void add_to(std::vector<pollfd>& polled) const;

 private:
  MachineSources sources_;
  HostHardware hardware_;
  std::vector<KeptFile> rdma_counters_;
  KeptFile interfaces_;  // of /proc, with the counters of each
  Descriptor kernel_log_;
  std::unique_ptr<GpuWatch> gpus_;
};

HostHardware read_hardware(const std::string& root);
/// Of the network namespace of this process.
std::vector<NicCounters> read_nics(const std::string& root);
/// State, CPU time and memory; false where there is no such process.
bool read_process(const std::string& root, RankVitals& into);
/// The files that count what its RDMA ports send, in units of four bytes.
std::vector<std::string> find_rdma_counters(const std::string& root);
/// The text of a record of /dev/kmsg, `priority,number,time,flags;text`. Empty where it is none.
std::string text_of_kernel_record(std::string_view record);
/// The interfaces of this machine but for the loopback, in their order.
std::vector<std::string> own_interfaces(const std::string& root);

}  // namespace gauntlet
