// How long named segments take on the device. Nothing waits for it: a time is told once the device is through.
#pragma once

#include "real/cuda/device.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet::cuda {

struct DeviceSegment {
  std::int64_t step = 0;
  std::string name;
  std::int64_t took_ns = 0;  // its parts of this step together
};

/// Two events around each part of a segment. Steps come in their order.
class EventRing {
 public:
  /// Parts whose end the device has not reached. A step with more is not told.
  explicit EventRing(std::size_t most = 1024) : most_(most) {}

  /// A part of that segment begins, and ends, behind what is on the stream by now. One part at a time. Throws Error.
  void begin(std::int64_t step, std::string_view name, const Stream& stream);
  void end(const Stream& stream);
  /// Of the steps before `step` with which the device is through, in their order. Throws Error.
  std::vector<DeviceSegment> collect(std::int64_t step);

 private:
  struct Part {
    std::int64_t step = 0;
    std::string name;
    std::unique_ptr<Event> begin, end;
  };
  std::unique_ptr<Event> event();
  void collect_parts();

  std::size_t most_;
  std::vector<std::unique_ptr<Event>> free_;
  Part open_;  // without events where none is timed
  std::deque<Part> parts_;
  std::map<std::int64_t, std::vector<DeviceSegment>> sums_;  // by step
  std::set<std::int64_t> untimed_;                           // steps with a part that had no place
};

}  // namespace gauntlet::cuda
