#include "real/stream/agent_link.hpp"

#include "core/contract.hpp"

#include <charconv>

namespace gauntlet {

std::optional<std::uint64_t> obeyed_epoch(const std::string& why) {
  const std::size_t found = why.find(kDriverOfEpoch);
  if (found == std::string::npos) return std::nullopt;
  const char* digits = why.data() + found + kDriverOfEpoch.size();
  std::uint64_t epoch = 0;
  if (std::from_chars(digits, why.data() + why.size(), epoch).ec != std::errc{}) return std::nullopt;
  return epoch;
}

void AgentLink::watch(const Order& order) {
  expect(std::holds_alternative<Watch>(order.what), "the order is a watch");
  send(DriverWatch{order});
}

}  // namespace gauntlet
