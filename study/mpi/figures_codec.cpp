#include "study/mpi/figures_codec.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

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

template <class Coder, class ScoreType>
void code_score(Coder& coder, ScoreType& score) {
  auto& [met, detected, missed, latencies, missed_cost, incidents, handled, handled_time, evictions_wrong,
         wrong_evictions] = score;
  coder.all(met, detected, missed, latencies, missed_cost, incidents, handled, handled_time, evictions_wrong,
            wrong_evictions);
}

template <class Coder, class FiguresType>
void code_figures(Coder& coder, FiguresType& figures) {
  auto& [ending, wall, phases, lost, effective_corrupt, steps, iterations, iteration_time, interruptions,
         planned_stops, false_alarms, faults, unplanned_rate, detection_latency_sum, detected,
         evictions_right, evictions_wrong, asked, spares_max_in_use, fault_scores, false_alerts,
         wrong_evictions, fingerprint, incidents] = figures;
  coder.all(ending, wall, phases, lost, effective_corrupt, steps, iterations, iteration_time, interruptions,
            planned_stops, false_alarms, faults, unplanned_rate, detection_latency_sum, detected,
            evictions_right, evictions_wrong, asked, spares_max_in_use, fault_scores, false_alerts,
            wrong_evictions, fingerprint, incidents);
}

class Encoder {
 public:
  explicit Encoder(WireWriter& out) : out_(out) {}

  template <class... Each>
  void all(const Each&... each) {
    (one(each), ...);
  }

 private:
  template <class T>
  void one(const T& value) {
    out_.put(value);
  }
  void one(const Cause& cause) { out_.put(cause.value); }
  void one(const Incident& incident) { code_incident(*this, incident); }
  void one(const Latencies::Bin& bin) { all(bin.number, bin.count); }
  void one(const Latencies& latencies) { one(latencies.bins()); }
  // A kind that struck no job is a byte.
  void one(const FaultScore& score) {
    const bool there = score != FaultScore{};
    out_.put(std::uint8_t{there});
    if (there) code_score(*this, score);
  }
  // Most are zero: a bit for each says which are not.
  void one(const PhaseTimes& times) {
    std::uint32_t there = 0;
    for (std::size_t i = 0; i < times.size(); ++i)
      if (times[i] != Duration{}) there |= 1U << i;
    out_.put(there);
    for (const Duration time : times)
      if (time != Duration{}) out_.put(time);
  }
  template <class T>
  void one(const std::vector<T>& values) {
    out_.put(values.size());
    for (const T& value : values) one(value);
  }

  WireWriter& out_;
};

class Decoder {
 public:
  explicit Decoder(WireReader& in) : in_(in) {}

  template <class... Each>
  void all(Each&... each) {
    (one(each), ...);
  }

 private:
  template <class T>
  void one(T& value) {
    in_.get(value);
  }
  void one(Cause& cause) { in_.get(cause.value); }
  void one(Incident& incident) { code_incident(*this, incident); }
  void one(Latencies::Bin& bin) { all(bin.number, bin.count); }
  void one(Latencies& latencies) {
    std::vector<Latencies::Bin> bins;
    one(bins);
    if (auto read = Latencies::from_bins(std::move(bins))) {
      latencies = std::move(*read);
    } else {
      in_.fail();
    }
  }
  void one(FaultScore& score) {
    std::uint8_t there = 0;
    in_.get(there);
    score = {};
    if (there > 1) in_.fail();
    if (there == 1) code_score(*this, score);
  }
  void one(Ending& ending) {
    in_.get(ending);
    if (ending > Ending::gave_up) in_.fail();
  }
  void one(ComponentKind& kind) {
    in_.get(kind);
    if (kind > ComponentKind::power) in_.fail();
  }
  void one(PhaseTimes& times) {
    std::uint32_t there = 0;
    in_.get(there);
    if (there >= 1U << times.size()) in_.fail();
    for (std::size_t i = 0; i < times.size(); ++i) {
      times[i] = {};
      if (there >> i & 1U) in_.get(times[i]);
    }
  }
  template <class T>
  void one(std::vector<T>& values) {
    values.resize(in_.count());
    for (T& value : values) {
      if (!in_.good()) return;
      one(value);
    }
  }

  WireReader& in_;
};

}  // namespace

void put(WireWriter& out, const Figures& figures) {
  Encoder encoder(out);
  code_figures(encoder, figures);
}

void get(WireReader& in, Figures& figures) {
  Decoder decoder(in);
  code_figures(decoder, figures);
}

}  // namespace gauntlet
