#include "commands/trace/records/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace gauntlet {
namespace {

/// Beyond it numbers are names, and a scenario has no such host.
constexpr std::uint32_t kLargestNumber = 10'000'000;

std::optional<std::vector<std::uint32_t>> whole_numbers(const std::vector<std::string>& names) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : names) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (error != std::errc{} || end != name.data() + name.size() || value > kLargestNumber)
      return std::nullopt;
    if (!numbers.empty() && value <= numbers.back()) return std::nullopt;  // "7" and "07" are two
    numbers.push_back(value);
  }
  return numbers;
}

std::string shift_text(std::int64_t shift) {
  if (shift == 0) return "N";
  return shift < 0 ? fmt::format("N - {}", -shift) : fmt::format("N + {}", shift);
}

}  // namespace

ComponentNumbers component_numbers(const FailureTrace& trace) {
  ComponentNumbers out;
  for (const TraceSystem& system : trace.systems) {
    std::vector<std::uint32_t> numbers(system.nodes.size());
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    std::string words = "nodes are hosts in the order of their names";
    std::uint32_t size = static_cast<std::uint32_t>(numbers.size());
    // Where a source states more nodes than hosts have numbers, they stand side by side.
    const auto fits = [&](std::uint32_t hosts) {
      return hosts <= kLargestNumber - std::min(out.count, kLargestNumber);
    };
    if (const auto whole = whole_numbers(system.nodes); whole && !whole->empty()) {
      const bool beyond = system.stated_nodes > 0 && whole->back() >= system.stated_nodes;
      const std::uint32_t least = beyond ? whole->front() : 0;
      if (fits(whole->back() - least + 1)) {
        // A source that states too few nodes is not a reason to lose the distances.
        for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = (*whole)[i] - least;
        size = numbers.back() + 1;
        words = "node N is host " + shift_text(std::int64_t{out.count} - least);
      }
    }
    if (fits(system.stated_nodes)) size = std::max(size, system.stated_nodes);
    if (numbers.empty()) words = "no node is named";
    for (std::uint32_t& number : numbers) number += out.count;
    if (!numbers.empty()) out.count += size;
    out.of.push_back(std::move(numbers));
    out.words.push_back(fmt::format("system {}: {}", system.name, words));
  }
  return out;
}

}  // namespace gauntlet
