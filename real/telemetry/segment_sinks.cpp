#include "real/telemetry/segment_sinks.hpp"

#include "real/system/shown.hpp"

#include <utility>

namespace gauntlet {

void SegmentSinks::begin(std::uint32_t run, std::span<const RankSeat> seats) {
  for (SegmentSink* each : sinks_) each->begin(run, seats);
}

void SegmentSinks::add(const SegmentTime& segment) {
  if (takes(segment.name)) {
    for (SegmentSink* each : sinks_) each->add(segment);
  } else if (!std::exchange(warned_, true)) {
    say_("warning: the segment \"" + printable(segment.name.substr(0, kLongestName)) +
         "\" is left out: a job has " + std::to_string(kMostNames) + " names of segments at most, of " +
         std::to_string(kLongestName) + " bytes at most");
  }
}

void SegmentSinks::flush() {
  for (SegmentSink* each : sinks_) each->flush();
}

bool SegmentSinks::takes(const std::string& name) {
  if (names_.contains(name)) return true;
  if (name.size() > kLongestName || names_.size() >= kMostNames) return false;
  names_.insert(name);
  return true;
}

}  // namespace gauntlet
