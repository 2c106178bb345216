#include "real/driver/gpus_text.hpp"

#include <algorithm>
#include <cstdint>

namespace gauntlet {

std::string gpus_text(const std::vector<GpuVitals>& gpus) {
  if (gpus.empty()) return "";
  const auto [coolest, hottest] = std::minmax_element(
      gpus.begin(), gpus.end(), [](const GpuVitals& a, const GpuVitals& b) { return a.celsius < b.celsius; });
  std::uint64_t watts = 0, percent = 0;
  for (const GpuVitals& each : gpus) {
    watts += each.watts;
    percent += each.percent;
  }
  std::string text = std::to_string(gpus.size()) + (gpus.size() == 1 ? " GPU, " : " GPUs, ");
  if (coolest->celsius != hottest->celsius) text += std::to_string(coolest->celsius) + " to ";
  return text + std::to_string(hottest->celsius) + " C, " + std::to_string(watts) + " W, " +
         std::to_string(percent / gpus.size()) + "% busy";
}

}  // namespace gauntlet
