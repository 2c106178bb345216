#include "commands/trace/records/records.hpp"

#include "config/fields/fields.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();

/// The new number of each name that is used, in the old order; of the others kLeftOut.
std::vector<std::uint32_t> renumbered(const std::vector<bool>& used) {
  std::vector<std::uint32_t> numbers(used.size(), kLeftOut);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) numbers[i] = next++;
  return numbers;
}

template <class T>
std::vector<T> kept(const std::vector<T>& of, const std::vector<std::uint32_t>& numbers) {
  std::vector<T> out;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (numbers[i] != kLeftOut) out.push_back(of[i]);
  return out;
}

}  // namespace

std::uint64_t duplicates_of(const std::vector<FailureRecord>& records) {
  std::uint64_t same = 0;
  std::vector<FailureRecord> together;  // of one system and onset
  const auto count = [&] {
    std::ranges::sort(together, {},
                      [](const FailureRecord& of) { return std::tuple(of.node, of.cause, of.repair); });
    for (std::size_t i = 1; i < together.size(); ++i)
      same += together[i] == together[i - 1] && together[i].node != kNoNode ? 1 : 0;
    together.clear();
  };
  for (const FailureRecord& record : records) {
    const bool apart = !together.empty() &&
                       (record.start != together.front().start || record.system != together.front().system);
    if (apart) count();
    together.push_back(record);
  }
  count();
  return same;
}

FailureTrace select(const FailureTrace& trace, const TraceSelection& selection) {
  FailureTrace out{.systems = {}, .causes = {}, .records = {}, .reading = trace.reading};
  std::vector<bool> systems(trace.systems.size()), causes(trace.causes.size());
  for (const FailureRecord& record : trace.records) {
    if (selection.system && trace.systems[record.system].name != *selection.system) continue;
    if (selection.cause && trace.causes[record.cause] != *selection.cause) continue;
    if (selection.from && record.start < *selection.from) continue;
    if (selection.until && record.start >= *selection.until) continue;
    systems[record.system] = causes[record.cause] = true;
    out.records.push_back(record);
  }
  const std::vector<std::uint32_t> system_numbers = renumbered(systems), cause_numbers = renumbered(causes);
  out.systems = kept(trace.systems, system_numbers);
  out.causes = kept(trace.causes, cause_numbers);
  for (FailureRecord& record : out.records) {
    record.system = system_numbers[record.system];
    record.cause = cause_numbers[record.cause];
  }
  return out;
}

std::string cause_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain)
      out += lower;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  out.resize(std::min(out.size(), kMostLettersOfName));
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out.empty() ? "unrecorded" : out;
}

}  // namespace gauntlet
