#include "commands/step/length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gauntlet {
namespace {

constexpr Duration kYear = std::chrono::hours(24 * 365);

struct LengthOfPart {
  const char* name;
  Duration seconds;
  std::string cause;  // fields that make it long
};

std::string wires(const StepReport& report, Dimension dimension) {
  const auto found = std::find_if(report.bandwidths.begin(), report.bandwidths.end(),
                                  [&](const StepBandwidth& each) { return each.dimension == dimension; });
  const bool over_nics = found != report.bandwidths.end() && found->over_nics;
  return over_nics ? "cluster.hardware.nic" : "cluster.hardware.nvlink";
}

std::vector<LengthOfPart> lengths(const StepReport& report) {
  const StepBreakdown& time = report.time;
  const std::string memory = "cluster.hardware.memory_bandwidth";
  const std::string compute = "cluster.hardware.peak, " + memory + " and job.global_batch";
  return {{"computing", time.compute, compute},
          {"recomputing", time.recompute, compute},
          {"tensor-parallel collectives", time.tensor_bandwidth, wires(report, Dimension::tensor)},
          {"context-parallel collectives", time.context, wires(report, Dimension::context)},
          {"expert-parallel collectives", time.expert, wires(report, Dimension::expert)},
          {"the latency of collectives", time.latency, "job.global_batch"},
          {"transfers between pipeline stages", time.pipeline, wires(report, Dimension::pipeline)},
          {"data-parallel collectives", time.data, wires(report, Dimension::data)},
          {"the optimizer", time.optimizer, memory},
          {"waiting for other stages", time.bubble, compute}};
}

}  // namespace

std::optional<std::string> too_long(const StepReport& report) {
  if (report.time.total <= kYear) return std::nullopt;
  if (report.healthy <= kYear)
    return "it would take more than a year, where a healthy one takes less; look at --degrade";
  const std::vector<LengthOfPart> parts = lengths(report);
  const LengthOfPart& longest =
      *std::max_element(parts.begin(), parts.end(),
                        [](const LengthOfPart& a, const LengthOfPart& b) { return a.seconds < b.seconds; });
  return fmt::format("it would take more than a year, most of it {}; look at {}", longest.name,
                     report.given ? "job.step_time" : longest.cause);
}

}  // namespace gauntlet
