// One pipeline stage of the model: a layer with ReLU, and on the last stage the output layer behind it.
//
// Sums are taken in a fixed order with double additions and multiplications alone, so that the bytes of the parameters
// depend on the seed, the layout and the steps, on any machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

inline constexpr std::size_t kHidden = 16;  // width between stages
inline constexpr double kLearningRate = 0.05;
inline constexpr double kMomentum = 0.9;

class Stage {
 public:
  /// Initial weights are uniform with a variance of 2 / inputs, from the stream (seed, "trainer.parameters", stage):
  /// He et al., "Delving deep into rectifiers", ICCV 2015, sec. 2.2. Biases are zero.
  Stage(std::uint64_t seed, std::uint32_t stage, std::uint32_t stages);

  std::size_t inputs() const { return inputs_; }  // of a sample
  std::size_t outputs() const { return last_ ? 1 : kHidden; }

  /// What `backward` needs of a micro-batch's way forward.
  struct Pass {
    std::vector<double> inputs, hidden;  // samples x inputs(), samples x kHidden
  };
  /// samples x inputs() to samples x outputs().
  std::vector<double> forward(std::vector<double> inputs, Pass& pass) const;
  /// From the gradient of the outputs to that of the inputs; adds that of the parameters to `gradient`.
  std::vector<double> backward(const Pass& pass, std::span<const double> output_gradient,
                               std::span<double> gradient) const;

  /// A step of gradient descent with momentum.
  void update(std::span<const double> gradient);

  const std::vector<double>& parameters() const { return parameters_; }
  const std::vector<double>& momentum() const { return momentum_; }
  /// Of a stage of the same shape.
  void restore(std::vector<double> parameters, std::vector<double> momentum);

  /// Over the parameters.
  std::uint64_t hash() const;

 private:
  // Places in parameters_: layer weights (kHidden x inputs), layer biases, output weights (kHidden), output bias.
  std::size_t biases() const { return kHidden * inputs_; }
  std::size_t head() const { return biases() + kHidden; }

  std::size_t inputs_;
  bool last_;
  std::vector<double> parameters_, momentum_;
};

}  // namespace gauntlet
