#include "policies/custom/custom_policy.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

template <class Custom>
const CustomFactory<Custom>* named(const std::vector<CustomFactory<Custom>>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const CustomFactory<CustomDetector>* CustomPolicies::detector(std::string_view name) const {
  return named(detectors, name);
}
const CustomFactory<CustomCheckpoint>* CustomPolicies::checkpoint(std::string_view name) const {
  return named(checkpoints, name);
}
const CustomFactory<CustomRecovery>* CustomPolicies::recovery(std::string_view name) const {
  return named(recoveries, name);
}

bool CustomPolicies::named_in(const PolicyNames& names) const {
  const bool detects = std::any_of(names.detect.begin(), names.detect.end(),
                                   [this](const std::string& name) { return detector(name) != nullptr; });
  return detects || checkpoint(names.checkpoint) != nullptr || recovery(names.recover) != nullptr;
}

}  // namespace gauntlet
