#include "real/probes/sample.hpp"

#include "core/contract.hpp"

#include <algorithm>

namespace gauntlet {

double median_of(std::vector<double> values) {
  expect(!values.empty(), "a median is of at least one value");
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Spread spread_of(std::vector<double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  expect(low != values.end(), "a spread is of at least one value");
  return {.median = median_of(values),
          .low = *low,
          .high = *high,
          .n = static_cast<std::uint32_t>(values.size())};
}

void add_repetitions(ProbeSample& sample, const ProbeSample& more) {
  for (const PartSample& part : more.parts) {
    const auto same = std::find_if(sample.parts.begin(), sample.parts.end(),
                                   [&](const PartSample& each) { return each.part == part.part; });
    if (same == sample.parts.end()) {
      sample.parts.push_back(part);
    } else {
      same->values.insert(same->values.end(), part.values.begin(), part.values.end());
      if (part.excuse.empty()) same->excuse.clear();
    }
  }
  sample.errors.insert(sample.errors.end(), more.errors.begin(), more.errors.end());
  sample.facts.insert(sample.facts.end(), more.facts.begin(), more.facts.end());
  if (sample.unsupported.empty()) sample.unsupported = more.unsupported;
  if (sample.inconclusive.empty()) sample.inconclusive = more.inconclusive;
}

}  // namespace gauntlet
