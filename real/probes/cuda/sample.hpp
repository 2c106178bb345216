// What a CUDA probe measured: the ProbeSample of real/probes/sample.hpp, in a program that has no other library than NVIDIA's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet::cuda {

struct Part {
  std::string part;  // "GPU 0"
  std::string kind;  // only parts of one kind are compared with each other: the model of the GPU
  std::vector<double> values;
  std::string remark = {};
};

struct Sample {
  std::vector<Part> parts;
  std::vector<std::string> errors;
  std::string unsupported;
  std::string inconclusive;
  std::vector<std::pair<std::string, std::string>> facts;
};

/// The mean of the two middle values where their number is even; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// One line of JSON, as real/probes/sample_json.hpp reads it.
std::string to_json(const Sample& sample);

}  // namespace gauntlet::cuda
