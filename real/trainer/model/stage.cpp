#include "real/trainer/model/stage.hpp"

#include "core/contract.hpp"
#include "core/random/stream.hpp"
#include "core/record/fingerprint.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {

Stage::Stage(std::uint64_t seed, const StagePlace& place)
    : place_(place),
      model_blocks_(std::max(kBlocks, place.stages)),
      first_block_(model_blocks_ * place.stage / place.stages),
      last_block_(model_blocks_ * (place.stage + 1) / place.stages),
      first_unit_(kHidden * place.part / place.parts),
      last_unit_(kHidden * (place.part + 1) / place.parts) {
  expect(place.stage < place.stages && place.part < place.parts && place.parts <= kHidden,
         "the place is in the model");
  parameters_.assign(head() + (place_.last() ? kWidth + 1 : 0), 0.0);
  momentum_.assign(parameters_.size(), 0.0);
  // A uniform distribution on (-a, a) has a variance of a^2 / 3.
  const double first = std::sqrt(6.0 / static_cast<double>(kWidth));
  const double second = std::sqrt(6.0 / kHidden) / 4;
  for (std::uint32_t b = 0; b < model_blocks_; ++b) {
    Stream stream({.study = seed, .replica = 0}, stream_name("trainer.parameters"), b);
    for (std::uint32_t h = 0; h < kHidden; ++h) {
      const bool own = b >= first_block_ && b < last_block_ && h >= first_unit_ && h < last_unit_;
      for (std::size_t i = 0; i < kUnit; ++i) {
        if (i == kWidth) continue;  // the bias
        const double value = (2 * stream.uniform() - 1) * (i < kWidth ? first : second);
        if (own) parameters_[unit(b - first_block_, h - first_unit_) + i] = value;
      }
    }
    if (b + 1 < model_blocks_ || !place_.last()) continue;
    for (std::size_t i = 0; i < kWidth; ++i) parameters_[head() + i] = (2 * stream.uniform() - 1) * first;
  }
}

std::vector<double> Stage::forward(std::vector<double> inputs, Pass& pass, const Sum& sum) const {
  expect(inputs.size() % kWidth == 0, "whole rows come in");
  const std::size_t rows = inputs.size() / kWidth;
  pass.inputs.resize(blocks());
  pass.hidden.resize(blocks());
  std::vector<Fixed> added(rows * kWidth);
  for (std::size_t b = 0; b < blocks(); ++b) {
    std::vector<double>& hidden = pass.hidden[b];
    hidden.assign(rows * own_units(), 0.0);
    std::fill(added.begin(), added.end(), 0);
    for (std::size_t r = 0; r < rows; ++r) {
      const double* x = &inputs[r * kWidth];
      for (std::size_t h = 0; h < own_units(); ++h) {
        const double* weights = &parameters_[unit(b, h)];
        double value = weights[kWidth];
        for (std::size_t i = 0; i < kWidth; ++i) value += weights[i] * x[i];
        if (!(value > 0)) continue;
        hidden[r * own_units() + h] = value;
        for (std::size_t i = 0; i < kWidth; ++i)
          added[r * kWidth + i] += to_fixed(weights[kWidth + 1 + i] * value);
      }
    }
    sum(added);
    pass.inputs[b] = inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      inputs[k] += from_fixed(added[k]) + parameters_[shift(b) + k % kWidth];
  }
  if (!place_.last()) return inputs;

  std::vector<double> outputs(rows, parameters_[head() + kWidth]);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < kWidth; ++i) outputs[r] += parameters_[head() + i] * inputs[r * kWidth + i];
  pass.outputs = std::move(inputs);
  return outputs;
}

std::vector<double> Stage::backward(const Pass& pass, std::span<const double> output_gradient,
                                    std::span<Fixed> gradient, const Sum& sum) const {
  expect(pass.inputs.size() == blocks() && gradient.size() == parameters_.size(),
         "the gradients fit the pass and the parameters");
  std::vector<double> slopes(output_gradient.begin(), output_gradient.end());
  if (place_.last()) {
    const std::size_t rows = output_gradient.size();
    slopes.assign(rows * kWidth, 0.0);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < kWidth; ++i) {
        gradient[head() + i] += to_fixed(output_gradient[r] * pass.outputs[r * kWidth + i]);
        slopes[r * kWidth + i] = output_gradient[r] * parameters_[head() + i];
      }
      gradient[head() + kWidth] += to_fixed(output_gradient[r]);
    }
  }
  const std::size_t rows = slopes.size() / kWidth;
  std::vector<Fixed> added(slopes.size());
  for (std::size_t b = blocks(); b-- > 0;) {
    std::fill(added.begin(), added.end(), 0);
    for (std::size_t r = 0; r < rows; ++r) {
      const double* x = &pass.inputs[b][r * kWidth];
      const double* slope = &slopes[r * kWidth];
      for (std::size_t i = 0; i < kWidth; ++i) gradient[shift(b) + i] += to_fixed(slope[i]);
      for (std::size_t h = 0; h < own_units(); ++h) {
        const double hidden = pass.hidden[b][r * own_units() + h];
        if (hidden <= 0) continue;  // ReLU is flat there
        const std::size_t at = unit(b, h);
        double through = 0;
        for (std::size_t i = 0; i < kWidth; ++i) {
          through += parameters_[at + kWidth + 1 + i] * slope[i];
          gradient[at + kWidth + 1 + i] += to_fixed(slope[i] * hidden);
        }
        gradient[at + kWidth] += to_fixed(through);
        for (std::size_t i = 0; i < kWidth; ++i) {
          gradient[at + i] += to_fixed(through * x[i]);
          added[r * kWidth + i] += to_fixed(through * parameters_[at + i]);
        }
      }
    }
    sum(added);
    for (std::size_t k = 0; k < slopes.size(); ++k) slopes[k] += from_fixed(added[k]);
  }
  return slopes;
}

void Stage::update(std::span<const Fixed> gradient, std::size_t rows) {
  expect(gradient.size() == parameters_.size(), "a gradient for every parameter");
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    momentum_[i] = kMomentum * momentum_[i] + from_fixed(gradient[i]) / static_cast<double>(rows);
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
  std::uint64_t sum = 0;
  const auto count = [&](std::uint64_t number, std::size_t place) {
    Fingerprint print;
    print.add(number);
    print.add(parameters_[place]);
    sum += print.value();
  };
  const std::uint64_t whole_block = kHidden * kUnit + kWidth;
  for (std::size_t b = 0; b < blocks(); ++b) {
    const std::uint64_t begin = (first_block_ + b) * whole_block;
    for (std::size_t k = 0; k < own_units() * kUnit; ++k)
      count(begin + first_unit_ * kUnit + k, block(b) + k);
    if (place_.part > 0) continue;
    for (std::size_t i = 0; i < kWidth; ++i) count(begin + kHidden * kUnit + i, shift(b) + i);
  }
  if (place_.last() && place_.part == 0)
    for (std::size_t i = 0; i <= kWidth; ++i) count(model_blocks_ * whole_block + i, head() + i);
  return sum;
}

}  // namespace gauntlet
