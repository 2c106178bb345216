#include "config/fault_files.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

bool is_off(const Value& fault) {
  const Value* mtbf = fault.find("mtbf");
  if (mtbf == nullptr || mtbf->string() == nullptr || *mtbf->string() != "never") return false;
  const Value* prevalence = fault.find("prevalence");
  const double* share = prevalence == nullptr ? nullptr : std::get_if<double>(&prevalence->data);
  return share == nullptr || *share == 0;
}

/// Where the lowest of its values was written: the rest of it may be changed above.
std::string file_of(const Value& fault) {
  const Value* lowest = nullptr;
  for (const auto& [name, value] : *fault.table()) {
    if (value.at.written() && (lowest == nullptr || value.at.layer < lowest->at.layer)) lowest = &value;
  }
  const Origin& at = lowest == nullptr ? fault.at : lowest->at;
  return at.kind == Origin::Kind::file && at.file ? *at.file : at.text();
}

/// What `visit` makes of each fault's table.
template <class Visit>
void each_fault(const Value& resolved, const Visit& visit) {
  const Value* faults = resolved.find("faults");
  if (faults == nullptr || faults->table() == nullptr) return;
  for (const auto& [name, fault] : *faults->table())
    if (fault.table() != nullptr) visit(name, fault);
}

}  // namespace

std::vector<FaultFile> faults_by_file(const Value& resolved) {
  std::map<std::string, std::vector<std::string>> files;
  each_fault(resolved, [&](const std::string& name, const Value& fault) {
    if (!is_off(fault)) files[file_of(fault)].push_back(name);
  });
  std::vector<FaultFile> out;
  for (auto& [file, faults] : files) out.push_back({file, std::move(faults)});
  return out;
}

std::vector<std::string> faults_switched_off(const Value& resolved) {
  std::vector<std::string> out;
  each_fault(resolved, [&](const std::string& name, const Value& fault) {
    if (is_off(fault)) out.push_back(name);
  });
  return out;
}

}  // namespace gauntlet
