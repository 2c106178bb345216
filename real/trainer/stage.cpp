#include "real/trainer/stage.hpp"

#include "core/contract.hpp"
#include "core/random/stream.hpp"
#include "core/record/fingerprint.hpp"
#include "real/trainer/batch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {

Stage::Stage(std::uint64_t seed, std::uint32_t stage, std::uint32_t stages)
    : inputs_(stage == 0 ? kInputs : kHidden), last_(stage + 1 == stages) {
  expect(stage < stages, "the stage is in the pipeline");
  parameters_.assign(head() + (last_ ? kHidden + 1 : 0), 0.0);
  momentum_.assign(parameters_.size(), 0.0);
  Stream stream({.study = seed, .replica = 0}, stream_name("trainer.parameters"), stage);
  // A uniform law on (-a, a) has a variance of a^2 / 3.
  const auto draw = [&](std::size_t fan_in) {
    return (2 * stream.uniform() - 1) * std::sqrt(6.0 / static_cast<double>(fan_in));
  };
  for (std::size_t i = 0; i < biases(); ++i) parameters_[i] = draw(inputs_);
  if (last_)
    for (std::size_t i = 0; i < kHidden; ++i) parameters_[head() + i] = draw(kHidden);
}

std::vector<double> Stage::forward(std::vector<double> inputs, Pass& pass) const {
  expect(inputs.size() % inputs_ == 0, "whole samples come in");
  const std::size_t samples = inputs.size() / inputs_;
  pass.inputs = std::move(inputs);
  pass.hidden.assign(samples * kHidden, 0.0);
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t h = 0; h < kHidden; ++h) {
      double sum = parameters_[biases() + h];
      for (std::size_t i = 0; i < inputs_; ++i)
        sum += parameters_[h * inputs_ + i] * pass.inputs[s * inputs_ + i];
      pass.hidden[s * kHidden + h] = std::max(0.0, sum);
    }
  if (!last_) return pass.hidden;

  std::vector<double> outputs(samples, parameters_[head() + kHidden]);
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t h = 0; h < kHidden; ++h)
      outputs[s] += parameters_[head() + h] * pass.hidden[s * kHidden + h];
  return outputs;
}

std::vector<double> Stage::backward(const Pass& pass, std::span<const double> output_gradient,
                                    std::span<double> gradient) const {
  const std::size_t samples = pass.hidden.size() / kHidden;
  expect(output_gradient.size() == samples * outputs() && gradient.size() == parameters_.size(),
         "the gradients fit the pass and the parameters");
  std::vector<double> hidden_gradient(output_gradient.begin(), output_gradient.end());
  if (last_) {
    hidden_gradient.assign(samples * kHidden, 0.0);
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t h = 0; h < kHidden; ++h) {
        gradient[head() + h] += output_gradient[s] * pass.hidden[s * kHidden + h];
        hidden_gradient[s * kHidden + h] = output_gradient[s] * parameters_[head() + h];
      }
      gradient[head() + kHidden] += output_gradient[s];
    }
  }

  std::vector<double> input_gradient(samples * inputs_, 0.0);
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t h = 0; h < kHidden; ++h) {
      if (pass.hidden[s * kHidden + h] <= 0) continue;  // ReLU is flat there
      const double slope = hidden_gradient[s * kHidden + h];
      gradient[biases() + h] += slope;
      for (std::size_t i = 0; i < inputs_; ++i) {
        gradient[h * inputs_ + i] += slope * pass.inputs[s * inputs_ + i];
        input_gradient[s * inputs_ + i] += slope * parameters_[h * inputs_ + i];
      }
    }
  return input_gradient;
}

void Stage::update(std::span<const double> gradient) {
  expect(gradient.size() == parameters_.size(), "a gradient for every parameter");
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    momentum_[i] = kMomentum * momentum_[i] + gradient[i];
    parameters_[i] -= kLearningRate * momentum_[i];
  }
}

void Stage::restore(std::vector<double> parameters, std::vector<double> momentum) {
  expect(parameters.size() == parameters_.size() && momentum.size() == momentum_.size(),
         "the state is of a stage of this shape");
  parameters_ = std::move(parameters);
  momentum_ = std::move(momentum);
}

std::uint64_t Stage::hash() const {
  Fingerprint print;
  for (const double parameter : parameters_) print.add(parameter);
  return print.value();
}

}  // namespace gauntlet
