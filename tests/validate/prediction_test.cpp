// Published steps: how their table is read, what their figures mean, and the errors of the model on them.
#include "models/step/prediction.hpp"

#include "commands/validate/step/result.hpp"
#include "commands/validate/step/text.hpp"
#include "commands/validate/step/validate.hpp"
#include "config/catalogue_hardware.hpp"
#include "models/step/step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr const char* kColumns =
    "id,address,stack,use,bound,hardware,layers,hidden,heads,kv_heads,ffn_hidden,vocabulary,sequence,tp,pp,"
    "dp,"
    "global_batch,micro_batch,training,value,unit,count\n";
constexpr const char* kRow =
    "a,https://example.org,megatron-2021,held out,,a100-80g,24,2304,24,24,9216,51200,2048,1,1,32,512,,fp16 "
    "full,137,"
    "TFLOP/s,hardware\n";

/// The message about kRow with one field changed.
std::string problem_with(const std::string& field, const std::string& other) {
  std::string row = kRow;
  row.replace(row.find(field), field.size(), other);
  const PublishedTable table = parse_published(kColumns + row, "mine.csv");
  EXPECT_TRUE(table.rows.empty());
  return table.problems.empty() ? "" : table.problems.front().text();
}

TEST(PublishedTable, SaysWhatIsWrongAndWhere) {
  EXPECT_TRUE(parse_published(kColumns + std::string(kRow), "mine.csv").problems.empty());
  EXPECT_EQ(problem_with("megatron-2021", "megatron"),
            "mine.csv:2:1: stack = \"megatron\" is not a software stack that was fitted; gauntlet schema "
            "names those "
            "under job.calibration");
  EXPECT_EQ(problem_with(",24,2304", ",x,2304"),
            "mine.csv:2:1: layers = \"x\" is not a whole number up to 1000000000; write for example 8");
  EXPECT_EQ(problem_with(",137,", ",-137,"),
            "mine.csv:2:1: value = \"-137\" is not a number above zero; write for example 6.34");
  EXPECT_EQ(problem_with(",137,", ",,"), "mine.csv:2:1: value is missing; every row needs one");
  EXPECT_EQ(problem_with("TFLOP/s", "minutes"),
            "mine.csv:2:1: unit = \"minutes\" is none of s, TFLOP/s, MFU%; write one of them");
  EXPECT_EQ(problem_with("fp16 full,", "fp16 full"),
            "mine.csv:2:1: the line has 21 fields; the first line names 22");
  EXPECT_EQ(parse_published("", "mine.csv").problems.front().text(),
            "mine.csv: has no rows; a line names the columns, then a row a line");
  const std::string twice = kColumns + std::string(kRow) + kRow;
  EXPECT_EQ(parse_published(twice, "mine.csv").problems.front().text(),
            "mine.csv:3:1: id = \"a\" names two rows; give this one another");
}

TEST(PublishedStep, RatesAreTimesByWhatTheyCount) {
  PublishedStep row = parse_published(kColumns + std::string(kRow), "").rows.front();
  const Hardware a100 = {.name = "A100",
                         .peak = {312e12},
                         .peak_fp8 = {},
                         .memory = {80e9},
                         .memory_bandwidth = {2e12},
                         .nvlink = {600e9},
                         .nic = {25e9},
                         .pcie = {32e9}};
  // Eq. 3 of https://arxiv.org/abs/2104.04473: 96 B s l h^2 (1 + s/(6h) + V/(16 l h)) operations on 32 GPUs
  const double s = 2048, l = 24, h = 2304, v = 51200;
  const double flops = 96 * 512 * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
  EXPECT_NEAR(published_seconds(row, a100), flops / 32 / 137e12, 1e-9);
  EXPECT_NEAR(figure_of(published_seconds(row, a100), row, a100), 137, 1e-9);
  row.unit = FigureUnit::mfu;
  row.value = 40;
  EXPECT_NEAR(published_seconds(row, a100), flops / 32 / (0.4 * 312e12), 1e-9);
  row.unit = FigureUnit::seconds;
  EXPECT_EQ(published_seconds(row, a100), 40);
}

TEST(PublishedStep, WhatWasNotPublishedIsTheFastestThatFits) {
  const PublishedStep row = parse_published(kColumns + std::string(kRow), "").rows.front();
  Hardware a100 = {.name = "A100",
                   .peak = {312e12},
                   .peak_fp8 = {},
                   .memory = {80e9},
                   .memory_bandwidth = {2e12},
                   .nvlink = {600e9},
                   .nic = {25e9},
                   .pcie = {32e9}};
  const Calibration& stack = *find_calibration(row.stack);
  const PublishedJob job = job_of(row, a100, stack);
  ASSERT_TRUE(job.world);
  for (const std::uint32_t micro_batch : {1u, 2u, 4u, 8u, 16u}) {
    World other = *job.world;
    other.job.micro_batch = micro_batch;
    EXPECT_GE(StepModel(other).healthy(), StepModel(*job.world).healthy()) << micro_batch;
  }
  a100.memory = {35e9};  // 29 GB are weights, gradients and optimizer
  const PublishedJob small = job_of(row, a100, stack);
  ASSERT_TRUE(small.world);
  EXPECT_LT(small.world->job.micro_batch, job.world->job.micro_batch);
  a100.memory = {20e9};
  EXPECT_FALSE(job_of(row, a100, stack).world);
  EXPECT_NE(job_of(row, a100, stack).why, "");
}

TEST(PublishedStep, NoLayoutThatFitsIsFasterAndNoStepIsBelowItsBound) {
  int open = 0;  // rows with something to choose
  for (const PublishedStep& row : parse_published(published_csv(), "published.csv").rows) {
    SCOPED_TRACE(row.id);
    const std::optional<Hardware> hardware = catalogue_hardware(row.hardware).hardware;
    ASSERT_TRUE(hardware);
    const PublishedJob best = job_of(row, *hardware, *find_calibration(row.stack));
    if (!best.world) continue;
    EXPECT_EQ(best.step_time, StepModel(*best.world).healthy());
    int fit = 0;
    for (std::uint32_t micro_batch = 1; micro_batch <= 16; micro_batch *= 2)
      for (std::uint32_t stages = 1; stages * row.layout.pp <= row.model.layers; ++stages) {
        if (row.micro_batch > 0 && micro_batch != row.micro_batch) continue;
        if (row.layout.virtual_stages > 0 && stages != row.layout.virtual_stages) continue;
        if (row.global_batch % (row.layout.dp * micro_batch) != 0) continue;
        if (stages > 1 && (row.layout.pp == 1 || row.model.layers % (stages * row.layout.pp) != 0)) continue;
        World other = *best.world;
        other.job.micro_batch = micro_batch;
        other.job.layout.virtual_stages = stages;
        if (misfit(row.model, row.training, other.job.layout, row.global_batch, micro_batch,
                   hardware->memory))
          continue;
        ++fit;
        const StepModel model(other);
        EXPECT_GE(model.healthy(), best.step_time) << micro_batch << ", " << stages;
        EXPECT_LE(model.healthy_at_least(), model.healthy()) << micro_batch << ", " << stages;
      }
    open += fit > 1 ? 1 : 0;
  }
  EXPECT_GT(open, 10);
}

TEST(Summary, OfErrors) {
  const ErrorSummary odd = summary_of({-0.3, 0.1, 0.2});
  EXPECT_EQ(odd.rows, 3U);
  EXPECT_NEAR(odd.mean, 0.2, 1e-15);
  EXPECT_EQ(odd.median, 0.2);
  EXPECT_EQ(odd.max, 0.3);
  EXPECT_NEAR(summary_of({0.1, -0.4}).median, 0.25, 1e-15);
  EXPECT_EQ(summary_of({}).rows, 0U);
}

TEST(Validation, EveryBoundHoldsOnTheProjectsTable) {
  const Validated validated = validate_steps();
  ASSERT_TRUE(validated.result);
  std::set<std::string> checked;
  for (const ValidationCheck& check : validated.result->checks) {
    checked.insert(check.what);
    ASSERT_TRUE(check.value) << check.what;
    EXPECT_FALSE(check.broken()) << check.what << ": " << check.figure << ' ' << *check.value;
  }
  EXPECT_EQ(checked.size(), 10U);  // predictions, six kinds of rows, two families, and that all jobs fit
  EXPECT_GE(validated.result->rows.size(), 180U);
}

// Rows that were taken out of a fit because they are far off are no test of the model: they are not among the predictions, and the
// first line is about predictions alone.
TEST(Validation, FitsStructureAndPredictionsAreToldApart) {
  const Validated validated = validate_steps();
  ASSERT_TRUE(validated.result);
  const StepValidation& result = *validated.result;
  std::map<ErrorOf, std::vector<double>> errors;
  for (const ValidatedRow& row : result.rows) errors[row.use].push_back(row.error.value());
  EXPECT_EQ(errors[ErrorOf::prediction].size(), 44U);
  EXPECT_EQ(errors[ErrorOf::left_out].size(), 5U);
  EXPECT_EQ(errors[ErrorOf::fit].size(), 136U);
  const ErrorSummary predicted = summary_of(errors[ErrorOf::prediction]);
  std::map<CheckKind, std::size_t> kinds;
  for (const ValidationCheck& check : result.checks) {
    ++kinds[check.kind];
    if (check.kind == CheckKind::prediction) {
      EXPECT_EQ(check.rows, predicted.rows);
    }
    if (!check.other) continue;
    EXPECT_NE(check.other->source.find("https://"), std::string::npos);
    EXPECT_NE(check.other->how.find("nothing of it was fitted"), std::string::npos);
  }
  EXPECT_EQ(kinds[CheckKind::prediction], 2U);
  EXPECT_EQ(kinds[CheckKind::fit], 9U);
  EXPECT_EQ(kinds[CheckKind::structure], 2U);
  EXPECT_EQ(kinds[CheckKind::memory], 1U);
  EXPECT_EQ(result.checks.front().kind, CheckKind::prediction);
  EXPECT_TRUE(
      answer_line(result).starts_with("Of 185 published steps, 44 were predicted; the errors have a median"))
      << answer_line(result);
  EXPECT_NE(text_report(result, {}).find("5 rows were left out of a fit"), std::string::npos);
}

// A bound without rows is no bound that holds: inside the program it fails, of a table of one's own it is not judged.
TEST(Validation, ABoundWithoutRowsIsNotJudged) {
  StepValidation result;
  result.checks.resize(2);
  result.checks[0].value = 0.01;
  result.checks[0].limit = 0.02;
  EXPECT_FALSE(result.holds());
  result.file = "mine.csv";
  EXPECT_TRUE(result.holds());
  EXPECT_EQ(
      answer_line(result),
      "None of 0 published steps is a prediction. 1 bound holds: 1 of fits; 1 without rows is not judged.");
  result.checks[0].value = 0.03;
  EXPECT_FALSE(result.holds());
}

TEST(Validation, AStackWithAsManyConstantsAsRowsIsExactByConstruction) {
  const Validated validated = validate_steps();
  ASSERT_TRUE(validated.result);
  for (const ValidatedStack& stack : validated.result->stacks) {
    EXPECT_EQ(stack.rows, stack.fitted.rows) << stack.stack;
    EXPECT_EQ(stack.exact(), stack.stack == "llama3") << stack.stack;
  }
}

TEST(Validation, FarRowsAreNamedWithWhatIsKnownOfTheReason) {
  const Validated validated = validate_steps();
  ASSERT_TRUE(validated.result);
  const auto far = far_off(*validated.result);
  ASSERT_FALSE(far.empty());
  for (const ValidatedRow* row : far) EXPECT_NE(row->caution, "") << row->id;
  EXPECT_NE(text_report(*validated.result, {}).find(far.front()->id), std::string::npos);
  const auto predicted =
      std::ranges::find(far, ErrorOf::prediction, [](const ValidatedRow* row) { return row->use; });
  ASSERT_NE(predicted, far.end());
  EXPECT_NE(answer_line(*validated.result).find((*predicted)->id), std::string::npos);
}

TEST(Validation, NoStackHasMoreThanFiveConstants) {
  const Validated validated = validate_steps();
  ASSERT_TRUE(validated.result);
  EXPECT_EQ(validated.result->stacks.size(), calibrations().size());
  for (const Calibration& stack : calibrations()) {
    const Calibration given;  // what differs from it was fitted or set for the stack
    const int constants = (stack.gemm_efficiency != given.gemm_efficiency) +
                          (stack.memory_efficiency != given.memory_efficiency) +
                          (stack.tensor_exposed != given.tensor_exposed) +
                          (stack.tensor_overlapped != given.tensor_overlapped) +
                          (stack.data_exposed != given.data_exposed) + (stack.misaligned != given.misaligned);
    EXPECT_LE(constants, 5) << stack.stack;
  }
}

// Rows of kinds of work that are in no fit of their stack.
TEST(Validation, HeldOutRowsOfOtherKindsAreNotFarOff) {
  const Validated validated = validate_steps();
  ASSERT_TRUE(validated.result);
  const std::map<std::string, double> at_most = {
      {"llama3-405b-16384-long", 0.05},           // 16-fold context parallelism, sequences of 131,072
      {"bloom-176b", 0.05},                       // the training itself, with heads of width 128
      {"deepseek-v3-mpft", 0.1},                  // 64-fold expert parallelism on H800
      {"megatron-bridge-qwen3-30b-a3b-16", 0.1},  // experts on every GPU of two hosts
      {"megatron-core-h100-strong-96", 0.1},      // twelve times the micro-batches of the fit
      {"nemo-24.07-llama2-70b-64", 0.1},          // grouped queries and gates in fp8
      {"megatron-lm-2020-8.67B-8", 0.1},          // the year before, on 40 GB
  };
  std::size_t found = 0;
  for (const ValidatedRow& row : validated.result->rows) {
    const auto limit = at_most.find(row.id);
    if (limit == at_most.end()) continue;
    ++found;
    EXPECT_EQ(row.use, ErrorOf::prediction) << row.id;
    ASSERT_TRUE(row.error) << row.id;
    EXPECT_LE(std::abs(*row.error), limit->second) << row.id;
  }
  EXPECT_EQ(found, at_most.size());
}

}  // namespace
}  // namespace gauntlet
