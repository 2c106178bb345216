// The tape: what chance did in a run, keyed by meaning. The reference cluster draws nothing; it reads the tape.
//
// It is taken from what the run under test shows: its truth log, its observations and its orders. It says nothing that a scenario
// says: where a scenario leaves nothing to chance, the reference cluster goes by the scenario.
#pragma once

#include "core/record/record.hpp"
#include "core/record/truth.hpp"
#include "models/world/world.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace gauntlet::reference {

/// When each host sends its first heartbeat.
using Phases = std::vector<Duration>;

class Tape {
 public:
  struct Onset {
    Time at;
    FaultKindId kind;
    ComponentId component;
    std::size_t orders = 0;  // that had been given by then
    friend bool operator==(const Onset& a, const Onset& b) { return !(a < b) && !(b < a); }
    friend bool operator<(const Onset& a, const Onset& b) {
      return std::tie(a.at, a.kind, a.component) < std::tie(b.at, b.kind, b.component);
    }
  };

  Tape(const World& world, const TruthLog& truth, const Record& record, Phases phases);

  /// "Kind K struck component C at t", in order of time.
  const std::vector<Onset>& onsets() const { return onsets_; }
  bool struck(const Onset& onset) const;
  /// "The fault that struck then was over at t, when so many orders had been given"; nothing where it was not.
  struct Over {
    Time at;
    std::size_t orders;
    friend bool operator==(const Over&, const Over&) = default;
  };
  std::optional<Over> over(const Onset& onset) const;
  /// "Host H was back from its Nth repair at t" (N from 0), and whether the fault of that kind and onset was over then.
  std::optional<Time> back(HostId host, std::uint32_t repair) const;
  /// "Host H wrote line L at t." Where it wrote it several times at once, each is told once.
  bool take_line(HostId host, PatternId line, Time at);
  /// "The Nth start of the job (from 0) took so long, and went on from step S"; nothing where it did not succeed.
  struct Began {
    Duration took;
    std::int64_t step;
  };
  std::optional<Began> start(std::size_t number) const;
  /// "The Nth probe (from 0) found host H": the hosts that failed it.
  std::vector<HostId> failed_probe(std::size_t number) const;
  /// "The Nth question to a person (from 0) was answered after so long"; likewise a host that was ordered.
  std::optional<Duration> took(const Order& order) const;
  /// "The first heartbeat of host H was sent so long after the start."
  Duration phase(HostId host) const { return phases_[host.value]; }

 private:
  std::vector<Onset> onsets_;
  std::set<Onset> struck_;
  std::map<Onset, Over> over_;
  std::map<std::pair<HostId, std::uint32_t>, Time> back_;
  std::map<std::tuple<HostId, PatternId, Time>, std::uint32_t> wrote_;
  std::map<std::size_t, Began> starts_;
  std::map<std::size_t, std::vector<HostId>> probes_;
  std::map<OrderId, Duration> took_;
  Phases phases_;
};

/// When each host sends its first heartbeat in a run with that seed. A run in which all agents fall silent at one time shows it: a
/// silence is reported so long after the last heartbeat before it.
Phases listen_for_phases(const World& world, std::uint64_t seed);

}  // namespace gauntlet::reference
