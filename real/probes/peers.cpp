#include "real/probes/peers.hpp"

#include <fmt/format.h>

#include <set>

namespace gauntlet {
namespace {

std::string value_in(const FactTable& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

std::string shown_fact(const std::string& value) { return value.empty() ? "absent" : value; }

}  // namespace

std::vector<DifferingFact> facts_unlike_peers(const FactTable& own, const std::vector<FactTable>& peers) {
  std::set<std::string> names;
  for (const auto& [name, value] : own) names.insert(name);
  for (const FactTable& peer : peers)
    for (const auto& [name, value] : peer) names.insert(name);
  std::vector<DifferingFact> out;
  for (const std::string& name : names) {
    std::map<std::string, std::size_t> counts;
    for (const FactTable& peer : peers) ++counts[value_in(peer, name)];
    for (const auto& [value, count] : counts)
      if (2 * count > peers.size() && value != value_in(own, name))
        out.push_back({.name = name,
                       .own = value_in(own, name),
                       .majority = value,
                       .agree = count,
                       .peers = peers.size()});
  }
  return out;
}

std::string to_text(const DifferingFact& fact) {
  return fmt::format("{} is {}, {} of {} peers have {}", fact.name, shown_fact(fact.own), fact.agree,
                     fact.peers, shown_fact(fact.majority));
}

}  // namespace gauntlet
