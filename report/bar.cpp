#include "report/bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gauntlet {

std::string bar_text(double low, double high, double widest) {
  constexpr std::size_t kBar = 10;  // characters to each side
  const auto length = [&](double value) {
    return widest > 0 ? static_cast<std::size_t>(std::round(static_cast<double>(kBar) * value / widest)) : 0;
  };
  const std::size_t left = length(std::max(0.0, -std::min(low, high))),
                    right = length(std::max(0.0, std::max(low, high)));
  return std::string(kBar - std::min(kBar, left), ' ') + std::string(std::min(kBar, left), '#') + "|" +
         std::string(std::min(kBar, right), '#');
}

}  // namespace gauntlet
