#include "real/trainer/options.hpp"

namespace gauntlet {

std::optional<Problem> check(const TrainerOptions& options) {
  const std::uint64_t ranks = std::uint64_t{options.pp} * options.dp;
  const auto count = [&] {
    return std::to_string(options.pp) + " x " + std::to_string(options.dp) + " ranks";
  };
  if (ranks > kMostRanks)
    return Problem{.file = {},
                   .what = "--pp and --dp",
                   .why = "make " + count() + ", more than " + std::to_string(kMostRanks),
                   .suggestion = {}};
  if (options.rank >= ranks)
    return Problem{.file = {},
                   .what = "--rank " + std::to_string(options.rank),
                   .why = "is not among " + count(),
                   .suggestion = "count ranks from 0"};
  return std::nullopt;
}

}  // namespace gauntlet
