#include "real/runner/start_reports.hpp"

#include <utility>

namespace gauntlet {

void StartReports::begin(Time until) {
  until_ = until;
  awaited_.clear();
}

void StartReports::add(Launch what, Descriptor report) {
  awaited_.push_back({std::move(what), std::move(report)});
}

std::optional<std::string> StartReports::outcome(Time now) {
  while (!awaited_.empty()) {
    const Awaited& each = awaited_.back();
    std::optional<std::string> why = problem_of_start(each.what, each.report, Duration::zero());
    if (!why && now < until_) return std::nullopt;
    if (!why) why = each.what.program + ": does not begin to run; its file system may hang";
    if (!why->empty()) {
      awaited_.clear();
      return why;
    }
    awaited_.pop_back();
  }
  return "";
}

void StartReports::add_to(std::vector<pollfd>& polled) const {
  if (!awaited_.empty())  // in this order they are asked
    polled.push_back({.fd = awaited_.back().report.get(), .events = POLLIN, .revents = 0});
}

}  // namespace gauntlet
