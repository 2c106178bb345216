#include "commands/compare/pair_incidents.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace gauntlet {
namespace {

constexpr Duration kSameFault = std::chrono::hours(24);
constexpr Duration kSameStop = std::chrono::hours(1);

struct Side {
  const RunIncidents* run;
  std::vector<bool> paired;

  explicit Side(const RunIncidents& of) : run(&of), paired(of.incidents.size(), false) {}
  const Incident& at(std::size_t i) const { return run->incidents[i]; }
  const std::string& cause(std::size_t i) const { return run->causes[at(i).cause.value]; }
};

Duration apart(const Incident& a, const Incident& b) {
  return a.opened < b.opened ? b.opened - a.opened : a.opened - b.opened;
}

enum class Exactly { yes, no };

// Joins what is left of both where the same thing struck at the same time, or near it; the nearest, first come.
void join(Side& first, Side& second, Exactly exactly, std::vector<IncidentPair>& pairs) {
  for (std::size_t i = 0; i < first.paired.size(); ++i) {
    if (first.paired[i]) continue;
    const Duration within = exactly == Exactly::yes       ? Duration::zero()
                            : is_fault(first.at(i).cause) ? kSameFault
                                                          : kSameStop;
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < second.paired.size(); ++k) {
      const Duration gap = apart(first.at(i), second.at(k));
      if (second.paired[k] || gap > within || first.at(i).component != second.at(k).component ||
          first.cause(i) != second.cause(k))
        continue;
      if (!best || gap < apart(first.at(i), second.at(*best))) best = k;
    }
    if (!best) continue;
    first.paired[i] = second.paired[*best] = true;
    pairs.push_back({.cause = first.cause(i), .first = first.at(i), .second = second.at(*best)});
  }
}

Time opened(const IncidentPair& pair) { return pair.first ? pair.first->opened : pair.second->opened; }

}  // namespace

std::vector<IncidentPair> pair_incidents(const RunIncidents& first, const RunIncidents& second) {
  Side a(first), b(second);
  std::vector<IncidentPair> pairs;
  join(a, b, Exactly::yes, pairs);
  join(a, b, Exactly::no, pairs);
  for (std::size_t i = 0; i < a.paired.size(); ++i)
    if (!a.paired[i]) pairs.push_back({.cause = a.cause(i), .first = a.at(i), .second = std::nullopt});
  for (std::size_t k = 0; k < b.paired.size(); ++k)
    if (!b.paired[k]) pairs.push_back({.cause = b.cause(k), .first = std::nullopt, .second = b.at(k)});
  std::ranges::stable_sort(pairs, std::less<>(), opened);
  return pairs;
}

}  // namespace gauntlet
