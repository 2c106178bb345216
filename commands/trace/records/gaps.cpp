#include "commands/trace/records/gaps.hpp"

#include "core/contract.hpp"
#include "core/math/special.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

bool passes(const FailureRecord& record, const RecordFilter& filter) {
  return (!filter.system || record.system == *filter.system) &&
         (!filter.cause || record.cause == *filter.cause);
}

}  // namespace

std::vector<double> gaps_of(const FailureTrace& trace, GapsOf rows, const RecordFilter& filter) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Duration> last;
  std::vector<double> gaps;
  for (const FailureRecord& record : trace.records) {  // by time within a system, so within a node too
    if (!passes(record, filter)) continue;
    if (rows == GapsOf::nodes && record.node == kNoNode) continue;
    const std::uint32_t row = rows == GapsOf::nodes ? record.node : 0;
    const auto [before, first] = last.try_emplace({record.system, row}, record.start);
    if (!first) gaps.push_back(to_seconds(record.start - before->second));
    before->second = record.start;
  }
  return gaps;
}

std::vector<double> repair_times(const FailureTrace& trace, const RecordFilter& filter) {
  std::vector<double> times;
  for (const FailureRecord& record : trace.records)
    if (record.repair && passes(record, filter)) times.push_back(to_seconds(*record.repair));
  return times;
}

std::vector<double> without_zeros(std::vector<double> durations, ZeroDurations convention) {
  if (convention == ZeroDurations::drop) std::erase(durations, 0.0);
  if (convention == ZeroDurations::minute) std::ranges::replace(durations, 0.0, 60.0);
  return durations;
}

Concentration concentration_of(const FailureTrace& trace, std::uint32_t system) {
  expect(system < trace.systems.size(), "the system is of the trace");
  std::vector<std::uint64_t> of_node(trace.systems[system].node_count());
  Concentration out{.nodes = of_node.size()};
  for (const FailureRecord& record : trace.records) {
    if (record.system != system || record.node == kNoNode) continue;
    ++of_node[record.node];
    ++out.failures;
  }
  if (out.nodes == 0) return out;
  std::ranges::sort(of_node, std::greater{});
  out.top_nodes_1 = std::max<std::uint64_t>(1, out.nodes / 100);
  out.top_nodes_5 = std::max<std::uint64_t>(1, out.nodes / 20);
  for (std::size_t i = 0; i < out.top_nodes_1; ++i) out.on_top_1 += of_node[i];
  for (std::size_t i = 0; i < out.top_nodes_5; ++i) out.on_top_5 += of_node[i];
  if (out.nodes < 2 || out.failures == 0) return out;
  const double mean = static_cast<double>(out.failures) / static_cast<double>(out.nodes);
  double squares = 0;
  for (const std::uint64_t failures : of_node) {
    const double off = static_cast<double>(failures) - mean;
    squares += off * off;
  }
  const double degrees = static_cast<double>(out.nodes - 1);
  out.dispersion = squares / mean / degrees;
  out.p_value = incomplete_gamma_q(0.5 * degrees, 0.5 * squares / mean);
  return out;
}

Duration span_of(const FailureTrace& trace, std::uint32_t system) {
  Duration first = Duration::max(), last = Duration::min();
  for (const FailureRecord& record : trace.records) {
    if (record.system != system) continue;
    first = std::min(first, record.start);
    last = std::max(last, record.start);
  }
  return first > last ? Duration::zero() : last - first;
}

}  // namespace gauntlet
