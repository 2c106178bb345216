// One training step, as it is reported: how long, where the time goes, what of the cluster is slow and what that costs.
#pragma once

#include "core/layout.hpp"
#include "core/quantity.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// The parts add up to `total`; they are those of the critical stage.
struct StepBreakdown {
  Duration total{};
  Duration compute{};    // without what is recomputed
  Duration recompute{};  // activations that were not kept
  Duration bubble{};     // waits for other stages: the pipeline's fill and drain, and slower ones
  Duration
      tensor_bandwidth{};  // exposed collectives inside stages: bandwidth terms of tensor parallel ones, ...
  Duration context{};      // ... of context parallel ones, ...
  Duration expert{};       // ... of expert parallel ones; ...
  Duration latency{};      // ... latency terms of all
  Duration pipeline{};     // exposed transfers between stages
  Duration data{};         // exposed reduce-scatter and all-gather of the data-parallel groups
  Duration optimizer{};

  Duration exposed_communication() const {
    return tensor_bandwidth + context + expert + latency + pipeline + data;
  }
};

/// Of one GPU of the fullest stage.
struct StepMemory {
  Bytes weights;  // with their gradients
  Bytes optimizer, activations;
  Bytes capacity;
  Bytes total() const { return weights + optimizer + activations; }
};

/// What one member of a communicator gets, each direction.
struct StepBandwidth {
  Dimension dimension = Dimension::tensor;
  std::uint32_t members = 1;
  Bandwidth healthy, slowest;  // of all groups
  bool over_nics = false;      // else over NVLink
};

enum class DegradationKind : std::uint8_t { slow, stall, degrade, jitter };
std::string_view name_of(DegradationKind kind);

/// "tp", "cp", "ep", "dp", "pp"
std::string_view short_name(Dimension dimension);

/// One `--degrade`.
struct Degradation {
  std::string said;  // "host:17.slow=1.10"
  std::string
      component;  // "host 17", "GPU 3 of host 17", "NIC 2 of host 17", "ToR switch 3"; empty of jitter
  DegradationKind kind = DegradationKind::slow;
  std::string segment;  // of slow: "forward", "backward", "optimizer"; empty: all of them
  double value = 1;     // times as long; bandwidth divided by it; seconds; relative standard deviation
};

/// What a degraded step waits for.
struct StepCritical {
  std::optional<std::uint32_t> host;  // none where no single host is at fault
  std::uint32_t stage = 0;            // pipeline stage
  std::uint32_t replica = 0;          // data-parallel replica
  Duration saves{};                   // by its repair, each step
  /// Where no single repair helps: the hosts each of which alone would make the step as long.
  std::vector<std::uint32_t> equally_late = {};
};

struct StepReport {
  std::string scenario, version;
  std::string model, hardware, stack;  // names of their entries
  std::string network;                 // "closed-form", "max-min", "simgrid"
  Layout layout;
  std::uint32_t hosts = 1, gpus_per_host = 1;
  std::uint32_t global_batch = 1, micro_batch = 1;  // sequences
  std::uint32_t micro_batches = 1;                  // of one replica and step
  double tokens = 0;                                // of one step
  Flops model_flops;                                // of one step, all GPUs together, without recomputation
  double mfu = 0;                                   // model_flops / (time x GPUs x peak)
  bool given = false;                               // the healthy time is the scenario's job.step_time
  double factor = 1;                                // job.step_time_factor, of every time where none is given
  Duration healthy{};
  Duration formula{};  // (m + (p-1)/v) tau + c; the healthy step where its stages are equal
  StepBreakdown time;
  StepMemory memory;
  std::vector<StepBandwidth> bandwidths;  // of the dimensions with more than one rank
  std::vector<Degradation> degraded;
  std::optional<StepCritical> critical;

  double seconds() const { return to_seconds(time.total); }
  std::uint32_t gpus() const { return layout.ranks(); }
  double slowdown() const { return seconds() / to_seconds(healthy); }
  double flops_per_gpu() const { return model_flops.value / (seconds() * gpus()); }  // per second
  double tokens_per_s() const { return tokens / seconds(); }
  double bubble_share() const { return to_seconds(time.bubble) / seconds(); }
};

std::string to_json(const StepReport& report);

}  // namespace gauntlet
