// Control variates: what chance brought to the replicas of a point beside what was to be expected, taken out of their means.
//
// For each kind of fault a replica knows its compensated count: strikes less those to be expected. It also knows how much more work stops
// took than was to be expected (sim/faults/lost_work.hpp). The means of these over replicas are known exactly, zero, and they explain
// most of why one replica lost more than another. So replicas are weighted such that the weighted means are zero,
// by the positive weights that are nearest to equal ones (exponential tilting). To first order the weighted mean of any metric is then its regression estimate (Lavenberg and Welch, Management Science 27(3),
// 1981, https://doi.org/10.1287/mnsc.27.3.322), and its error is that of the residuals of the regression on the counts. One set
// of weights serves all metrics, so that parts still add up, and no mean leaves the range of its values (Hesterberg and Nelson,
// Management Science 44(9), 1998, https://doi.org/10.1287/mnsc.44.9.1295, weigh replicas so for probabilities).
#pragma once

#include "score/figures.hpp"
#include "study/summary/facts.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gauntlet {

/// How the means of a study are computed.
enum class Means : std::uint8_t {
  controlled,  // with the controls of the scenario
  plain,       // of the replicas as they are
};

/// Of the first replicas of one point. A value that is cheap to copy.
class Controls {
 public:
  /// None: every replica weighs the same.
  Controls() = default;
  /// `counts`: of each replica its `each` controls, one replica after the other. A control that says nothing beside those before
  /// it is left out; so is the last one, again and again, where no positive weights bring all means to zero.
  Controls(std::span<const double> counts, std::size_t each);

  /// How many are in use.
  std::size_t size() const { return data_ ? data_->used.size() : 0; }
  /// Which, by their numbers.
  std::vector<std::uint32_t> used() const { return data_ ? data_->used : std::vector<std::uint32_t>(); }
  /// Of a replica; 1 in the mean.
  double weight(std::size_t replica) const { return data_ ? data_->weights[replica] : 1; }
  /// What the controls of a replica are beside their mean, in coordinates that are orthonormal over the replicas: size() numbers.
  std::span<const double> coordinates(std::size_t replica) const {
    if (!data_) return {};
    return std::span(data_->coordinates).subspan(replica * data_->used.size(), data_->used.size());
  }
  /// The sum of their squares: by how much the replica pulls a regression on them to itself.
  double leverage(std::size_t replica) const { return data_ ? data_->leverages[replica] : 0; }

 private:
  struct Data {
    std::vector<std::uint32_t> used;
    std::vector<double> coordinates;
    std::vector<double> leverages;
    std::vector<double> weights;
  };
  std::shared_ptr<const Data> data_;
};

/// The controls of one replica, by which Controls are made: the first `borne` of facts.controls.
void add_controls(const ScenarioFacts& facts, std::size_t borne, const Figures& figures,
                  std::vector<double>& counts);

}  // namespace gauntlet
