// What a probe measured on a host, before anybody judges it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// The repetitions of one metric.
struct Spread {
  double median = 0, low = 0, high = 0;
  std::uint32_t n = 0;
  friend bool operator==(const Spread&, const Spread&) = default;
};

/// Of at least one value.
Spread spread_of(std::vector<double> values);
/// The mean of the two middle values where their number is even.
double median_of(std::vector<double> values);

/// The metric of one part of the host.
struct PartSample {
  std::string part;            // "core 3"; empty: the host as a whole
  std::string kind;            // only parts of one kind are compared with each other
  std::vector<double> values;  // at least one, in the unit of the probe
  std::string remark;          // what explains a bad value: "other programs took 48% of its time"
  std::string neighbour = {};  // the other host of a link: a bad value may be due to it
  std::string excuse = {};     // why a value that is worse than its peers' says nothing of the part: something else bounded it
};

struct ProbeSample {
  std::vector<PartSample> parts;
  std::vector<std::string>
      errors;                // what is wrong whatever the metric is, such as data that reads back differently
  std::string unsupported;   // why the probe could not look
  std::string inconclusive;  // why what it saw says nothing, unless it says that the host is bad
  std::vector<std::pair<std::string, std::string>>
      facts;  // name and value, for people and for the comparison with peers
};

/// Adds the repetitions of a further look at the same host: to parts of the same name, as parts of their own otherwise.
void add_repetitions(ProbeSample& sample, const ProbeSample& more);

inline ProbeSample unsupported_sample(std::string why) {
  ProbeSample sample;
  sample.unsupported = std::move(why);
  return sample;
}

}  // namespace gauntlet
