// A suite of probes on this host: one after the other, because they would disturb each other.
#pragma once

#include "core/time.hpp"
#include "models/world/probe_measure.hpp"
#include "real/probes/host/probe.hpp"
#include "real/probes/judge.hpp"
#include "real/probes/peers.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {

struct PlannedProbe {
  std::string name;
  Duration expected{};  // how long the suite says that it takes
  ProbeMeasure measure;
};

struct ProbeReport {
  std::string name;
  std::string unit;
  ProbeFinding finding;
  ProbeSample sample;
  Duration took{}, expected{};
};

struct HostExamination {
  const ProbedHost& host;
  std::vector<PeerReport> peers = {};
  /// Once it is set, the probe that runs ends, and the others do not begin. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Called before each probe. May be empty.
  std::function<void(const PlannedProbe&)> begins = {};
};

/// In the order of the suite; fewer than it has where it was stopped. For programs with one thread (isolated.hpp).
std::vector<ProbeReport> examine_host(const std::vector<PlannedProbe>& suite, const HostExamination& how);

/// Degraded or worse where any probe says so. Else inconclusive where any probe is, or where none passes.
ProbeVerdict verdict_of(const std::vector<ProbeReport>& reports);

}  // namespace gauntlet
