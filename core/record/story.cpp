#include "core/record/story.hpp"

#include "core/quantity.hpp"
#include "core/record/codec.hpp"

#include <optional>

namespace gauntlet {
namespace {

std::string order_text(const std::optional<Order>& order) { return order ? to_text(*order) : "no order"; }

}  // namespace

std::string story_of(const Record& record) {
  std::string text;
  auto order = record.orders.begin();
  for (std::uint32_t i = 0; i < record.observations.size(); ++i) {
    text += to_text(record.observations[i]) + '\n';
    for (; order != record.orders.end() && order->observations == i + 1; ++order)
      text += "    " + to_text(order->order) + '\n';
  }
  return text;
}

std::string to_text(const ReplayCluster::Difference& difference) {
  const Duration at = difference.answering.at - kStart;
  return "after " + to_text(at) + " (" + std::to_string(at.count()) + " ns), answering " +
         to_text(difference.answering) + ":\n  recorded: " + order_text(difference.recorded) +
         "\n  now:      " + order_text(difference.now) + '\n';
}

}  // namespace gauntlet
