#include "config/toml/nearest.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Optimal string alignment distance; capitals do not count.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

constexpr std::size_t kLongestName = 64;   // what is longer is not a misspelt name, and costs time to compare
constexpr std::size_t kShortestStart = 4;  // fewer letters begin too many names

}  // namespace

std::optional<std::string> nearest_name(std::string_view given, std::span<const std::string> known) {
  if (given.size() > kLongestName) return {};
  std::optional<std::string> best;
  std::size_t best_edits = 0;
  for (const std::string& name : known) {
    const std::size_t distance = edits(given, name);
    const std::size_t allowed = std::max<std::size_t>(given.size() < kShortestStart ? 1 : 2, name.size() / 3);
    if (distance > allowed || distance >= name.size()) continue;
    if (!best || distance < best_edits) {
      best = name;
      best_edits = distance;
    }
  }
  if (best || given.size() < kShortestStart) return best;
  const auto continued = std::find_if(known.begin(), known.end(),
                                      [&](const std::string& name) { return name.starts_with(given); });
  if (continued != known.end()) best = *continued;
  return best;
}

std::string suggest_names(std::string_view given, std::span<const std::string> known) {
  if (known.empty()) return "none is known here";
  std::string out;
  if (const auto nearest = nearest_name(given, known)) out = "did you mean \"" + *nearest + "\"? ";
  out += "known are";
  for (std::size_t i = 0; i < known.size(); ++i) out += (i == 0 ? " \"" : ", \"") + known[i] + "\"";
  return out;
}

std::vector<std::string> to_strings(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

}  // namespace gauntlet
