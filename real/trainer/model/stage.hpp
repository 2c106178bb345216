// One rank's part of the model: some of its residual blocks, and of each block some of its hidden units; behind the last block the
// output layer, which every rank of the last stage has whole.
//
//   block: x + sum over the hidden units of second * max(0, first . x + bias) + shift        output: weights . x + bias
//
// The model has four blocks, or as many as there are stages. Products are summed in fixed point, so that the bytes of the parameters depend on
// the seed, the global batch and the steps, on any machine and in any layout of at most four stages.
#pragma once

#include "real/trainer/model/batch.hpp"
#include "real/trainer/model/fixed_point.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gauntlet {

inline constexpr std::size_t kWidth = kInputs;  // between blocks
inline constexpr std::uint32_t kHidden = 16;    // units of a block
inline constexpr std::uint32_t kBlocks = 4;     // of the model, at least
inline constexpr double kLearningRate = 0.02;
inline constexpr double kMomentum = 0.9;

/// Which part of the model: of `stages` the one of this number, of `parts` of each block's units those of this number.
struct StagePlace {
  std::uint32_t stage = 0, stages = 1;
  std::uint32_t part = 0, parts = 1;

  bool first() const { return stage == 0; }
  bool last() const { return stage + 1 == stages; }
};

class Stage {
 public:
  /// Adds up what the ranks that share the stage's units have, in place. One rank alone need not.
  using Sum = std::function<void(std::span<Fixed>)>;

  /// Initial weights are uniform with a variance of 2 / inputs (He et al., "Delving deep into rectifiers", ICCV 2015, sec. 2.2),
  /// those of the second layer of a block a quarter as wide, from the stream (seed, "trainer.parameters", block). The others are zero.
  Stage(std::uint64_t seed, const StagePlace& place);

  const StagePlace& place() const { return place_; }

  /// What `backward` needs of a micro-batch's way forward.
  struct Pass {
    std::vector<std::vector<double>> inputs, hidden;  // by block: rows x kWidth, rows x own units
    std::vector<double> outputs;                      // of the last block: rows x kWidth
  };
  /// rows x kWidth to rows x kWidth; on the last stage to one value a row.
  std::vector<double> forward(std::vector<double> inputs, Pass& pass, const Sum& sum) const;
  /// From the gradient of the outputs to that of the inputs; adds that of the parameters to `gradient`.
  std::vector<double> backward(const Pass& pass, std::span<const double> output_gradient,
                               std::span<Fixed> gradient, const Sum& sum) const;

  /// A step of gradient descent with momentum: `gradient` is the sum over the rows of the global batch.
  void update(std::span<const Fixed> gradient, std::size_t rows);

  const std::vector<double>& parameters() const { return parameters_; }
  const std::vector<double>& momentum() const { return momentum_; }
  /// Of a stage of the same shape.
  void restore(std::vector<double> parameters, std::vector<double> momentum);

  /// The sum over the parameters of a hash of each with its number in the whole model. Those that several parts of a stage have are
  /// counted by the first one, so that the sum over the ranks of a replica is that of the model in any layout.
  std::uint64_t hash() const;

 private:
  // A unit: weights of the first layer, bias, weights of the second layer. A block: its own units, then the shift.
  static constexpr std::size_t kUnit = 2 * kWidth + 1;
  std::size_t own_units() const { return last_unit_ - first_unit_; }
  std::size_t block_size() const { return own_units() * kUnit + kWidth; }
  std::size_t block(std::size_t number) const { return number * block_size(); }
  std::size_t unit(std::size_t number, std::size_t h) const { return block(number) + h * kUnit; }
  std::size_t shift(std::size_t number) const { return block(number) + own_units() * kUnit; }
  std::size_t blocks() const { return last_block_ - first_block_; }
  std::size_t head() const { return block(blocks()); }

  StagePlace place_;
  std::uint32_t model_blocks_, first_block_, last_block_, first_unit_, last_unit_;
  std::vector<double> parameters_, momentum_;
};

}  // namespace gauntlet
