#include "config/listing.hpp"

#include "config/assemble.hpp"
#include "config/files.hpp"
#include "config/laws.hpp"
#include "config/toml.hpp"
#include "models/fault/registry.hpp"
#include "policies/registry.hpp"

#include <span>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

/// The text of a value, without quotes where it is a string; empty where there is none.
std::string plain(const Value& table, std::string_view path) {
  const Value* value = table.find(path);
  if (value == nullptr) return {};
  return value->string() != nullptr ? *value->string() : to_toml(*value);
}

/// Files of the catalogue as trees; what is broken in them is left out here and reported when they are used.
std::vector<std::pair<std::string, Value>> catalogue_entries(const std::string& folder) {
  std::vector<std::pair<std::string, Value>> entries;
  for (const std::string& name : catalogue_names(folder, {})) {
    const auto path = find_in_catalogue(folder, name, {});
    if (!path) continue;
    Mistakes mistakes;
    if (auto tree = assemble_file(*path, mistakes).tree) entries.emplace_back(name, std::move(*tree));
  }
  return entries;
}

void list_names(std::vector<Listed>& out, std::span<const std::string_view> names, std::string_view key,
                std::string_view (*about)(std::string_view)) {
  for (const std::string_view name : names)
    out.push_back({std::string(name), std::string(key) + ": " + std::string(about(name))});
}

}  // namespace

std::vector<Listed> list_scenarios() {
  std::vector<Listed> out;
  for (const std::string& name : shipped_scenario_names()) {
    const auto path = find_scenario(name, shipped_scenarios());
    if (!path) continue;
    Mistakes mistakes;
    if (const auto tree = assemble_file(*path, mistakes).tree)
      out.push_back({name, plain(*tree, "question")});
  }
  return out;
}

std::vector<Listed> list_faults() {
  std::vector<Listed> out;
  for (const auto& [profile, tree] : catalogue_entries("faults")) {
    const Value* faults = tree.find("faults");
    if (faults == nullptr || faults->table() == nullptr) continue;
    for (const auto& [name, fault] : *faults->table()) {
      const bool known = fault.find("model") != nullptr;
      std::string about =
          known ? plain(fault, "model") : plain(fault, "effect") + " of a " + plain(fault, "component");
      if (fault.find("rate") != nullptr)
        about += ", " + plain(fault, "rate.count") + " over " + plain(fault, "rate.over");
      if (fault.find("mtbf") != nullptr) about += ", mtbf " + plain(fault, "mtbf");
      if (fault.find("prevalence") != nullptr) about += ", a share of " + plain(fault, "prevalence");
      out.push_back({name, about + " (catalog/faults/" + profile + ".toml)"});
    }
  }
  return out;
}

std::vector<Listed> list_fault_models() {
  std::vector<Listed> out;
  for (const FaultModel& model : fault_models())
    out.push_back({std::string(model.name), std::string(model.area) + ": " + std::string(model.summary) +
                                                " (" + std::string(model.source) + ")"});
  return out;
}

std::vector<Listed> list_distributions() {
  std::vector<Listed> out;
  for (LawListing& law : law_listing()) out.push_back({std::move(law.name), std::move(law.parameters)});
  return out;
}

std::vector<Listed> list_policies() {
  std::vector<Listed> out;
  list_names(out, detector_names(), "policies.detect", about_detector);
  list_names(out, diagnoser_names(), "policies.diagnose", about_diagnoser);
  list_names(out, checkpoint_policy_names(), "policies.checkpoint", about_checkpoint_policy);
  list_names(out, restore_names(), "policies.restore", about_restore);
  list_names(out, recovery_names(), "policies.recover", about_recovery);
  list_names(out, retirement_names(), "policies.retire", about_retirement);
  list_names(out, spares_policy_names(), "spares.policy", about_spares_policy);
  return out;
}

std::vector<Listed> list_hardware() {
  std::vector<Listed> out;
  for (const auto& [name, entry] : catalogue_entries("hardware"))
    out.push_back({name, plain(entry, "gpus_per_host") + " GPUs to a host, each " + plain(entry, "peak") +
                             ", " + plain(entry, "memory") + ", NVLink " + plain(entry, "nvlink") +
                             "; NICs of " + plain(entry, "nic")});
  return out;
}

std::vector<Listed> list_models() {
  std::vector<Listed> out;
  for (const auto& [name, entry] : catalogue_entries("models"))
    out.push_back({name, plain(entry, "parameters") + " parameters, " + plain(entry, "layers") +
                             " layers of width " + plain(entry, "hidden") + ", sequences of " +
                             plain(entry, "sequence")});
  return out;
}

}  // namespace gauntlet
