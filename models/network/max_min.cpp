#include "models/network/max_min.hpp"

#include "core/contract.hpp"
#include "core/infinity.hpp"

#include <algorithm>
#include <functional>

namespace gauntlet {
namespace {

constexpr double kUnbounded = kInfinity;
constexpr double kMostLost = 0x1p-20;  // of the 52 bits of a sum, before it is taken anew

// All flows fill together: at level x a flow of weight w has the rate w * x. A link that is full stops its flows. The next
// one to be full is found in a heap whose entries may be out of date: stopping flows can only put off the level at which
// another link fills, so an entry that names its link's present level is the least one.
class Filling {
 public:
  Filling(const Flows& flows, std::span<const double> capacities)
      : flows_(flows), rates_(flows.size(), kUnbounded), stopped_(flows.size(), false) {
    links_.reserve(capacities.size());
    for (const double capacity : capacities) {
      expect(capacity >= 0, "a capacity is not below zero");
      links_.push_back({.left = capacity});
    }
    list_flows_of_links();
  }

  std::vector<double> rates() {
    std::vector<Entry> heap;
    for (std::uint32_t link = 0; link < links_.size(); ++link)
      if (links_[link].flowing > 1) heap.push_back({level_of(link), link});
    // Of the links that a flow has to itself only the narrowest can stop it.
    for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
      Entry least = {kUnbounded, 0};
      for (const std::uint32_t link : links_of(flow))
        if (links_[link].flowing == 1 && level_of(link) < least.level) least = {level_of(link), link};
      if (least.level < kUnbounded) heap.push_back(least);
    }
    std::make_heap(heap.begin(), heap.end(), std::greater<>{});
    while (flowing_ > 0 && !heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>{});
      Entry& entry = heap.back();
      if (links_[entry.link].flowing == 0) {
        heap.pop_back();
      } else if (const double level = level_of(entry.link); level > entry.level) {
        entry.level = level;
        std::push_heap(heap.begin(), heap.end(), std::greater<>{});
      } else {
        if (level == kUnbounded) break;
        level_ = level;
        fill(entry.link);
        heap.pop_back();
      }
    }
    return std::move(rates_);
  }

 private:
  struct LinkState {
    double left = 0;            // of its capacity, beside the flows that stopped
    double weight = 0;          // of the flows that have not stopped
    double summed = 0;          // ... when it was last summed up, rather than subtracted from
    std::uint32_t flowing = 0;  // their number
    std::uint32_t begin = 0;    // its flows in flows_of_links_, up to the next link's
  };
  struct Entry {
    double level = 0;
    std::uint32_t link = 0;
    friend bool operator>(const Entry& a, const Entry& b) {
      return a.level != b.level ? a.level > b.level : a.link > b.link;
    }
  };

  double weight(std::uint32_t flow) const { return flows_.weights.empty() ? 1 : flows_.weights[flow]; }
  std::span<const std::uint32_t> links_of(std::uint32_t flow) const {
    return std::span(flows_.links).subspan(flows_.begin[flow], flows_.begin[flow + 1] - flows_.begin[flow]);
  }

  std::span<const std::uint32_t> flows_of(std::uint32_t link) const {
    const std::size_t end = link + 1 < links_.size() ? links_[link + 1].begin : flows_of_links_.size();
    return std::span(flows_of_links_).subspan(links_[link].begin, end - links_[link].begin);
  }

  void list_flows_of_links() {
    expect(flows_.weights.empty() || flows_.weights.size() == flows_.size(), "every flow has a weight");
    for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
      expect(weight(flow) > 0 && weight(flow) < kUnbounded, "a weight is above zero");
      if (!links_of(flow).empty()) ++flowing_;
      for (const std::uint32_t link : links_of(flow)) {
        expect(link < links_.size(), "every link has a capacity");
        ++links_[link].flowing;
        links_[link].weight += weight(flow);
      }
    }
    std::uint32_t begin = 0;
    for (LinkState& link : links_) {
      link.summed = link.weight;
      link.begin = begin;
      begin += link.flowing;
    }
    flows_of_links_.resize(begin);
    std::vector<std::uint32_t> next(links_.size());
    for (std::uint32_t flow = 0; flow < flows_.size(); ++flow)
      for (const std::uint32_t link : links_of(flow))
        flows_of_links_[links_[link].begin + next[link]++] = flow;
  }

  // Rounding may leave a little less than nothing on a link that fills together with another.
  double level_of(std::uint32_t link) const {
    return std::max(level_, links_[link].left / links_[link].weight);
  }

  void fill(std::uint32_t link) {
    for (const std::uint32_t flow : flows_of(link))
      if (!stopped_[flow]) stop(flow);
  }

  void stop(std::uint32_t flow) {
    stopped_[flow] = true;
    --flowing_;
    rates_[flow] = weight(flow) * level_;
    for (const std::uint32_t link : links_of(flow)) {
      links_[link].left -= rates_[flow];
      links_[link].weight -= weight(flow);
      --links_[link].flowing;
      if (links_[link].weight < kMostLost * links_[link].summed) sum_weights(link);
    }
  }

  // Subtracting large weights one by one would leave rounding errors in the place of small ones.
  void sum_weights(std::uint32_t link) {
    double sum = 0;
    for (const std::uint32_t flow : flows_of(link))
      if (!stopped_[flow]) sum += weight(flow);
    links_[link].weight = links_[link].summed = sum;
  }

  const Flows& flows_;
  std::vector<double> rates_;
  std::vector<bool> stopped_;
  std::vector<LinkState> links_;
  std::vector<std::uint32_t> flows_of_links_;
  std::size_t flowing_ = 0;  // that have not stopped, of those over links
  double level_ = 0;
};

}  // namespace

std::vector<double> max_min_rates(const Flows& flows, std::span<const double> capacities) {
  return Filling(flows, capacities).rates();
}

}  // namespace gauntlet
