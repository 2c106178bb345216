#include "commands/trace/toml.hpp"

#include "commands/trace/records/names.hpp"
#include "config/toml/files.hpp"
#include "config/toml/mistakes.hpp"
#include "config/toml/toml.hpp"
#include "core/quantity.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gauntlet {
namespace {

/// The records of one [faults.NAME]; what is none is rejected with its line.
class TraceTable {
 public:
  TraceTable(FailureTrace& trace, std::string file, Names& hosts)
      : trace_(trace), file_(std::move(file)), hosts_(hosts) {}

  void read(const Value& fault, std::uint32_t cause) {
    const Value* onsets = fault.find("trace");
    if (onsets == nullptr || onsets->array() == nullptr) return;
    const std::vector<Duration> repairs = repairs_of(fault);
    std::size_t i = 0;
    for (const Value& onset : *onsets->array()) {
      ++trace_.reading.read;
      const auto record = record_of(onset, cause);
      if (!record) continue;
      trace_.records.push_back(*record);
      if (i < repairs.size()) trace_.records.back().repair = repairs[i];
      trace_.reading.without_end += i++ < repairs.size() ? 0 : 1;
      ++trace_.reading.used;
    }
  }

 private:
  static std::vector<Duration> repairs_of(const Value& fault) {
    std::vector<Duration> out;
    const Value* values = fault.find("heals_after.values");
    if (values == nullptr || values->array() == nullptr) return out;
    for (const Value& value : *values->array())
      if (value.string() != nullptr)
        if (const auto repair = parse_duration(*value.string());
            repair.value && *repair.value > Duration::zero())
          out.push_back(*repair.value);
    return out;
  }

  std::optional<FailureRecord> record_of(const Value& onset, std::uint32_t cause) {
    const Value* at = onset.table() == nullptr ? nullptr : onset.find("at");
    const Value* component = onset.table() == nullptr ? nullptr : onset.find("component");
    const auto* number = component == nullptr ? nullptr : std::get_if<std::int64_t>(&component->data);
    if (at == nullptr || at->string() == nullptr || number == nullptr || *number < 0)
      return rejected(onset, Rejection::fields, "is not an onset and a component");
    const auto start = parse_duration(*at->string());
    if (!start.value || *start.value < Duration::zero())
      return rejected(onset, Rejection::start, "has no time since the start of the trace");
    FailureRecord record;
    record.start = *start.value;
    record.cause = cause;
    record.node = hosts_.number_of(std::to_string(*number));
    return record;
  }

  std::nullopt_t rejected(const Value& onset, Rejection reason, std::string why) {
    ++trace_.reading.rejected[static_cast<std::size_t>(reason)];
    if (trace_.reading.problems.size() < kMostTold)
      trace_.reading.problems.push_back({.file = file_,
                                         .line = onset.at.line,
                                         .column = onset.at.column,
                                         .what = excerpt(onset),
                                         .why = std::move(why),
                                         .suggestion = "write { at = \"3h\", component = 17 }"});
    else
      ++trace_.reading.untold;
    return std::nullopt;
  }

  FailureTrace& trace_;
  std::string file_;
  Names& hosts_;
};

}  // namespace

TraceRead read_fault_trace(const std::string& file) {
  TraceRead out;
  FileText text = read_file(file);
  if (!text.text) {
    text.problem.file = file;
    out.problems.push_back(std::move(text.problem));
    return out;
  }
  Mistakes mistakes;
  const std::optional<Value> root = parse_toml(*text.text, file, 0, mistakes);
  if (!root) {
    out.problems = mistakes.in_order(file);
    return out;
  }
  FailureTrace trace;
  trace.reading.format = "gauntlet";
  Names hosts;
  TraceTable table(trace, file, hosts);
  if (const Value* faults = root->find("faults"); faults != nullptr && faults->table() != nullptr) {
    for (const auto& [name, fault] : *faults->table()) {
      table.read(fault, static_cast<std::uint32_t>(trace.causes.size()));
      trace.causes.push_back(name);
    }
  }
  if (trace.records.empty()) {
    out.problems = std::move(trace.reading.problems);
    out.problems.push_back(
        {.file = file,
         .why = "has no fault with a trace",
         .suggestion = "`gauntlet trace import` writes one, and other files are read by their columns "
                       "unless their name ends in .toml"});
    return out;
  }
  Names::Sorted sorted = hosts.sorted();
  for (FailureRecord& record : trace.records) record.node = sorted.place[record.node];
  std::ranges::stable_sort(trace.records, {}, &FailureRecord::start);
  trace.reading.duplicates = duplicates_of(trace.records);
  trace.systems = {{.name = "all", .nodes = std::move(sorted.names), .stated_nodes = 0}};
  out.trace = select(trace, {});  // less the causes that have no trace
  return out;
}

}  // namespace gauntlet
