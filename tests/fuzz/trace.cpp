// Failure traces, LANL's or CSV, plain or compressed: every line is counted, and what is written of it loads as faults.
#include "config/reserved_names.hpp"
#include "config/scenario.hpp"
#include "models/trace/components.hpp"
#include "models/trace/read.hpp"
#include "models/trace/toml_text.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <numeric>

using namespace gauntlet;

namespace {

constexpr std::uint32_t kHosts = 8;  // of tiny-8

/// Names that the command changes before it writes.
bool is_reserved(const std::string& cause) {
  return std::ranges::find(kCausesThatAreNoFault, cause) != kCausesThatAreNoFault.end();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  file.put(text_of(data, size));
  const TraceRead read = read_failures(file.path(), TraceFormat::detect);
  ensure(read.trace || !read.problems.empty(), "a trace is there or its problems are");
  if (!read.trace) return 0;

  const TraceReading& reading = read.trace->reading;
  const auto rejected = std::accumulate(reading.rejected.begin(), reading.rejected.end(), std::uint64_t{0});
  ensure(reading.read == reading.used + rejected, "every line is used or rejected");
  ensure(reading.problems.size() + reading.untold == rejected, "every rejection has a reason");
  ensure(reading.used == read.trace->records.size(), "a used line is a record");

  const ComponentNumbers hosts = component_numbers(*read.trace);
  if (hosts.count > kHosts || std::ranges::any_of(read.trace->causes, is_reserved)) return 0;
  const auto first = std::ranges::min(read.trace->records, {}, &FailureRecord::start);
  const std::string faults =
      fault_trace_toml(*read.trace, {.source = "a", .about = "b", .origin = first.start});
  const LoadedScenario loaded = load_scenario_text("extends = \"tiny-8\"\n" + faults, "imported.toml");
  ensure(loaded.problems.empty(), "imported faults are faults of a scenario");
  return 0;
}
