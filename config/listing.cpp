#include "config/listing.hpp"

#include "config/assemble.hpp"
#include "config/fault_models.hpp"
#include "config/fields/laws.hpp"
#include "config/toml/files.hpp"
#include "config/toml/toml.hpp"
#include "core/signal.hpp"
#include "policies/controller/registry.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

/// By Signal (core/signal.hpp): whose it is, and what it says.
constexpr std::array<std::string_view, kSignals> kAboutSignals = {
    "of a host: its agent is up (every telemetry.heartbeat_period)",
    "of a host: a process ended, with its exit code; carried by the next heartbeat",
    "of a host: a line that its filter lets through, with a severity",
    "of the job: a step is complete; seconds since the one before",
    "of the job: a checkpoint is complete; seconds for which training was blocked",
    "of a host, with each step: seconds of forward compute",
    "of a host, with each step: seconds of backward compute",
    "of a host, every telemetry.traffic_interval: RDMA bytes over their mean while training",
    "of a host: seconds from one burst of its traffic to the next",
    "of the job, with each step: robust standard deviations above the running median, or nan",
    "of a host, when asked: the collective in which its ranks wait; the culprit answers nothing",
};

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

/// A fault of the catalogue's profiles, which several of them have.
struct CatalogueFault {
  std::vector<std::string> meanings;  // each once
  std::vector<std::string> profiles;  // with the rate there
};

/// What the fault is: its model with the meaning of that, else its effect.
std::string meaning_of(const Value& fault, const std::map<std::string, std::string, std::less<>>& meanings) {
  const std::string model = plain(fault, "model");
  const auto known = meanings.find(model);
  if (known != meanings.end()) return known->second + " (model " + model + ")";
  return plain(fault, "effect") + " of a " + plain(fault, "component");
}

/// How often the fault is in a profile; empty where the profile does not say.
std::string rate_of(const Value& fault) {
  std::string rate;
  if (fault.find("rate") != nullptr) rate = plain(fault, "rate.count") + " over " + plain(fault, "rate.over");
  if (fault.find("mtbf") != nullptr) rate = "mtbf " + plain(fault, "mtbf");
  if (fault.find("prevalence") != nullptr)
    rate += (rate.empty() ? "a share of " : ", a share of ") + plain(fault, "prevalence");
  return rate;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : std::string(separator)) + part;
  return out;
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
  std::map<std::string, std::string, std::less<>> meanings;  // by fault model
  for (const auto& [name, model] : catalogue_entries(std::string(kFaultModels)))
    meanings[name] = plain(model, "summary");
  std::map<std::string, CatalogueFault> faults;
  for (const auto& [profile, tree] : catalogue_entries("faults")) {
    const Value* table = tree.find("faults");
    if (table == nullptr || table->table() == nullptr) continue;
    for (const auto& [name, fault] : *table->table()) {
      CatalogueFault& entry = faults[name];
      if (std::string meaning = meaning_of(fault, meanings);
          std::ranges::find(entry.meanings, meaning) == entry.meanings.end())
        entry.meanings.push_back(std::move(meaning));
      const std::string rate = rate_of(fault);
      entry.profiles.push_back("catalog/faults/" + profile + ".toml" +
                               (rate.empty() ? "" : " (" + rate + ")"));
    }
  }
  std::vector<Listed> out;
  for (const auto& [name, fault] : faults)
    out.push_back({name, joined(fault.meanings, "; or ") + ". In " + joined(fault.profiles, ", ")});
  return out;
}

std::vector<Listed> list_fault_models() {
  std::vector<Listed> out;
  for (const auto& [name, model] : catalogue_entries(std::string(kFaultModels)))
    out.push_back(
        {name, plain(model, "area") + ": " + plain(model, "summary") + " (" + plain(model, "source") + ")"});
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

std::vector<Listed> list_detectors() {
  std::vector<Listed> out;
  for (const std::string_view name : detector_names()) {
    std::string signals;
    std::string_view before;
    for (const Signal signal : signals_of_detector(name)) {
      const std::string_view watched = kSignalNames[static_cast<std::size_t>(signal)];
      if (watched != before) signals += (signals.empty() ? "" : " and ") + std::string(watched);
      before = watched;
    }
    out.push_back({std::string(name), std::string(about_detector(name)) + " (watches " + signals + ")"});
  }
  return out;
}

std::vector<Listed> list_signals() {
  std::vector<Listed> out;
  for (std::size_t i = 0; i < kSignals; ++i)
    out.push_back({std::string(kSignalNames[i]), std::string(kAboutSignals[i])});
  return out;
}

std::vector<Listed> list_lines() {
  std::vector<Listed> out;
  for (const auto& [name, entry] : catalogue_entries("lines")) {
    std::map<std::string, std::size_t> actions;
    for (const auto& [line, action] : *entry.table())
      if (line != "source") ++actions[plain(entry, line)];
    std::string about;
    for (const auto& [action, lines] : actions)
      about += (about.empty() ? "" : ", ") + std::to_string(lines) + " to " + action;
    out.push_back({name, "detection.lines: " + about + " (" + plain(entry, "source") + ")"});
  }
  return out;
}

std::vector<Listed> list_probes() {
  std::vector<Listed> out;
  for (const auto& [file, tree] : catalogue_entries("probes")) {
    const std::string where = " (catalog/probes/" + file + ".toml)";
    if (const Value* suite = tree.find("diagnosis.suite"); suite != nullptr) {
      out.push_back({file, "a suite of the probes " + to_toml(*suite) + where});
      continue;
    }
    const Value* probes = tree.find("probes");
    if (probes == nullptr || probes->table() == nullptr) continue;
    for (const auto& [name, probe] : *probes->table()) {
      const Value* detects = probe.find("detects");
      const std::size_t kinds =
          detects == nullptr || detects->table() == nullptr ? 0 : detects->table()->size();
      const std::string group = plain(probe, "group");
      out.push_back({name, plain(probe, "time") + (group.empty() ? "" : ", " + group + " hosts together") +
                               ", may find " + std::to_string(kinds) +
                               (kinds == 1 ? " kind of fault" : " kinds of fault") + where});
    }
  }
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
