#include "commands/validate/oracles/markov.hpp"

#include <Eigen/LU>

namespace gauntlet {

std::vector<double> stationary_distribution(std::size_t states, const std::vector<Transition>& transitions) {
  const auto size = static_cast<Eigen::Index>(states);
  Eigen::MatrixXd balance =
      Eigen::MatrixXd::Zero(size, size);  // a row for each state: what flows in, less what flows out
  for (const Transition& each : transitions) {
    const auto from = static_cast<Eigen::Index>(each.from), to = static_cast<Eigen::Index>(each.to);
    balance(to, from) += each.rate;
    balance(from, from) -= each.rate;
  }
  // One balance follows from the others; the shares add up to 1 instead.
  balance.row(0).setOnes();
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(size);
  sum(0) = 1;
  const Eigen::VectorXd shares = balance.partialPivLu().solve(sum);
  return {shares.data(), shares.data() + size};
}

}  // namespace gauntlet
