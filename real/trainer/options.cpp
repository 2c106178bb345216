#include "real/trainer/options.hpp"

namespace gauntlet {

std::optional<Problem> check(const TrainerOptions& options) {
  // Each is at most kMostRanks: 64 bits hold the product.
  const std::uint64_t ranks = std::uint64_t{options.tp} * options.pp * options.dp;
  const auto count = [&] {
    return std::to_string(options.tp) + " x " + std::to_string(options.pp) + " x " +
           std::to_string(options.dp) + " ranks";
  };
  if (ranks > kMostRanks)
    return Problem{.file = {},
                   .what = "--tp, --pp and --dp",
                   .why = "make " + count() + ", more than " + std::to_string(kMostRanks),
                   .suggestion = {}};
  if (options.rank >= ranks)
    return Problem{.file = {},
                   .what = "--rank " + std::to_string(options.rank),
                   .why = "is not among " + count(),
                   .suggestion = "count ranks from 0"};
  if (options.global_batch % (std::uint64_t{options.dp} * options.micro_batch) != 0)
    return Problem{.file = {},
                   .what = "--global-batch " + std::to_string(options.global_batch),
                   .why = "is not a multiple of " + std::to_string(options.dp) + " replicas x " +
                          std::to_string(options.micro_batch) + " samples",
                   .suggestion = {}};
  return std::nullopt;
}

}  // namespace gauntlet
