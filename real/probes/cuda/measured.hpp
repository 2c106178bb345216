// The result of one probe on one GPU.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gauntlet::cuda {

/// What a probe of one GPU measured: `values` in the unit of the probe, or what is wrong whatever they are.
struct Measured {
  std::vector<double> values;
  std::vector<std::string> errors = {};
  std::string unsupported = {};   // why this GPU cannot be examined
  std::string inconclusive = {};  // why it cannot be at present
  std::string remark = {};
  std::vector<std::pair<std::string, std::string>> facts = {};
};

}  // namespace gauntlet::cuda
