#include "config/inherited_faults.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace gauntlet {
namespace {

using Names = std::set<std::string, std::less<>>;

/// The lines that the faults log, of their own or by their model.
Names lines_of(const Value::Table& faults, FaultModels& models) {
  Names lines;
  for (const auto& [name, fault] : faults) {
    const Value* log = fault.find("log");
    const Value* named = fault.find("model");
    if (log != nullptr && log->string() != nullptr) lines.insert(*log->string());
    if (named == nullptr || named->string() == nullptr) continue;
    const FaultModel* model = models.find(*named);
    log = model == nullptr || !model->values ? nullptr : model->values->find("log");
    if (log != nullptr) lines.insert(*log->string());
  }
  return lines;
}

/// The members of the table at `path` that have one of these names.
void erase_named(Value& tree, std::string_view path, const Names& names) {
  Value* found = tree.find(path);
  if (found == nullptr || found->table() == nullptr) return;
  std::erase_if(*found->table(), [&](const auto& member) { return names.contains(member.first); });
}

/// A probe may name a fault model, which needs no fault of that name.
void forget_in_probes(Value& tree, const Names& faults, FaultModels& models) {
  Value* probes = tree.find("probes");
  if (probes == nullptr || probes->table() == nullptr) return;
  Names own;
  for (const std::string& name : faults)
    if (!models.has(name, probes->at)) own.insert(name);
  for (auto& [name, probe] : *probes->table()) erase_named(probe, "detects", own);
}

void forget_lines(Value& tree, const Names& lines) {
  erase_named(tree, "detection.lines", lines);
  Value* flap = tree.find("detection.flap.lines");
  if (flap == nullptr || flap->array() == nullptr) return;
  std::erase_if(std::get<Value::Array>(flap->data), [&](const Value& line) {
    return line.string() != nullptr && lines.contains(*line.string());
  });
}

void forget_uncertain(Value& tree) {
  Value* uncertain = tree.find("study.uncertain");
  if (uncertain == nullptr || uncertain->array() == nullptr) return;
  std::erase_if(std::get<Value::Array>(uncertain->data), [](const Value& each) {
    const Value* path = each.find("path");
    if (path == nullptr || path->string() == nullptr) return false;
    return path->string()->starts_with("faults.") || path->string()->starts_with("repair.by_cause.");
  });
}

}  // namespace

bool refuses_faults(const Value& own) {
  const Value* inherits = own.find(kInheritFaults);
  const bool* flag = inherits == nullptr ? nullptr : std::get_if<bool>(&inherits->data);
  return flag != nullptr && !*flag;
}

void remove_faults(Value& below, FaultModels& models) {
  Value* faults = below.find("faults");
  if (faults == nullptr || faults->table() == nullptr) return;
  Names names;
  for (const auto& [name, fault] : *faults->table()) names.insert(name);
  const Names lines = lines_of(*faults->table(), models);
  below.table()->erase("faults");
  erase_named(below, "repair.by_cause", names);
  forget_in_probes(below, names, models);
  forget_lines(below, lines);
  forget_uncertain(below);
}

}  // namespace gauntlet
