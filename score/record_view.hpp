// A record as the judges read it: from front to back.
#pragma once

#include "core/record/record.hpp"
#include "score/job_hosts.hpp"
#include "score/stop_look.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace gauntlet {

/// An observation by which decisions are judged, and what it changes for a host. Samples and most outcomes are not among them.
struct Heard {
  const Observed* seen;
  std::uint32_t place;  // among the observations
  HostChange change;
};

/// All of them, in order. Who carries the job is worked out once, for all judges.
inline std::vector<Heard> heard_in(std::span<const Observed> observations,
                                   std::span<const RecordedOrder> orders, StopLook& look) {
  std::vector<Heard> heard;
  heard.reserve(orders.size());  // what changes a host answers an order
  HostChanges hosts;
  std::size_t given = 0;
  for (std::uint32_t place = 0; place < observations.size(); ++place) {
    look.look();
    const Observed& seen = observations[place];
    if (const auto* outcome = std::get_if<Outcome>(&seen.what)) {
      if (const auto change = hosts.on(*outcome)) heard.push_back({&seen, place, *change});
    } else if (!std::holds_alternative<Seen>(seen.what) && !std::holds_alternative<HostReturned>(seen.what)) {
      if (const auto* started = std::get_if<Started>(&seen.what)) hosts.on(*started);
      heard.push_back({&seen, place, {}});
    }
    for (; given < orders.size() && orders[given].observations <= place + 1; ++given)
      hosts.ordered(orders[given]);
  }
  return heard;
}

/// Spans, because a vector divides to know its size, and the judges ask at every entry. The record must outlive it and stay as it is.
struct RecordView {
  std::span<const Observed> observations;
  std::span<const RecordedOrder> orders;
  std::vector<Heard> heard;

  RecordView(const Record& record, StopLook& look)
      : observations(record.observations),
        orders(record.orders),
        heard(heard_in(observations, orders, look)) {}
};

/// One pass: `hears(const Heard&)` for each observation that is heard, and after each `ordered(std::span<const RecordedOrder>)` for the
/// orders that followed it: one after the other, each at the front of all that remain.
template <class Hears, class Ordered>
void pass(const RecordView& record, StopLook& look, const Hears& hears, const Ordered& ordered) {
  const std::span<const Heard> heard = record.heard;
  std::size_t next = 0;
  for (std::span<const RecordedOrder> orders = record.orders; !orders.empty(); orders = orders.subspan(1)) {
    look.look();
    const std::uint32_t before = orders.front().observations;
    for (; next < heard.size() && heard[next].place < before; ++next) hears(heard[next]);
    ordered(orders);
  }
  for (; next < heard.size(); ++next) hears(heard[next]);
}

}  // namespace gauntlet
