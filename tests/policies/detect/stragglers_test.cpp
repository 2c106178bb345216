#include "policies/detect/detector.hpp"
#include "policies/detect/peers.hpp"
#include "policies/detect/stages.hpp"
#include "tests/policies/detect/watching.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// Two pipeline stages of sixteen hosts each.
constexpr Inventory kTwoStages{.job_hosts = 32, .gpus_per_host = 8, .layout = {.tp = 8, .pp = 2, .dp = 16}};

DetectionConstants slow_constants() {
  return {
      .fail_slow = {.peers = 8, .samples = 2, .deviations = 3.5, .least_excess = 0.05, .continuity = 240s}};
}

/// Eight hosts of each stage answer: forward 1 s +- 1% in stage 0, 1.5 s in stage 1, backward twice as long.
void learn(Watching<FailSlowDetector>& slow) {
  for (std::uint32_t stage = 0; stage < 2; ++stage) {
    for (const double factor : {1.0, 2.0}) {
      const std::string watch = std::string(factor == 1 ? "forward" : "backward") +
                                " times of 8 hosts of stage " + std::to_string(stage);
      for (std::uint32_t i = 0; i < 16; ++i) {
        const double noise = 1 + 0.01 * (static_cast<double>(i % 3) - 1);
        slow.host(watch, 16 * stage + i / 2, Edge::sample, factor * (stage == 0 ? 1.0 : 1.5) * noise);
      }
    }
  }
}

TEST(Peers, AreComparedByMedianAndScatter) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  // Deviations from the median of 5 are 0, 1, 1, 2, 4: the median of them is 1.
  EXPECT_DOUBLE_EQ(slow_beyond({5, 4, 6, 7, 1}, 3, 0.05), 5 + 3 * 1.4826);
  // One slow host in five moves the line by nothing; where nothing scatters the share counts.
  EXPECT_DOUBLE_EQ(slow_beyond({1, 1, 1, 1, 9}, 3.5, 0.05), 1.05);
}

/// Ranks fill hosts in order, and a host counts to the stage of its first rank.
std::uint32_t stage_of_slot(const Inventory& inventory, std::uint32_t slot) {
  const std::uint32_t stages = inventory.layout.pp;
  const std::uint32_t stage = slot * inventory.gpus_per_host / (inventory.layout.ranks() / stages);
  return stage < stages ? stage : stages - 1;
}

TEST(Stages, CountSlotsAsRanksFillThem) {
  EXPECT_EQ(slots_of_stage(kTwoStages, 0), 16U);
  EXPECT_EQ(stage_of_slot(kTwoStages, 15), 0U);
  EXPECT_EQ(stage_of_slot(kTwoStages, 16), 1U);
  const Inventory uneven{.job_hosts = 3, .gpus_per_host = 4, .layout = {.tp = 1, .pp = 6, .dp = 2}};
  std::vector<std::uint32_t> counted(6);
  for (std::uint32_t slot = 0; slot < uneven.job_hosts; ++slot) ++counted[stage_of_slot(uneven, slot)];
  for (std::uint32_t stage = 0; stage < 6; ++stage)
    EXPECT_EQ(slots_of_stage(uneven, stage), counted[stage]) << stage;
}

TEST(FailSlowDetector, LearnsABandForEachStageAndWatchesAllOfItsHosts) {
  Watching<FailSlowDetector> slow(slow_constants(), kTwoStages);
  EXPECT_THAT(slow.job_begins(),
              ElementsAre("unwatch", "watch forward times of 8 hosts of stage 0, the next 2",   //
                          "unwatch", "watch backward times of 8 hosts of stage 0, the next 2",  //
                          "unwatch", "watch forward times of 8 hosts of stage 1, the next 2",   //
                          "unwatch", "watch backward times of 8 hosts of stage 1, the next 2"));
  learn(slow);
  EXPECT_NEAR(slow.band("forward times of every host of stage 0").high, 1.05, 0.003);
  EXPECT_NEAR(slow.band("backward times of every host of stage 1").high, 3.15, 0.01);
  // The bands are the stages': they outlive a restart, and what is still the case is reported again.
  slow.job_ends();
  EXPECT_THAT(slow.job_begins(), testing::Not(Contains(testing::HasSubstr("the next"))));
}

TEST(FailSlowDetector, NamesAHostThatStaysSlow) {
  Watching<FailSlowDetector> slow(slow_constants(), kTwoStages);
  slow.job_begins();
  learn(slow);
  slow.at(1000s).host("forward times of every host of stage 1", 20, Edge::began, 1.65);
  slow.at(1050s).host("forward times of every host of stage 1", 21, Edge::began, 1.65);
  slow.at(1100s).host("forward times of every host of stage 1", 21, Edge::ended, 1.5);  // a blip
  EXPECT_THAT(slow.wakes(), ElementsAre("degraded: host 20"));
  EXPECT_EQ(slow.now(), 1240s);
  EXPECT_FALSE(slow.waits());
}

// Five of sixteen at once: the stage has changed (congestion, another kernel), not a host.
TEST(FailSlowDetector, LearnsAStageAnewThatHasSlowedDownAsAWhole) {
  Watching<FailSlowDetector> slow(slow_constants(), kTwoStages);
  slow.job_begins();
  learn(slow);
  for (std::uint32_t host = 0; host < 5; ++host)
    slow.at(1000s).host("forward times of every host of stage 0", host, Edge::began, 1.3);
  slow.orders();
  EXPECT_THAT(slow.wakes(), IsEmpty());
  EXPECT_FALSE(slow.waits());
  EXPECT_THAT(slow.orders(), Contains("watch forward times of 8 hosts of stage 0, the next 2"));
}

TEST(FailSlowDetector, LeavesStagesAloneThatHaveNobodyToCompare) {
  Watching<FailSlowDetector> slow(
      slow_constants(), {.job_hosts = 8, .gpus_per_host = 8, .layout = {.tp = 8, .pp = 2, .dp = 4}});
  EXPECT_THAT(slow.job_begins(), IsEmpty());
}

// --- change point ------------------------------------------------------------------------------------------------------

/// A job of two stages whose steps have been learned, 10 s each, and have then taken 12 s for the continuity.
void change(Watching<ChangePointDetector>& point) {
  point.at(100s).job_begins();
  for (int i = 0; i < 16; ++i) point.job("steps of the job, the next", Edge::sample, 10 + 0.01 * i);
  EXPECT_NEAR(point.band("steps of the job, outside").high, 11.08, 0.02);
  point.at(1000s).job("steps of the job, outside", Edge::began, 12);
  point.orders();
  EXPECT_THAT(point.wakes(), IsEmpty());
  EXPECT_EQ(point.now(), 1240s);
  EXPECT_THAT(point.orders(), Contains("watch backward times of every host of stage 1, the next 2"));
}

void answer(Watching<ChangePointDetector>& point, std::uint32_t hosts, std::uint32_t slow,
            Words* made = nullptr) {
  for (std::uint32_t stage = 0; stage < 2; ++stage) {
    for (const char* segment : {"forward", "backward"}) {
      const std::string watch =
          std::string(segment) + " times of every host of stage " + std::to_string(stage);
      for (std::uint32_t i = 0; i < 2 * hosts; ++i) {
        const std::uint32_t host = 16 * stage + i / 2;
        const bool of_it = host == slow && segment == std::string("forward");
        const Words words = point.host(watch, host, Edge::sample, of_it ? 1.2 : 1.0 + 0.001 * (i % 5));
        if (made != nullptr) made->insert(made->end(), words.begin(), words.end());
      }
    }
  }
}

TEST(ChangePointDetector, AsksEverybodyOnlyWhenTheStepHasChangedAndNamesWhoIsSlow) {
  Watching<ChangePointDetector> point(slow_constants(), kTwoStages);
  change(point);
  Words made;
  answer(point, 16, 20, &made);
  EXPECT_THAT(made, ElementsAre("degraded: host 20"));
  EXPECT_FALSE(point.waits());
}

TEST(ChangePointDetector, TellsAPersonWhereNobodyIsSlow) {
  Watching<ChangePointDetector> point(slow_constants(), kTwoStages);
  change(point);
  Words made;
  answer(point, 16, 99, &made);
  EXPECT_THAT(made, ElementsAre("unusual: nobody"));
}

TEST(ChangePointDetector, LearnsAJobOfAnotherSizeAfreshAndAsksItsHosts) {
  Watching<ChangePointDetector> point(slow_constants(), kTwoStages);
  EXPECT_THAT(point.job_resizes(kTwoStages), IsEmpty());  // nothing is learned yet
  point.job_begins();
  for (int i = 0; i < 16; ++i) point.job("steps of the job, the next", Edge::sample, 10);
  point.orders();
  Inventory smaller = kTwoStages;
  smaller.layout.dp /= 2;
  smaller.job_hosts /= 2;
  EXPECT_THAT(point.job_resizes(smaller), ElementsAre("unwatch"));
  point.at(100s).job_begins();
  for (int i = 0; i < 16; ++i) point.job("steps of the job, the next", Edge::sample, 20);
  EXPECT_NEAR(point.band("steps of the job, outside").high, 22, 1e-9);
  EXPECT_FALSE(point.waits());
  // All answers of a smaller job are fewer: it does not wait for the others.
  point.at(1000s).job("steps of the job, outside", Edge::began, 24);
  EXPECT_THAT(point.wakes(), IsEmpty());
  Words made;
  answer(point, 8, 99, &made);
  EXPECT_THAT(made, ElementsAre("unusual: nobody"));
}

TEST(ChangePointDetector, AJobThatEndsWhileItsHostsAreAskedIsNotJudged) {
  Watching<ChangePointDetector> point(slow_constants(), kTwoStages);
  change(point);
  EXPECT_TRUE(point.waits());
  point.job_ends();
  EXPECT_FALSE(point.waits());
  point.job_begins();
  Words made;
  answer(point, 16, 20, &made);  // on their way when it ended
  EXPECT_THAT(made, IsEmpty());
}

TEST(ChangePointDetector, JudgesByThoseThatAnswered) {
  Watching<ChangePointDetector> point(slow_constants(), kTwoStages);
  change(point);
  answer(point, 9, 20);  // the others never do
  EXPECT_THAT(point.wakes(), ElementsAre("degraded: host 20"));
}

}  // namespace
}  // namespace gauntlet
