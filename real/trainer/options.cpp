#include "real/trainer/options.hpp"

#include "real/trainer/secret.hpp"

#include <charconv>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace gauntlet {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

StagedPlace read_staged_place() {
  const std::string start = variable("GAUNTLET_RUN");
  StagedPlace place{.prefix = variable("GAUNTLET_STAGED_COPIES"),
                    .checkpointer = variable("GAUNTLET_CHECKPOINTER")};
  std::from_chars(start.data(), start.data() + start.size(), place.start);
  return place;
}

std::vector<std::string> files_of_copies(const TrainerOptions& options) {
  if (options.staged.prefix.empty()) return {};
  const std::string file = options.staged.prefix + std::to_string(options.rank);
  if (!options.keeps_in_memory()) return {file + "-0"};
  return {file + "-0", file + "-1"};
}

std::uint32_t read_host() {
  const std::string text = variable("GROUP_RANK");
  std::uint32_t host = 0;
  std::from_chars(text.data(), text.data() + text.size(), host);
  return host;
}

std::optional<Problem> read_meeting(Meeting& out) {
  out = {.address = variable("MASTER_ADDR"), .port = 0, .secret = variable("GAUNTLET_SECRET"), .own = {}};
  if (out.address.empty())
    return Problem{.what = "MASTER_ADDR",
                   .why = "is not set",
                   .suggestion = "set it to the address at which rank 0 listens"};
  const std::string port = variable("MASTER_PORT");
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (error != std::errc() || end != port.data() + port.size() || out.port == 0)
    return Problem{.what = "MASTER_PORT \"" + port + "\"",
                   .why = "is not a port",
                   .suggestion = "set it to the port at which rank 0 listens"};
  if (out.secret.size() < kLeastSecret)
    return Problem{.what = "GAUNTLET_SECRET",
                   .why = "has fewer than " + std::to_string(kLeastSecret) + " characters",
                   .suggestion = "set it to the same random text for all ranks of a start"};
  std::istringstream addresses(variable("GAUNTLET_DATA_ADDRESSES"));
  for (std::string each; std::getline(addresses, each, ',');) out.own.push_back(each);
  for (const std::string& each : out.own)
    if (each.empty() || out.own.size() > kMostInterfaces)
      return Problem{.what = "GAUNTLET_DATA_ADDRESSES \"" + addresses.str() + "\"",
                     .why = "is not one or two addresses of this host",
                     .suggestion = "write such as 198.19.0.2,198.19.1.2"};
  return std::nullopt;
}

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
