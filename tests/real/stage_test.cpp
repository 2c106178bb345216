#include "real/trainer/model/stage.hpp"

#include "real/trainer/model/batch.hpp"
#include "real/trainer/schedule.hpp"
#include "real/trainer/segment_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

const Stage::Sum kAlone = [](std::span<Fixed>) {};

/// Half the squared error over the rows; `outputs` become the gradient of it.
double loss_of(std::vector<double>& outputs, const Samples& samples) {
  double loss = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] -= samples.targets[i];
    loss += outputs[i] * outputs[i] / 2;
  }
  return loss;
}

/// With one parameter moved by `by`.
double loss_through(Stage first, Stage last, const Samples& samples, std::size_t in_first,
                    std::size_t in_last, double by) {
  const auto moved = [by](Stage& stage, std::size_t place) {
    std::vector<double> parameters = stage.parameters();
    if (place < parameters.size()) parameters[place] += by;
    stage.restore(std::move(parameters), stage.momentum());
  };
  moved(first, in_first);
  moved(last, in_last);
  Stage::Pass pass;
  std::vector<double> outputs = last.forward(first.forward(samples.inputs, pass, kAlone), pass, kAlone);
  return loss_of(outputs, samples);
}

TEST(Stage, GradientsAreTheSlopesOfTheLoss) {
  const Stage first(1, {.stage = 0, .stages = 2}), last(1, {.stage = 1, .stages = 2});
  const Samples samples = make_samples(1, 1, 1, 0, 1);
  Stage::Pass first_pass, last_pass;
  std::vector<double> outputs =
      last.forward(first.forward(samples.inputs, first_pass, kAlone), last_pass, kAlone);
  loss_of(outputs, samples);
  std::vector<Fixed> first_gradient(first.parameters().size()), last_gradient(last.parameters().size());
  const std::vector<double> between = last.backward(last_pass, outputs, last_gradient, kAlone);
  first.backward(first_pass, between, first_gradient, kAlone);

  // A central difference over h errs by h^2 times a third derivative (0 here: between kinks the loss is quadratic in one
  // parameter) and by rounding: terms in fixed point, 1.5e-11 each of some 1e3 of them, over 2 h. A kink within h of a row would show.
  constexpr double kStep = 1e-5, kNear = 1e-3;
  const std::size_t none = last.parameters().size() + first.parameters().size();
  for (std::size_t i = 0; i < first_gradient.size(); ++i) {
    const double slope = (loss_through(first, last, samples, i, none, kStep) -
                          loss_through(first, last, samples, i, none, -kStep)) /
                         (2 * kStep);
    EXPECT_NEAR(from_fixed(first_gradient[i]), slope, kNear) << "first stage, parameter " << i;
  }
  for (std::size_t i = 0; i < last_gradient.size(); ++i) {
    const double slope = (loss_through(first, last, samples, none, i, kStep) -
                          loss_through(first, last, samples, none, i, -kStep)) /
                         (2 * kStep);
    EXPECT_NEAR(from_fixed(last_gradient[i]), slope, kNear) << "last stage, parameter " << i;
  }
  EXPECT_TRUE(std::any_of(first_gradient.begin(), first_gradient.end(),
                          [](Fixed g) { return std::abs(from_fixed(g)) > 0.1; }));
}

TEST(Stage, LearnsWhatTheDataHold) {
  constexpr std::uint32_t kBatch = 8;
  Stage model(3, {});
  const auto mean_loss_over = [&](std::int64_t from, std::int64_t to) {
    double sum = 0;
    for (std::int64_t step = from; step < to; ++step) {
      const Samples samples = make_samples(3, step, kBatch, 0, kBatch);
      Stage::Pass pass;
      std::vector<double> outputs = model.forward(samples.inputs, pass, kAlone);
      std::vector<Fixed> gradient(model.parameters().size());
      sum += loss_of(outputs, samples) / (kBatch * kRows);
      model.backward(pass, outputs, gradient, kAlone);
      model.update(gradient, kBatch * kRows);
    }
    return sum / static_cast<double>(to - from);
  };
  const double before = mean_loss_over(1, 20);
  mean_loss_over(20, 1000);
  EXPECT_LT(mean_loss_over(1000, 1100), before / 4);
}

TEST(Stage, PartsAndStagesTogetherAreTheModel) {
  const Stage whole(7, {});
  for (const std::uint32_t stages : {1U, 2U, 3U, 4U}) {
    for (const std::uint32_t parts : {1U, 2U, 3U, 16U}) {
      std::uint64_t sum = 0;
      for (std::uint32_t stage = 0; stage < stages; ++stage)
        for (std::uint32_t part = 0; part < parts; ++part)
          sum += Stage(7, {.stage = stage, .stages = stages, .part = part, .parts = parts}).hash();
      EXPECT_EQ(sum, whole.hash()) << stages << " stages of " << parts;
    }
  }
  EXPECT_NE(Stage(8, {}).hash(), whole.hash());
}

TEST(FixedPoint, RoundsAndHoldsItsBounds) {
  constexpr Fixed kOne = Fixed{1} << 36;
  EXPECT_EQ(to_fixed(0), 0);
  EXPECT_EQ(to_fixed(1), kOne);
  EXPECT_EQ(to_fixed(-2.5), -5 * kOne / 2);
  EXPECT_EQ(to_fixed(std::ldexp(1.0, -38)), 0) << "a quarter of the smallest";
  EXPECT_EQ(to_fixed(std::ldexp(3.0, -38)), 1) << "three quarters";
  EXPECT_EQ(to_fixed(1e30), Fixed{1} << 56);
  EXPECT_EQ(to_fixed(-INFINITY), -(Fixed{1} << 56));
  EXPECT_EQ(to_fixed(NAN), 0);
  EXPECT_EQ(from_fixed(to_fixed(0.1)), from_fixed(to_fixed(from_fixed(to_fixed(0.1)))));
}

TEST(Samples, AreTheirOwnForEveryKey) {
  const Samples samples = make_samples(1, 3, 8, 2, 1);
  EXPECT_EQ(samples.inputs, make_samples(1, 3, 8, 2, 1).inputs);
  EXPECT_EQ(samples.targets, make_samples(1, 3, 8, 2, 1).targets);
  for (const Samples& other :
       {make_samples(2, 3, 8, 2, 1), make_samples(1, 4, 8, 2, 1), make_samples(1, 3, 8, 3, 1)})
    EXPECT_NE(samples.inputs, other.inputs);
  // Whoever asks for it with others gets the same.
  const Samples all = make_samples(1, 3, 8, 0, 8);
  EXPECT_TRUE(
      std::equal(samples.inputs.begin(), samples.inputs.end(), all.inputs.begin() + 2 * kRows * kInputs));
}

TEST(Work, IsSharedByTheRanksOfAMachine) {
  EXPECT_EQ(work_share(1, 2), 0.5);
  EXPECT_EQ(work_share(4, 2), 0.25);
  EXPECT_EQ(work_share(8, 2), 0.125);
  EXPECT_GE(usable_cores(), 1U);
}

TEST(Schedule, IsOneForwardOneBackward) {
  // Megatron-LM, SC 2021, fig. 4 (top): four stages warm up with 3, 2, 1 and 0 micro-batches.
  for (const std::uint32_t stage : {0U, 1U, 2U, 3U}) EXPECT_EQ(warm_up(stage, 4, 8), 3 - stage);
  EXPECT_EQ(warm_up(0, 4, 2), 2U) << "no more than there are";
  EXPECT_EQ(micro_batch_share(1, 4), 0.25);
  EXPECT_EQ(micro_batch_share(4, 8), 1.0 / 11) << "8 micro-batches and 3 of the bubble";
}

}  // namespace
}  // namespace gauntlet
