#include "commands/timeline/episodes.hpp"

#include "score/detection.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace gauntlet {
namespace {

/// The host that an observation names.
std::optional<HostId> host_named(const Observation& what) {
  const auto* seen = std::get_if<Seen>(&what);
  if (seen == nullptr || seen->who.kind != ComponentKind::host) return std::nullopt;
  return HostId{seen->who.index};
}

bool can_show_a_stop(const Observation& what) {
  return std::holds_alternative<Seen>(what) || std::holds_alternative<Noticed>(what) ||
         std::holds_alternative<StopRequest>(what);
}

/// Goes through the observations with the truth log beside them.
class ObservationSearch {
 public:
  ObservationSearch(const TruthLog& truth, const Record& record, std::vector<FaultEpisode>& episodes)
      : truth_(truth), record_(record), episodes_(episodes), of_entry_(truth.size(), kNone) {
    for (std::size_t i = 0; i < episodes.size(); ++i) {
      of_entry_[episodes[i].onset] = i;
      for (const std::size_t place : episodes[i].later) of_entry_[place] = i;
    }
  }

  void run() {
    std::size_t order = 0;
    for (std::size_t i = 0; i < record_.observations.size(); ++i) {
      const Observed& seen = record_.observations[i];
      bool is_answered = false;
      for (; order < record_.orders.size() && record_.orders[order].observations <= i + 1; ++order)
        is_answered = true;
      follow(seen.at);
      const bool names = named(i, seen);
      if (is_answered && can_show_a_stop(seen.what) && (!names || newest_named_)) answered(i);
    }
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  void follow(Time until) {
    for (; next_ < truth_.size() && truth_[next_].at <= until; ++next_) {
      const std::size_t episode = of_entry_[next_];
      if (episode == kNone) continue;
      const Truth& entry = truth_[next_];
      if (entry.what == TruthKind::onset) unnamed_.push_back(episode);
      const bool stops = entry.what == TruthKind::escalated || entry.stops;
      if (entry.on_job && stops && entry.what != TruthKind::ended && !episodes_[episode].answered)
        stopping_ = episode;
    }
    std::erase_if(unnamed_, [&](std::size_t each) {
      return episodes_[each].ended && until - episodes_[each].end > kAlertMemory;
    });
  }

  /// Whether the observation names the host of a fault that is not named yet.
  bool named(std::size_t observation, const Observed& seen) {
    newest_named_ = false;
    const auto host = host_named(seen.what);
    if (!host) return false;
    const auto concerned = [&](std::size_t each) {
      const Truth& onset = truth_[episodes_[each].onset];
      return onset.component.kind != ComponentKind::job && concerns(onset, *host);
    };
    const auto latest = std::find_if(unnamed_.rbegin(), unnamed_.rend(), concerned);
    if (latest == unnamed_.rend()) return false;
    const std::size_t found = *latest;
    episodes_[found].names_host = observation;
    newest_named_ = found == stopping_;
    // Older ones that are over were not what it saw.
    std::erase_if(unnamed_, [&](std::size_t each) {
      return each == found ||
             (each < found && concerned(each) && episodes_[each].ended && episodes_[each].end < seen.at);
    });
    return true;
  }

  void answered(std::size_t observation) {
    if (stopping_ == kNone) return;
    episodes_[std::exchange(stopping_, kNone)].answered = observation;
  }

  const TruthLog& truth_;
  const Record& record_;
  std::vector<FaultEpisode>& episodes_;
  std::vector<std::size_t> of_entry_;  // by place in the truth log: its episode
  std::vector<std::size_t> unnamed_;   // episodes, by onset
  std::size_t stopping_ = kNone;       // the last that stopped the job, until an observation is answered
  std::size_t next_ = 0;
  bool newest_named_ = false;
};

}  // namespace

std::vector<FaultEpisode> episodes_of(const TruthLog& truth, Time end_of_run) {
  std::vector<FaultEpisode> episodes;
  std::map<std::pair<FaultKindId, ComponentId>, std::vector<std::size_t>> open;
  for (std::size_t place = 0; place < truth.size(); ++place) {
    const Truth& entry = truth[place];
    std::vector<std::size_t>& same = open[{entry.kind, entry.component}];
    if (entry.what == TruthKind::onset) {
      same.push_back(episodes.size());
      episodes.push_back({.onset = place, .end = std::max(entry.at, end_of_run)});
    } else if (same.empty()) {
      continue;
    } else if (entry.what == TruthKind::ended) {
      episodes[same.back()].end = entry.at;
      episodes[same.back()].ended = true;
      same.pop_back();
    } else {
      episodes[same.back()].later.push_back(place);
    }
  }
  return episodes;
}

void find_observations(const TruthLog& truth, const Record& record, std::vector<FaultEpisode>& episodes) {
  ObservationSearch(truth, record, episodes).run();
}

}  // namespace gauntlet
