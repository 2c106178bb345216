#include "models/step/schedule.hpp"

#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace gauntlet {
namespace {

ChunkTimes equal_chunks(const PipelineShape& shape, double forward, double backward) {
  const std::size_t chunks = shape.stages * shape.virtual_stages;
  return {std::vector<double>(chunks, forward), std::vector<double>(chunks, backward)};
}

double last_of(const std::vector<double>& finish) { return *std::max_element(finish.begin(), finish.end()); }

TEST(Schedule, EqualStagesTakeTheFormula) {
  // (m + (p-1)/v) tau: Narayanan et al., sec. 2.2, https://arxiv.org/abs/2104.04473. A chunk takes tau/v.
  for (const auto& [p, v, m] : {std::tuple{1u, 1u, 5u},
                                {4u, 1u, 4u},
                                {4u, 1u, 9u},
                                {8u, 1u, 32u},
                                {4u, 2u, 8u},
                                {4u, 3u, 4u},
                                {8u, 6u, 32u},
                                {16u, 8u, 16u},
                                {2u, 2u, 6u}}) {
    const PipelineShape shape{p, v, m};
    const double tau = 3.0 * v;
    const double formula = (m + (p - 1.0) / v) * tau;
    EXPECT_NEAR(last_of(pipeline_finish(shape, equal_chunks(shape, 1, 2), {})), formula, 1e-9 * formula)
        << p << " stages, " << v << " virtual, " << m << " micro-batches";
    EXPECT_NEAR(pipeline_at_least(shape, equal_chunks(shape, 1, 2)), formula, 1e-9 * formula);
  }
}

TEST(Schedule, InterleavedStagesWarmUpAsMegatronDoes) {
  // num_warmup_microbatches of forward_backward_pipelining_with_interleaving,
  // https://github.com/NVIDIA/Megatron-LM/blob/core_r0.9.0/megatron/core/pipeline_parallel/schedules.py: the forward passes before
  // the first pair of a forward and a backward one.
  for (const PipelineShape shape :
       {PipelineShape{4, 2, 8}, PipelineShape{4, 3, 12}, PipelineShape{8, 2, 32}}) {
    std::vector<ScheduledPass> work;
    pipeline_finish(shape, equal_chunks(shape, 1, 2), {}, &work);
    for (std::uint32_t stage = 0; stage < shape.stages; ++stage) {
      std::uint32_t before = 0;
      for (const ScheduledPass& pass : work) {
        if (pass.stage != stage) continue;
        if (pass.backward) break;
        ++before;
      }
      EXPECT_EQ(before, (shape.stages - stage - 1) * 2 + (shape.virtual_stages - 1) * shape.stages + 1)
          << "stage " << stage << " of " << shape.stages;
    }
  }
}

TEST(Schedule, OneForwardOneBackward) {
  // Two stages, three micro-batches, forward 1 and backward 2 seconds, as in SC'21, fig. 4.
  const PipelineShape shape{2, 1, 3};
  std::vector<ScheduledPass> work;
  const std::vector<double> finish = pipeline_finish(shape, equal_chunks(shape, 1, 2), {}, &work);
  std::map<std::uint32_t, std::string> order;
  for (const ScheduledPass& w : work)
    order[w.stage] += (w.backward ? "B" : "F") + std::to_string(w.micro_batch) + " ";
  EXPECT_EQ(order[0], "F0 F1 B0 F2 B1 B2 ");
  EXPECT_EQ(order[1], "F0 B0 F1 B1 F2 B2 ");
  EXPECT_DOUBLE_EQ(finish[0], 12);  // (3 + 1) x 3
  EXPECT_DOUBLE_EQ(finish[1], 10);
}

TEST(Schedule, NoneEndsBeforeItCan) {
  Stream random({.study = 5}, stream_name("chunks"));
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    PipelineShape shape{static_cast<std::uint32_t>(1 + random.below(6)),
                        static_cast<std::uint32_t>(1 + random.below(4)),
                        static_cast<std::uint32_t>(1 + random.below(5))};
    if (shape.virtual_stages > 1) shape.micro_batches *= shape.stages;
    ChunkTimes times;
    for (std::uint32_t chunk = 0; chunk < shape.stages * shape.virtual_stages; ++chunk) {
      times.forward.push_back(0.1 + random.uniform());
      times.backward.push_back(0.1 + 2 * random.uniform());
    }
    const double end = last_of(pipeline_finish(shape, times, {}));
    EXPECT_LE(pipeline_at_least(shape, times), end * (1 + 1e-9));
    EXPECT_GE(pipeline_at_least(shape, times), 0.3 * end);
  }
}

TEST(Schedule, NothingRunsBeforeWhatItNeedsNorTwiceAtOnce) {
  for (const PipelineShape shape : {PipelineShape{4, 1, 6}, PipelineShape{4, 3, 8}}) {
    ChunkTimes times;
    const std::uint32_t chunks = shape.stages * shape.virtual_stages;
    for (std::uint32_t i = 0; i < chunks * shape.micro_batches; ++i) {
      times.forward.push_back(1 + i * 7 % 5 * 0.1);
      times.backward.push_back(2 + i * 3 % 7 * 0.1);
    }
    std::vector<ScheduledPass> work;
    pipeline_finish(shape, times, {}, &work);
    ASSERT_EQ(work.size(), 2 * chunks * shape.micro_batches);
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, double> ended;
    std::map<std::uint32_t, double> busy_until;
    for (const ScheduledPass& w : work) {
      const std::uint32_t chunk = w.chunk * shape.stages + w.stage;
      EXPECT_GE(w.begin, busy_until[w.stage]);
      busy_until[w.stage] = w.end;
      ended[{w.backward, chunk, w.micro_batch}] = w.end;
    }
    for (const ScheduledPass& w : work) {
      const std::uint32_t chunk = w.chunk * shape.stages + w.stage;
      const bool last = chunk + 1 == chunks;
      if (w.backward) {
        EXPECT_GE(w.begin, (ended[{!last, last ? chunk : chunk + 1, w.micro_batch}]));
      } else if (chunk > 0) {
        EXPECT_GE(w.begin, (ended[{false, chunk - 1, w.micro_batch}]));
      }
    }
  }
}

TEST(Schedule, TheSlowestStageSetsThePace) {
  const PipelineShape shape{4, 1, 32};
  const double healthy = last_of(pipeline_finish(shape, equal_chunks(shape, 1, 2), {}));
  for (std::uint32_t slow = 0; slow < shape.stages; ++slow) {
    ChunkTimes times = equal_chunks(shape, 1, 2);
    times.forward[slow] *= 1.5;
    times.backward[slow] *= 1.5;
    // All of its own 32 micro-batches, and at most the fill and drain of the others at their own pace.
    const double end = last_of(pipeline_finish(shape, times, {}));
    EXPECT_GE(end, 32 * 4.5) << "stage " << slow;
    EXPECT_LE(end, 32 * 4.5 + 3 * 3) << "stage " << slow;
    EXPECT_GT(end, healthy * 1.4);
  }
}

TEST(Schedule, AStallDelaysTheEndByNoMoreThanItself) {
  const PipelineShape shape{4, 2, 8};
  const double healthy = last_of(pipeline_finish(shape, equal_chunks(shape, 1, 2), {}));
  for (std::uint32_t stage = 0; stage < 4; ++stage)
    for (std::uint32_t micro_batch = 0; micro_batch < 8; ++micro_batch) {
      const StageStall stall{stage, micro_batch, 5};
      const double end = last_of(pipeline_finish(shape, equal_chunks(shape, 1, 2), {&stall, 1}));
      EXPECT_LE(end, healthy + 5 + 1e-9);
      EXPECT_GE(end, healthy);
    }
  const StageStall first{0, 0, 5};
  EXPECT_NEAR(last_of(pipeline_finish(shape, equal_chunks(shape, 1, 2), {&first, 1})), healthy + 5, 1e-9);
}

TEST(Schedule, TheCriticalPathHasNoGapsButStalls) {
  const PipelineShape shape{4, 2, 8};
  ChunkTimes times = equal_chunks(shape, 1, 2);
  times.forward[6] = 1.7;
  times.backward[3] = 2.9;
  for (const double stalled : {0.0, 3.0}) {
    const StageStall stall{2, 4, stalled};
    const std::vector<ScheduledPass> path = critical_path(shape, times, {&stall, 1}, 0);
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(path.front().begin, 0);
    EXPECT_EQ(path.back().end, last_of(pipeline_finish(shape, times, {&stall, 1})));
    double gaps = 0;
    for (std::size_t i = 1; i < path.size(); ++i) gaps += path[i].begin - path[i - 1].end;
    EXPECT_TRUE(gaps == 0 || gaps == stalled) << gaps;
  }
}

TEST(ScheduleDeathTest, InterleavedStagesNeedWholeGroups) {
  const PipelineShape shape{4, 2, 6};
  EXPECT_DEATH(pipeline_finish(shape, equal_chunks(shape, 1, 2), {}), "in groups");
}

}  // namespace
}  // namespace gauntlet
