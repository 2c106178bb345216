// The GPUs of a machine, looked at once a second through their driver: how warm and busy each is, and what went wrong with one since the look
// before, as lines that filters find like those of the kernel's log.
//
// A thread of its own looks: the driver of a GPU that fails may take minutes for an answer, and the agent must not.
#pragma once

#include "core/time.hpp"
#include "real/nvml/gpu.hpp"
#include "real/stream/messages.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {

/// What can go wrong with a GPU, at one look. Nothing where its driver does not say it.
struct GpuCondition {
  std::string name = {};     // "GPU 1"
  std::string address = {};  // "PCI:0000:3b:00"
  bool lost = false;
  bool told_off_the_bus = false;   // by an XID, since it last came back
  std::uint32_t silent_looks = 0;  // in a row, at which it answered nothing
  std::string why_silent = {};
  std::optional<std::uint64_t> uncorrected_errors = {}, pcie_replays = {}, link_errors = {};
  std::optional<nvml::RowRemaps> remaps = {};
  std::optional<std::uint64_t> slowdown = {};  // reasons
  std::optional<std::uint32_t> lanes = {};
  std::optional<std::vector<std::uint32_t>> inactive_links = {};
};

/// A line for each thing that became worse.
std::vector<std::string> worse(const GpuCondition& before, const GpuCondition& now);

struct GpuWatchSetup {
  std::string library;  // NVIDIA's management library, as dlopen(3) takes it
  bool xids = true;     // lines of XIDs, in the kernel's words: nobody reads them in its log
  Duration period = std::chrono::seconds(1);
  Duration patience =
      std::chrono::seconds(30);  // with a look; then a line says that the driver does not answer
};

class GpuWatch {
 public:
  explicit GpuWatch(const GpuWatchSetup& setup);
  /// Waits half a second at most for a call of the driver.
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  /// The lines since the last call. The first look has nothing to compare with: it gives only XIDs.
  std::vector<std::string> take_lines();
  /// As the last look found them. None before it, and where the machine has no driver.
  std::vector<GpuVitals> vitals() const;
  /// Readable while there are lines to take.
  int descriptor() const;

 private:
  struct Shared;
  static void look_on(Shared& shared);

  const std::shared_ptr<Shared>
      shared_;  // with the thread, which outlives this where a call of the driver hangs
  std::thread thread_;
};

}  // namespace gauntlet
