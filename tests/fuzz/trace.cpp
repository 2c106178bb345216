// Failure traces, LANL's or CSV, plain or compressed: every line is counted, distributions can be fitted, and what is
// written of it loads as faults.
#include "commands/trace/fault_toml.hpp"
#include "commands/trace/fit/law_fit.hpp"
#include "commands/trace/records/components.hpp"
#include "commands/trace/records/gaps.hpp"
#include "commands/trace/records/read.hpp"
#include "config/fields/reserved_names.hpp"
#include "config/scenario.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <numeric>

using namespace gauntlet;

namespace {

constexpr std::uint32_t kHosts = 8;         // of tiny-8
constexpr std::uint64_t kMostFitted = 100;  // records; more take long

/// Names that the command changes before it writes.
bool is_reserved(const std::string& cause) {
  return std::ranges::find(kCausesThatAreNoFault, cause) != kCausesThatAreNoFault.end();
}

/// Whatever the durations are, distributions are fitted to them or none is.
void fit(const FailureTrace& trace) {
  for (std::uint32_t system = 0; system < trace.systems.size(); ++system) concentration_of(trace, system);
  for (const std::vector<double>& seconds : {gaps_of(trace, GapsOf::systems, {}), repair_times(trace, {})}) {
    const std::vector<FittedLaw> fits = fit_laws(Durations(without_zeros(seconds, ZeroDurations::drop)));
    ensure(fits.empty() || best_of(fits).has_value(), "of those that were fitted one is the best");
    for (const FittedLaw& each : fits) ensure(!law_toml(each, true).empty(), "a distribution can be written");
  }
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

  if (reading.used < kMostFitted) fit(*read.trace);
  const ComponentNumbers hosts = component_numbers(*read.trace);
  if (hosts.count > kHosts || std::ranges::any_of(read.trace->causes, is_reserved)) return 0;
  const auto first = std::ranges::min(read.trace->records, {}, &FailureRecord::start);
  const std::string faults =
      fault_trace_toml(*read.trace, {.source = "a", .about = "b", .origin = first.start});
  const LoadedScenario loaded = load_scenario_text("extends = \"tiny-8\"\n" + faults, "imported.toml");
  ensure(loaded.problems.empty(), "imported faults are faults of a scenario");
  return 0;
}
