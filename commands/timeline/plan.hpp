// The slices of one process of a trace before they have tracks: groups of slices that may overlap, and links between slices.
#pragma once

#include "report/trace_events/trace_events.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {

using SliceNumber = std::size_t;
using GroupNumber = std::size_t;

/// Collects slices in groups. A group becomes one track, or as many as it takes for slices not to overlap: "fault: nic_flap",
/// "fault: nic_flap (2)".
class TracePlan {
 public:
  /// The group of that name, which is made where there is none. Groups are shown in the order of `rank`, then of their making.
  GroupNumber group(std::uint32_t rank, const std::string& name);
  /// Times before the start, and an end before the begin, are moved: those of a record may be wrong.
  SliceNumber add(GroupNumber group, Time begin, Time end, TraceLabel label);
  /// An instant in the track of a slice; at its nearer end where it does not hold `at`.
  void mark(SliceNumber slice, Time at, TraceLabel label);
  /// An arrow from one slice to another. None where that begins or was added before it, as a damaged record may say: an arrow goes forward.
  void link(SliceNumber from, SliceNumber to, std::string name);
  TraceLabel& label(SliceNumber slice) { return slices_[slice].label; }
  void set_end(SliceNumber slice, Time end) { slices_[slice].end = end; }

  /// As many events as write() adds at most, names of tracks apart.
  std::uint64_t events() const { return slices_.size() + marks_ + 2 * links_; }
  void write(std::uint32_t process, TraceEvents& into) const;

 private:
  struct Link {
    SliceNumber to;
    std::string name;
  };
  struct Mark {
    Time at;
    TraceLabel label;
  };
  struct Slice {
    GroupNumber group;
    Time begin, end;
    TraceLabel label;
    std::vector<Link> links = {};
    std::vector<Mark> marks = {};
  };
  struct Group {
    std::uint32_t rank;
    std::string name;
  };
  std::vector<TraceTrack> tracks_of(std::uint32_t process, const std::vector<SliceNumber>& in_order,
                                    TraceEvents& into) const;

  std::vector<Group> groups_;
  std::map<std::string, GroupNumber> by_name_;
  std::vector<Slice> slices_;
  std::uint64_t links_ = 0, marks_ = 0;
};

}  // namespace gauntlet
