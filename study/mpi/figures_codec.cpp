#include "study/mpi/figures_codec.hpp"

#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Wraps around instead of overflowing: damaged bytes may hold anything.
Duration difference(Duration a, Duration b) {
  const auto bits = static_cast<std::uint64_t>(a.count()) - static_cast<std::uint64_t>(b.count());
  return Duration(static_cast<std::int64_t>(bits));
}
void add(Duration& sum, Duration part) { sum = difference(sum, difference({}, part)); }

/// What usually follows from the rest of the figures is told as its difference from that: mostly zero, which takes a bit.
struct Usual {
  std::uint32_t met = 0;    // the onsets on the job's hosts
  Duration handled_time{};  // what was lost to the kind in the phases that it is of
};
Usual usual_of(const Figures& figures, std::size_t kind) {
  Usual usual;
  if (kind < figures.faults.size()) usual.met = figures.faults[kind];
  if (const std::size_t cause = kCausesWithoutFault + kind; cause < figures.lost.size()) {
    usual.handled_time = at(figures.lost[cause], Phase::undetected);
    add(usual.handled_time, at(figures.lost[cause], Phase::diagnosing));
  }
  return usual;
}
/// From a score to what is told of it, and back: `score` is the one of the two that is not a difference.
void turn(const Usual& usual, const FaultScore& score, const FaultScore& from, FaultScore& to) {
  to = from;
  to.met = usual.met - from.met;
  to.detected = score.met - from.detected;
  to.incidents = score.detected - from.incidents;
  to.handled = score.incidents - from.handled;
  to.handled_time = difference(usual.handled_time, from.handled_time);
}

/// What was lost adds up to the phases.
PhaseTimes usual_phases(const Figures& figures) {
  PhaseTimes sums{};
  for (const PhaseTimes& of_cause : figures.lost)
    for (std::size_t i = 0; i < sums.size(); ++i) add(sums[i], of_cause[i]);
  return sums;
}
/// And the phases to the wall time.
Duration usual_wall(const Figures& figures) {
  Duration sum{};
  for (const Duration part : figures.phases) add(sum, part);
  return sum;
}
PhaseTimes difference(const PhaseTimes& a, const PhaseTimes& b) {
  PhaseTimes differences{};
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = difference(a[i], b[i]);
  return differences;
}

// One description serves both directions. The structured bindings name every member: a new one does not compile until it
// is here too.
template <class Coder, class IncidentType>
void code_incident(Coder& coder, IncidentType& incident) {
  auto& [opened, closed, cause, component, detected, detection_latency, stops, restarts, evictions_right,
         evictions_wrong, asked, unplanned, noticed, handled, wrong_evictions, steps_lost, lost] = incident;
  auto& [kind, index] = component;
  coder.all(opened, closed, cause, kind, index, detected, detection_latency, stops, restarts, evictions_right,
            evictions_wrong, asked, unplanned, noticed, handled, wrong_evictions, steps_lost, lost);
}

// What differs most often comes first: seven bits are a byte.
template <class Coder, class ScoreType>
void code_score(Coder& coder, ScoreType& score) {
  auto& [met, detected, missed, latencies, missed_cost, incidents, handled, handled_time, evictions_wrong,
         wrong_evictions] = score;
  coder.sparse(latencies, incidents, handled, handled_time, detected, missed, missed_cost, evictions_wrong,
               wrong_evictions, met);
}

template <class Coder, class BucketType>
void code_bucket(Coder& coder, BucketType& bucket) {
  auto& [phases, steps] = bucket;
  coder.all(phases, steps);
}

template <class Coder, class FiguresType>
void code_figures(Coder& coder, FiguresType& figures) {
  auto& [ending, wall, phases, lost, effective_corrupt, steps, iterations, iteration_time, interruptions,
         planned_stops, preemptions, shrunk, fewest_replicas, false_alarms, faults, compensated,
         compensated_work, tiltable_strikes, tiltable_expected, unplanned_rate, detection_latency_sum,
         detected, evictions_right, evictions_wrong, asked, spares_max_in_use, fault_scores, false_alerts,
         wrong_evictions, released, fingerprint, incidents, over_time] = figures;
  coder.all(ending, lost);
  coder.instead_of(usual_phases(figures), phases);
  coder.instead_of(usual_wall(figures), wall);
  coder.all(effective_corrupt, steps, iterations, iteration_time, interruptions, planned_stops, preemptions,
            shrunk, fewest_replicas, false_alarms, faults, compensated, compensated_work, tiltable_strikes,
            tiltable_expected, unplanned_rate, detection_latency_sum, detected, evictions_right,
            evictions_wrong, asked, spares_max_in_use);
  coder.scores(figures, fault_scores);
  coder.all(false_alerts, wrong_evictions, released, fingerprint, incidents, over_time);
}

class FiguresEncoder {
 public:
  explicit FiguresEncoder(WireWriter& out) : out_(out) {}

  template <class... Each>
  void all(const Each&... each) {
    (one(each), ...);
  }
  /// A bit for each says which are not zero; these follow.
  template <class... Each>
  void sparse(const Each&... each) {
    std::uint32_t there = 0, bit = 1;
    ((there |= each != Each{} ? bit : 0, bit <<= 1), ...);
    one(there);
    ((each != Each{} ? one(each) : void()), ...);
  }
  template <class T>
  void instead_of(const T& usual, const T& value) {
    one(difference(usual, value));
  }
  void scores(const Figures& figures, const std::vector<FaultScore>& scores) {
    one(scores.size());
    for (std::size_t kind = 0; kind < scores.size(); ++kind) {
      FaultScore told;
      turn(usual_of(figures, kind), scores[kind], scores[kind], told);
      code_score(*this, told);
    }
  }

 private:
  template <class T>
  void one(const T& value) {
    out_.put(value);
  }
  void one(const Cause& cause) { out_.put(cause.value); }
  void one(const Incident& incident) { code_incident(*this, incident); }
  void one(const TimeBucket& bucket) { code_bucket(*this, bucket); }
  // Each bin as the way from the one before; most hold a single latency, which takes no number.
  void one(const Latencies& latencies) {
    one(latencies.bins().size());
    std::uint32_t before = 0;
    for (const auto& [number, count] : latencies.bins()) {
      one(std::uint64_t{number - before} << 1 | std::uint64_t{count != 1});
      if (count != 1) one(count);
      before = number;
    }
  }
  // Of what is lost nothing is effective.
  void one(const PhaseTimes& times) {
    std::apply([this](const auto& effective, const auto&... rest) { sparse(rest..., effective); }, times);
  }
  template <class T>
  void one(const std::vector<T>& values) {
    out_.put(values.size());
    for (const T& value : values) one(value);
  }

  WireWriter& out_;
};

class FiguresDecoder {
 public:
  explicit FiguresDecoder(WireReader& in) : in_(in) {}

  template <class... Each>
  void all(Each&... each) {
    (one(each), ...);
  }
  template <class... Each>
  void sparse(Each&... each) {
    std::uint32_t there = 0;
    one(there);
    if (there >= 1U << sizeof...(Each)) in_.fail();
    const auto next = [&](auto& value) {
      value = {};
      if ((there & 1U) != 0) one(value);
      there >>= 1;
    };
    (next(each), ...);
  }
  template <class T>
  void instead_of(const T& usual, T& value) {
    one(value);
    value = difference(usual, value);
  }
  void scores(const Figures& figures, std::vector<FaultScore>& scores) {
    scores.clear();
    const std::size_t count = in_.count();
    for (std::size_t kind = 0; kind < count && in_.good(); ++kind) {
      FaultScore told;
      code_score(*this, told);
      FaultScore& score = scores.emplace_back();
      turn(usual_of(figures, kind), score, told, score);
    }
  }

 private:
  template <class T>
  void one(T& value) {
    in_.get(value);
  }
  void one(Cause& cause) { in_.get(cause.value); }
  void one(Incident& incident) { code_incident(*this, incident); }
  void one(TimeBucket& bucket) { code_bucket(*this, bucket); }
  void one(Latencies& latencies) {
    std::vector<Latencies::Bin> bins;
    std::uint64_t number = 0;
    for (std::size_t left = in_.count(); left > 0; --left) {
      if (!in_.good()) return;
      std::uint64_t told = 0;
      one(told);
      number += told >> 1;
      if (number > std::numeric_limits<std::uint32_t>::max()) return in_.fail();
      bins.push_back({static_cast<std::uint32_t>(number), 1});
      if ((told & 1U) != 0) one(bins.back().count);
    }
    if (auto read = Latencies::from_bins(std::move(bins))) {
      latencies = std::move(*read);
    } else {
      in_.fail();
    }
  }
  void one(Ending& ending) {
    in_.get(ending);
    if (ending > Ending::stopped) in_.fail();
  }
  void one(ComponentKind& kind) {
    in_.get(kind);
    if (kind > ComponentKind::power) in_.fail();
  }
  void one(PhaseTimes& times) {
    std::apply([this](auto& effective, auto&... rest) { sparse(rest..., effective); }, times);
  }
  template <class T>
  void one(std::vector<T>& values) {
    values.clear();
    for (std::size_t left = in_.count(); left > 0 && in_.good(); --left) one(values.emplace_back());
  }

  WireReader& in_;
};

}  // namespace

void put(WireWriter& out, const Figures& figures) {
  FiguresEncoder encoder(out);
  code_figures(encoder, figures);
}

void get(WireReader& in, Figures& figures) {
  FiguresDecoder decoder(in);
  code_figures(decoder, figures);
}

}  // namespace gauntlet
