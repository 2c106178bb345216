#include "commands/scale/gpu_counts.hpp"

#include "study/value_text.hpp"
#include "study/vary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::uint64_t kThousand = 1024;  // of GPUs, as people say "16k" for 16,384
// More than any job can have; small enough for a range of whole numbers to be exact.
constexpr std::uint64_t kMostGpus = 1'000'000'000'000;
constexpr std::string_view kExample = "write for example 1k:128k:log8, or a list such as 1024,16k";

struct Count {
  std::uint64_t value = 0;
  std::string why, suggestion;  // where it is none
};

Count parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const bool thousands = unit == "k" || unit == "K";
  if (text.empty()) return {0, "has an empty size", std::string(kExample)};
  const std::uint64_t most = thousands ? kMostGpus / kThousand : kMostGpus;
  if (error == std::errc::result_out_of_range || value > most)
    return {0, fmt::format("has a size of more than {} GPUs", kMostGpus), "write a smaller number"};
  if (error != std::errc{})
    return {0, fmt::format("has the size \"{}\", which is not a number of GPUs", text),
            std::string(kExample)};
  if (!unit.empty() && !thousands)
    return {0, fmt::format("has the size \"{}\", which is not a whole number of GPUs", text),
            "write whole numbers, with k for 1024 where you like: 4096 or 4k"};
  if (value == 0) return {0, "has a size of zero GPUs", "write sizes above zero"};
  return {thousands ? value * kThousand : value, "", ""};
}

GpuCounts refused(std::string_view option, std::string_view text, std::string why, std::string suggestion) {
  return {.counts = {},
          .range = false,
          .problem = Problem{.file = std::string(option),
                             .what = fmt::format("\"{}\"", text),
                             .why = std::move(why),
                             .suggestion = std::move(suggestion)}};
}

/// The ends are numbers: the rest is as --vary has it.
GpuCounts from_range(std::string_view option, std::string_view text, std::uint64_t low, std::uint64_t high,
                     const std::string& spacing) {
  const Value nothing{Value::Table{}, {}, {}, false};
  const ParsedAxis axis = parse_axis(fmt::format("gpus={}:{}{}", low, high, spacing), nothing, option);
  if (!axis.axis) return refused(option, text, axis.problem->why, axis.problem->suggestion);
  GpuCounts out{.counts = {}, .range = true, .problem = {}};
  // Of a short range only few sizes are ones that a job can have: never all of them, as --vary has it.
  const std::vector<std::string> values =
      axis.axis->counted ? axis.axis->values : spaced_values(*axis.axis->range, kRangeValues);
  for (const std::string& value : values) out.counts.push_back(parse_count(value).value);
  return out;
}

}  // namespace

GpuCounts parse_gpu_counts(std::string_view text, std::string_view option) {
  const std::vector<std::string> parts = split(text, ':'), listed = split(text, ',');
  const bool range = parts.size() > 1 && listed.size() == 1;
  if (parts.size() > 1 && listed.size() > 1)
    return refused(option, text, "is neither a range nor a list", std::string(kExample));
  if (parts.size() > 3) return refused(option, text, "is not a range", std::string(kExample));
  GpuCounts out;
  for (std::size_t i = 0; i < (range ? 2 : listed.size()); ++i) {
    const Count count = parse_count(range ? parts[i] : listed[i]);
    if (count.value == 0) return refused(option, text, count.why, count.suggestion);
    out.counts.push_back(count.value);
  }
  if (range)
    return from_range(option, text, out.counts[0], out.counts[1], parts.size() == 3 ? ":" + parts[2] : "");
  std::ranges::sort(out.counts);
  const auto twice = std::ranges::adjacent_find(out.counts);
  if (twice != out.counts.end())
    return refused(option, text, fmt::format("has {} GPUs twice", *twice), "write each size once");
  return out;
}

}  // namespace gauntlet
