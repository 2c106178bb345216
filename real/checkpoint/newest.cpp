#include "real/checkpoint/newest.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

NewestCheckpoint load_newest(const std::vector<const CheckpointTier*>& tiers, std::uint32_t rank,
                             std::string memory) {
  NewestCheckpoint newest;
  std::vector<std::pair<std::int64_t, const CheckpointTier*>> candidates;
  for (const CheckpointTier* tier : tiers) {
    CheckpointTier::Survey found = tier->manifests();
    if (found.problem) return {.shard = {}, .passed_over = {}, .problem = std::move(found.problem)};
    for (const std::int64_t step : found.whole) candidates.emplace_back(step, tier);
    for (auto& [step, problem] : found.damaged) newest.passed_over.push_back(std::move(problem));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [step, tier] : candidates) {
    CheckpointTier::Loaded loaded = tier->load(step, rank, std::move(memory));
    memory = {};
    if (loaded.shard) {
      newest.shard = std::move(loaded.shard);
      return newest;
    }
    if (loaded.flaw.kind == Flaw::Kind::passing)
      return {.shard = {}, .passed_over = {}, .problem = std::move(loaded.flaw.problem)};
    newest.passed_over.push_back(std::move(loaded.flaw.problem));
  }
  return newest;
}

}  // namespace gauntlet
