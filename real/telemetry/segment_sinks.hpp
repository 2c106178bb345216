// All sinks of a drill. Segments of too many names, or of too long ones, come to none of them: a job that puts the number of a step into
// a name must not fill memory and disks.
#pragma once

#include "real/telemetry/segment_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {

class SegmentSinks final : public SegmentSink {
 public:
  // Assumption: more than a person compares.
  static constexpr std::size_t kMostNames = 64;
  static constexpr std::size_t kLongestName = 64;  // bytes

  /// `say` takes a sentence when the first segment is left out.
  explicit SegmentSinks(std::function<void(const std::string&)> say) : say_(std::move(say)) {}

  void join(SegmentSink& sink) { sinks_.push_back(&sink); }
  bool empty() const { return sinks_.empty(); }

  void begin(std::uint32_t run, std::span<const RankSeat> seats) override;
  void add(const SegmentTime& segment) override;
  void flush() override;

 private:
  bool takes(const std::string& name);

  std::function<void(const std::string&)> say_;
  std::vector<SegmentSink*> sinks_;
  std::set<std::string> names_;
  bool warned_ = false;
};

}  // namespace gauntlet
