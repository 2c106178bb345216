#include "config/host_suite.hpp"

#include "config/assemble.hpp"
#include "config/describe.hpp"
#include "config/fault_models.hpp"
#include "config/fields/reader.hpp"
#include "config/fields/types.hpp"
#include "config/toml/files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

constexpr const char* kSuite = "diagnosis.suite";

/// What a suite is of the tree of a file: the rest is the world's, and what a probe detects names faults of it.
Value suite_tree(Value tree) {
  Value out;
  out.data = Value::Table{};
  for (const char* path : {"probes", kSuite})
    if (const Value* found = tree.find(path)) put(out, path, *found);
  if (Value* probes = out.find("probes"); probes != nullptr && probes->table() != nullptr)
    for (auto& [name, probe] : *probes->table())
      if (probe.table() != nullptr) probe.table()->erase("detects");
  return out;
}

void describe_suite(Fields& fields, std::vector<SuiteEntry>& probes, std::vector<std::string>& order) {
  fields.entries(
      "probes",
      [&](Fields& f, const std::string& name) {
        SuiteEntry entry{.name = name, .time = {}, .measure = {}};
        ProbeKind kind;
        FaultModels models("");
        describe(f, kind, World{}, models);
        describe(f, entry.measure);
        entry.time = kind.time;
        probes.push_back(std::move(entry));
      },
      "tests that look for broken hosts");
  fields.table(
      "diagnosis",
      [&](Fields& f) {
        std::vector<std::string> known;
        for (const SuiteEntry& each : probes) known.push_back(each.name);
        f.field("suite", names(order, known, "a probe of this file"), Fallback::optional(),
                "probes in the order in which they run");
      },
      "which of them run");
}

constexpr const char* kByKind = "at_least_by_kind";

/// Whether somebody wrote, above the line of the kind `word`, one that is meant for it too: for all, or for a shorter word in it.
bool is_overwritten(const std::string& word, const Value& line, const Value& threshold) {
  const Value* of_all = threshold.find("at_least");
  if (of_all != nullptr && of_all->at.layer > line.at.layer) return true;
  const Value::Table& lines = *threshold.find(kByKind)->table();
  return std::any_of(lines.begin(), lines.end(), [&](const auto& other) {
    return other.first != word && word.find(other.first) != std::string::npos &&
           other.second.at.layer > line.at.layer;
  });
}

/// "at_least: --set", for each number that was written above the source, or without one.
void add_source(const std::string& key, const Value& number, const Value* source, std::string& sources) {
  if (source != nullptr && number.at.layer <= source->at.layer) return;
  if (source != nullptr && source->at.kind == Origin::Kind::command_line) return;  // each --set is a layer
  sources += (sources.empty() ? "" : "; ") + key + ": " + number.at.text();
}

/// Numbers that were written over others: lines of kinds that they replace, and where they come from.
void settle(const Value& tree, ProbeThreshold& threshold) {
  const Value* source = tree.find("source");
  for (const char* key : {"at_least", "at_most", "of_peers"})
    if (const Value* number = tree.find(key)) add_source(key, *number, source, threshold.source);
  const Value* lines = tree.find(kByKind);
  if (lines == nullptr || lines->table() == nullptr) return;
  for (const auto& [word, line] : *lines->table()) {
    if (is_overwritten(word, line, tree))
      threshold.at_least_by_kind.erase(word);
    else
      add_source(word, line, source, threshold.source);
  }
}

void settle_thresholds(const Value& tree, std::vector<SuiteEntry>& probes) {
  const Value::Table& tables = *tree.find("probes")->table();
  for (SuiteEntry& probe : probes) {
    const Value* threshold = tables.at(probe.name).find("threshold");
    if (threshold != nullptr && threshold->table() != nullptr) settle(*threshold, probe.measure.threshold);
  }
}

LoadedSuite suite_of(Value whole, Mistakes& mistakes) {
  LoadedSuite loaded;
  Value tree = suite_tree(std::move(whole));
  std::vector<SuiteEntry> probes;
  std::vector<std::string> order;
  Reader reader(Place(tree, "", mistakes));
  describe_suite(reader, probes, order);
  reader.finish();
  if (!probes.empty()) settle_thresholds(tree, probes);
  for (const std::string& name : order)
    loaded.probes.push_back(*std::find_if(probes.begin(), probes.end(),
                                          [&](const SuiteEntry& each) { return each.name == name; }));
  if (order.empty()) {
    loaded.probes = std::move(probes);
    return loaded;
  }
  for (SuiteEntry& each : probes)
    if (std::find(order.begin(), order.end(), each.name) == order.end())
      loaded.others.push_back(std::move(each));
  return loaded;
}

/// `error`: where the system does not say whether something is there.
Problem nothing_there(const std::string& path, const std::error_code& error) {
  Problem problem;
  problem.file = path;
  problem.why = error ? "cannot be read: " + error.message() : "there is no such file";
  return problem;
}

}  // namespace

LoadedSuite load_host_suite(const std::string& path, std::span<const std::string> sets) {
  std::error_code error;
  LoadedSuite loaded;
  if (!std::filesystem::exists(path, error)) {
    loaded.problems.push_back(nothing_there(path, error));
    return loaded;
  }
  Mistakes mistakes;
  Assembled assembled = assemble_file(path, mistakes);
  lay_sets_over(assembled, sets, mistakes);
  if (assembled.tree) loaded = suite_of(std::move(*assembled.tree), mistakes);
  loaded.problems = mistakes.in_order(path);
  if (!loaded.problems.empty()) {
    loaded.probes.clear();
    loaded.others.clear();
  }
  return loaded;
}

LoadedSuite host_suite_of(const Value& scenario) {
  Mistakes mistakes;
  LoadedSuite suite = suite_of(scenario, mistakes);
  suite.problems = mistakes.in_order("");
  return suite;
}

std::string shipped_host_suite(const std::string& name) {
  const auto found = find_in_catalogue("probes", "host-" + name, {});
  return found ? found->string() : std::string();
}

}  // namespace gauntlet
