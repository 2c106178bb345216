#include "tests/commands/trace/sample_trace.hpp"

#include "commands/trace/records/date.hpp"
#include "core/random/law.hpp"
#include "core/random/stream.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

struct SampleCause {
  std::string_view name;
  double share, repair_median_minutes, repair_sigma;
};
constexpr SampleCause kSampleCauses[] = {{"hardware", 0.60, 70, 1.3},
                                         {"software", 0.25, 45, 1.5},
                                         {"network", 0.10, 70, 1.6},
                                         {"", 0.05, 70, 1.2}};

constexpr double kDayOfTrace = 86400;

std::string to_the_minute(double seconds) {
  constexpr std::chrono::sys_days kFirst{std::chrono::year{2023} / 1 / 1};
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  return iso_text(Duration(kFirst.time_since_epoch()) + std::chrono::minutes(minutes)).substr(0, 16);
}

const SampleCause& drawn_cause(Stream& stream) {
  double left = stream.uniform();
  for (const SampleCause& cause : kSampleCauses) {
    if (left < cause.share) return cause;
    left -= cause.share;
  }
  return kSampleCauses[0];
}

}  // namespace

std::string sample_trace(std::uint64_t seed) {
  std::vector<std::pair<double, std::string>> lines;
  for (std::uint32_t node = 0; node < 64; ++node) {
    Stream stream({.study = seed}, stream_name("sample_trace"), node);
    const Law life = Law::weibull_with_mean((node % 12 == 5 ? 24 : 120) * kDayOfTrace, 0.7);
    double now = life.sample(stream);
    while (now < 730 * kDayOfTrace) {
      const SampleCause& cause = drawn_cause(stream);
      const double repair =
          Law::lognormal(60 * cause.repair_median_minutes, cause.repair_sigma).sample(stream);
      lines.emplace_back(now, to_the_minute(now) + "," + to_the_minute(now + repair) + ",node" +
                                  std::to_string(node) + "," + std::string(cause.name) + "\n");
      now += repair + life.sample(stream);
    }
  }
  std::ranges::stable_sort(lines, {}, [](const auto& line) { return to_the_minute(line.first); });
  std::string text = "start,end,node,cause\n";
  for (const auto& [time, line] : lines) text += line;
  return text;
}

}  // namespace gauntlet
