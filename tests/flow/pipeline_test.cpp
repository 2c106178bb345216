// The explicit schedule of models/step against the same step of actors and messages on SimGrid.
#include "flow/pipeline.hpp"

#include "core/random/stream.hpp"
#include "tests/flow/flow_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kForward = 0.1, kBackward = 0.2;  // seconds, of a chunk
const double kNic = hgx(8).nic.value;

struct Case {
  const char* name;
  PipelineShape shape;
  double transfer = 0;     // seconds of one message
  double uneven = 0;       // each stage's times are up to so much longer
  bool own_times = false;  // for each micro-batch
  std::vector<StageStall> stalls = {};
  std::uint32_t tp = 8;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

const std::vector<Case> kCases = {
    {"one stage", {1, 1, 3}},
    {"plain", {4, 1, 8}},
    {"fewer micro-batches than stages", {4, 1, 2}},
    {"interleaved", {4, 2, 8}},
    {"interleaved, one group", {2, 3, 2}},
    {"interleaved, three chunks", {4, 3, 12}},
    {"plain, uneven stages", {4, 1, 8}, 0, 0.5},
    {"interleaved, uneven stages", {4, 2, 8}, 0, 0.5},
    {"plain, every pass its own time", {4, 1, 8}, 0, 0.3, true},
    {"interleaved, every pass its own time", {4, 2, 8}, 0, 0.3, true},
    {"plain, stalls", {4, 1, 8}, 0, 0, false, {{1, 3, 0.4}, {3, 0, 0.15}}},
    {"interleaved, stalls", {4, 2, 8}, 0, 0, false, {{1, 3, 0.4}, {0, 7, 0.15}}},
    {"plain, with transfers", {4, 1, 8}, 0.01},
    {"interleaved, with transfers", {4, 2, 8}, 0.01},
    {"plain, uneven stages with transfers", {4, 1, 8}, 0.01, 0.5},
    {"interleaved, uneven stages with transfers", {4, 2, 8}, 0.01, 0.5},
    {"plain, long transfers", {4, 1, 8}, 0.1},
    {"32 stages", {32, 1, 64}, 0.002, 0.1, false, {}, 1},
};

ChunkTimes compute_of(const Case& c) {
  Stream random({.study = 5}, stream_name("test.pipeline"));
  const std::uint32_t chunks = c.shape.stages * c.shape.virtual_stages;
  std::vector<double> longer;  // by stage
  for (std::uint32_t s = 0; s < c.shape.stages; ++s) longer.push_back(1 + c.uneven * random.uniform());
  ChunkTimes out;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
    for (std::uint32_t i = 0; i < (c.own_times ? c.shape.micro_batches : 1); ++i) {
      const double times = c.own_times ? 1 + c.uneven * random.uniform() : longer[chunk % c.shape.stages];
      out.forward.push_back(kForward * times);
      out.backward.push_back(kBackward * times);
    }
  return out;
}

/// The schedule's times hold what is sent on: of every chunk but the last forward and the first backward.
ChunkTimes with_transfers(ChunkTimes times, const Case& c) {
  const std::size_t each = c.own_times ? c.shape.micro_batches : 1;
  for (std::size_t i = 0; i + each < times.forward.size(); ++i) times.forward[i] += c.transfer;
  for (std::size_t i = each; i < times.backward.size(); ++i) times.backward[i] += c.transfer;
  return times;
}

FabricNetwork fabric_for(const Case& c) {
  const Layout layout = {
      .tp = c.tp, .pp = c.shape.stages, .dp = 8 / c.tp, .virtual_stages = c.shape.virtual_stages};
  return FabricNetwork(layout, hgx(8), c.shape.stages, 2, fabric_of(FabricKind::rail_optimised));
}

class Pipeline : public testing::TestWithParam<Case> {};

TEST_P(Pipeline, FinishesWhenTheScheduleSays) {
  GAUNTLET_NEEDS_SIMGRID();
  const Case& c = GetParam();
  const PipelineStep step = {.replica = 0,
                             .shape = c.shape,
                             .compute = compute_of(c),
                             .message = {c.transfer * kNic},
                             .stalls = c.stalls};
  const std::vector<double> measured = simgrid_pipeline(fabric_for(c), step, {}, built_program());
  const std::vector<double> schedule = pipeline_finish(c.shape, with_transfers(step.compute, c), c.stalls);
  ASSERT_EQ(measured.size(), schedule.size());
  for (std::size_t s = 0; s < schedule.size(); ++s)
    EXPECT_NEAR(measured[s] / schedule[s], 1, c.transfer > 0 ? kAgree : 1e-4) << "stage " << s;
}

INSTANTIATE_TEST_SUITE_P(Table, Pipeline, testing::ValuesIn(kCases));

// A slow NIC under one rank of a stage holds its whole stage up, as chunk times say with longer transfers there.
TEST(PipelineWithADegradedNic, FinishesWhenTheScheduleSays) {
  GAUNTLET_NEEDS_SIMGRID();
  const Case c = {"", {4, 1, 8}, 0.01};
  const PipelineStep step = {
      .replica = 0, .shape = c.shape, .compute = compute_of(c), .message = {c.transfer * kNic}, .stalls = {}};
  const NetworkState state = {.nics = {{1, 5, 4}}, .switches = {}};
  ChunkTimes times = with_transfers(step.compute, c);
  times.forward[0] += 3 * c.transfer;  // into stage 1 ...
  times.backward[2] += 3 * c.transfer;
  times.forward[1] += 3 * c.transfer;  // ... and out of it
  times.backward[1] += 3 * c.transfer;
  const std::vector<double> measured = simgrid_pipeline(fabric_for(c), step, state, built_program());
  const std::vector<double> schedule = pipeline_finish(c.shape, times, {});
  EXPECT_GT(schedule[0], 1.02 * pipeline_finish(c.shape, with_transfers(step.compute, c), {})[0]);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_NEAR(measured[s] / schedule[s], 1, kAgree) << "stage " << s;
}

}  // namespace
}  // namespace gauntlet
