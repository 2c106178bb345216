#include "study/levers/gains_apart.hpp"

#include "study/levers/larger_mean.hpp"
#include "study/levers/paired_scatter.hpp"

namespace gauntlet {

bool are_gains_apart(const ComparedPair& better, const ComparedPair& other, double level) {
  const double gains_more = paired_scatter(better.first, better.second).difference;
  const double gains_less = paired_scatter(other.first, other.second).difference;
  const double middle = (gains_more + gains_less) / 2;
  return is_larger(better.first, better.second, level / 2, {.more = middle, .controls = better.controls}) &&
         is_larger(other.second, other.first, level / 2, {.more = -middle, .controls = other.controls});
}

}  // namespace gauntlet
