#include "config/brought.hpp"

#include "core/text.hpp"
#include "policies/controller/registry.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

thread_local std::shared_ptr<const CustomPolicies> on_this_thread;

bool is_identifier(std::string_view name) {
  const auto starts = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto goes_on = [&](char c) { return starts(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && starts(name.front()) && std::all_of(name.begin(), name.end(), goes_on);
}

bool is_shipped(std::string_view name) {
  for (const auto& names : {detector_names(), checkpoint_policy_names(), recovery_names()})
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  return false;
}

void check_names(const CustomPolicies& custom) {
  std::set<std::string> known;
  const auto check = [&](const std::string& name) {
    const auto refuse = [&](const char* why) {
      throw std::invalid_argument("the custom policy " + in_quotes(name) + " " + why +
                                  "; give it another name");
    };
    if (!is_identifier(name)) refuse("does not have a name of letters, digits and _");
    if (is_shipped(name)) refuse("has the name of a shipped policy");
    if (!known.insert(name).second) refuse("has the name of another custom policy");
  };
  for (const auto& each : custom.detectors) check(each.name);
  for (const auto& each : custom.checkpoints) check(each.name);
  for (const auto& each : custom.recoveries) check(each.name);
}

}  // namespace

BroughtPolicies::BroughtPolicies(std::shared_ptr<const CustomPolicies> custom) {
  if (custom) check_names(*custom);
  before_ = std::exchange(on_this_thread, std::move(custom));
}

BroughtPolicies::~BroughtPolicies() { on_this_thread = std::move(before_); }

std::shared_ptr<const CustomPolicies> BroughtPolicies::here() { return on_this_thread; }

}  // namespace gauntlet
