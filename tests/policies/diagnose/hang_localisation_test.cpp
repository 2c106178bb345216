#include "policies/diagnose/hang_localisation.hpp"

#include "core/random/stream.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

using Answers = std::vector<std::optional<Dimension>>;

/// One host for each (stage, replica): slot = stage * dp + replica.
Inventory grid(std::uint32_t stages, std::uint32_t replicas) {
  return {
      .job_hosts = stages * replicas, .gpus_per_host = 8, .layout = {.tp = 8, .pp = stages, .dp = replicas}};
}

/// What each host shows when some hang: the others of a pipeline with a culprit wait along the pipeline, all others wait in
/// their data-parallel groups for those.
Answers answers_of(const Inventory& job, const std::set<std::uint32_t>& culprits) {
  Answers answers(job.job_hosts);
  std::set<std::uint32_t> pipelines;
  for (const std::uint32_t slot : culprits) pipelines.insert(slot % job.layout.dp);
  for (std::uint32_t slot = 0; slot < job.job_hosts; ++slot) {
    if (culprits.contains(slot)) continue;
    answers[slot] = pipelines.contains(slot % job.layout.dp) ? Dimension::pipeline : Dimension::data;
  }
  return answers;
}

TEST(HangLocalisation, FindsTheHostForWhichTheOthersWait) {
  const Inventory job = grid(2, 4);
  EXPECT_THAT(slots_waited_for(job, answers_of(job, {6})), ElementsAre(6U));
}

TEST(HangLocalisation, NamesNobodyWhereNobodyWaits) {
  const Inventory job = grid(2, 4);
  EXPECT_THAT(slots_waited_for(job, Answers(8)), IsEmpty());
  // All wait in one collective: nobody of them holds it up.
  EXPECT_THAT(slots_waited_for(job, Answers(8, Dimension::data)), IsEmpty());
}

// Two hosts that wait for each other in two dimensions, and nobody else to wait for: a deadlock, named after the silent ones.
TEST(HangLocalisation, NamesADeadlockAfterTheSilent) {
  const Inventory job = grid(2, 2);  // slots 0 1 / 2 3
  const Answers answers = {Dimension::pipeline, Dimension::data, Dimension::data, std::nullopt};
  // 0 waits for 2 (pipeline), 2 for 3 (data), 1 for 0 (data): all of it leads to 3.
  EXPECT_THAT(slots_waited_for(job, answers), ElementsAre(3U));
  // Now 3 waits along the pipeline for 1, which waits for 0, which waits for 2, which waits for 3.
  EXPECT_THAT(
      slots_waited_for(job, {Dimension::pipeline, Dimension::data, Dimension::data, Dimension::pipeline}),
      IsEmpty());
  // Four stages of three replicas: 0, 3, 4 and 1 wait for each other in a circle, 2 waits for 0, and 11 waits for 8.
  constexpr Dimension kPipe = Dimension::pipeline, kData = Dimension::data;
  EXPECT_THAT(slots_waited_for(grid(4, 3), {kPipe, kData, kData,         //
                                            kData, kPipe, kData,         //
                                            kPipe, kPipe, std::nullopt,  //
                                            kPipe, kPipe, kPipe}),
              ElementsAre(8U, 0U, 1U, 3U, 4U));
}

// A replica over two hosts: the culprit's other half waits for it along the tensor-parallel group.
TEST(HangLocalisation, WorksWhereAReplicaSpansHosts) {
  const Inventory job{.job_hosts = 8, .gpus_per_host = 4, .layout = {.tp = 8, .pp = 2, .dp = 2}};
  // Slots 0 and 1 are replica 0 of stage 0, 4 and 5 of stage 1. Slot 4 hangs.
  Answers answers(8, Dimension::data);
  answers[4] = std::nullopt;
  answers[5] = Dimension::tensor;
  answers[0] = answers[1] = Dimension::pipeline;
  EXPECT_THAT(slots_waited_for(job, answers), ElementsAre(4U));
}

TEST(HangLocalisation, FindsEveryCulpritOfRandomJobs) {
  constexpr std::uint64_t kSeed = 11;
  Stream chance({.study = kSeed}, stream_name("test.localisation"));
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(chance.bits() % most) + 1; };
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
    const Inventory job = grid(1 + up_to(7), 1 + up_to(15));
    std::set<std::uint32_t> culprits;
    for (std::uint32_t n = up_to(3); n > 0; --n) culprits.insert(up_to(job.job_hosts) - 1);
    Answers answers = answers_of(job, culprits);
    EXPECT_THAT(slots_waited_for(job, answers), ElementsAreArray(culprits));

    // Answers that are lost: whoever gave them may be named too, but nobody who answered.
    std::set<std::uint32_t> silent = culprits;
    for (std::uint32_t n = up_to(5); n > 0; --n) silent.insert(up_to(job.job_hosts) - 1);
    for (const std::uint32_t slot : silent) answers[slot] = std::nullopt;
    const std::vector<std::uint32_t> found = slots_waited_for(job, answers);
    EXPECT_TRUE(std::includes(silent.begin(), silent.end(), found.begin(), found.end()));
    EXPECT_FALSE(found.empty());
    if (silent == culprits) {
      EXPECT_THAT(found, ElementsAreArray(culprits));
    }
  }
}

}  // namespace
}  // namespace gauntlet
