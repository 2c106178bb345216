#include "real/trainer/stage.hpp"

#include "real/trainer/batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gauntlet {
namespace {

/// Half the squared error over a micro-batch, and the gradient of it by the outputs.
double loss_of(std::vector<double>& outputs, const MicroBatch& batch) {
  double loss = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] -= batch.targets[i];
    loss += outputs[i] * outputs[i] / 2;
  }
  return loss;
}

/// With one parameter moved by `by`.
double loss_through(Stage first, Stage last, const MicroBatch& batch, std::size_t in_first,
                    std::size_t in_last, double by) {
  const auto moved = [by](Stage& stage, std::size_t place) {
    std::vector<double> parameters = stage.parameters();
    if (place < parameters.size()) parameters[place] += by;
    stage.restore(std::move(parameters), stage.momentum());
  };
  moved(first, in_first);
  moved(last, in_last);
  Stage::Pass pass;
  std::vector<double> outputs = last.forward(first.forward(batch.inputs, pass), pass);
  return loss_of(outputs, batch);
}

TEST(Stage, GradientsAreTheSlopesOfTheLoss) {
  const Stage first(1, 0, 2), last(1, 1, 2);
  const MicroBatch batch = make_batch(1, 0, 1, 0);
  Stage::Pass first_pass, last_pass;
  std::vector<double> outputs = last.forward(first.forward(batch.inputs, first_pass), last_pass);
  loss_of(outputs, batch);
  std::vector<double> first_gradient(first.parameters().size()), last_gradient(last.parameters().size());
  const std::vector<double> between = last.backward(last_pass, outputs, last_gradient);
  first.backward(first_pass, between, first_gradient);

  // A central difference over h errs by h^2 times a third derivative (0 here: between kinks the loss is quadratic in one
  // parameter) and by rounding, 1e-16 / h = 1e-10 of a loss of order 1. A kink within h of a sample would show.
  constexpr double kStep = 1e-6;
  const std::size_t none = last.parameters().size() + first.parameters().size();
  for (std::size_t i = 0; i < first_gradient.size(); ++i) {
    const double slope = (loss_through(first, last, batch, i, none, kStep) -
                          loss_through(first, last, batch, i, none, -kStep)) /
                         (2 * kStep);
    EXPECT_NEAR(first_gradient[i], slope, 1e-7) << "first stage, parameter " << i;
  }
  for (std::size_t i = 0; i < last_gradient.size(); ++i) {
    const double slope = (loss_through(first, last, batch, none, i, kStep) -
                          loss_through(first, last, batch, none, i, -kStep)) /
                         (2 * kStep);
    EXPECT_NEAR(last_gradient[i], slope, 1e-7) << "last stage, parameter " << i;
  }
  EXPECT_TRUE(
      std::any_of(first_gradient.begin(), first_gradient.end(), [](double g) { return std::abs(g) > 0.1; }));
}

TEST(Stage, LearnsWhatTheDataHold) {
  Stage model(3, 0, 1);
  const auto mean_loss_over = [&](std::int64_t from, std::int64_t to) {
    double sum = 0;
    for (std::int64_t step = from; step < to; ++step) {
      const MicroBatch batch = make_batch(3, 0, step, 0);
      Stage::Pass pass;
      std::vector<double> outputs = model.forward(batch.inputs, pass), gradient(model.parameters().size());
      sum += loss_of(outputs, batch) / kSamples;
      model.backward(pass, outputs, gradient);
      for (double& slope : gradient) slope /= kSamples;
      model.update(gradient);
    }
    return sum / static_cast<double>(to - from);
  };
  const double before = mean_loss_over(1, 20);
  mean_loss_over(20, 1000);
  EXPECT_LT(mean_loss_over(1000, 1100), before / 4);
}

TEST(Batches, AreTheirOwnForEveryKey) {
  const MicroBatch batch = make_batch(1, 2, 3, 0);
  EXPECT_EQ(batch.inputs, make_batch(1, 2, 3, 0).inputs);
  EXPECT_EQ(batch.targets, make_batch(1, 2, 3, 0).targets);
  for (const MicroBatch& other :
       {make_batch(2, 2, 3, 0), make_batch(1, 1, 3, 0), make_batch(1, 2, 4, 0), make_batch(1, 2, 3, 1)})
    EXPECT_NE(batch.inputs, other.inputs);
}

}  // namespace
}  // namespace gauntlet
