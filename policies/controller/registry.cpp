#include "policies/controller/registry.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <array>

namespace gauntlet {
namespace {

struct DetectorEntry {
  std::string_view name;
  std::string_view about;
  std::array<Signal, 2> signals;  // one that needs a single one names it twice
  Detector (*make)();
};

template <class T>
Detector make() {
  return T{};
}

constexpr std::array<DetectorEntry, 13> kDetectors = {{
    {"heartbeat",
     "a host whose heartbeats stop",
     {Signal::heartbeat, Signal::heartbeat},
     make<HeartbeatDetector>},
    {"exit", "a process that exits", {Signal::process_exit, Signal::process_exit}, make<ExitDetector>},
    {"log",
     "log lines, by the table detection.lines",
     {Signal::log_line, Signal::log_line},
     make<LogDetector>},
    {"hang", "no step completes", {Signal::step, Signal::step}, make<HangDetector>},
    {"collective-timeout",
     "the lines of ranks that waited too long or lost a peer",
     {Signal::log_line, Signal::log_line},
     make<CollectiveTimeoutDetector>},
    {"traffic-stopped",
     "no rank sends anything",
     {Signal::traffic, Signal::traffic},
     make<TrafficStoppedDetector>},
    {"traffic-period",
     "traffic declines or loses its period: a person is told",
     {Signal::traffic, Signal::traffic_period},
     make<TrafficPeriodDetector>},
    {"fail-slow",
     "a host that computes slower than its peers",
     {Signal::forward_time, Signal::backward_time},
     make<FailSlowDetector>},
    {"mfu", "steps take longer than the best ones so far", {Signal::step, Signal::step}, make<MfuDetector>},
    {"loss", "the loss is NaN, or jumps", {Signal::loss, Signal::loss}, make<LossDetector>},
    {"flap", "a NIC that goes down repeatedly", {Signal::log_line, Signal::traffic}, make<FlapDetector>},
    // Alternatives to others.
    {"learned-hang",
     "no step completes for a multiple of the longest one so far; instead of hang",
     {Signal::step, Signal::step},
     make<LearnedHangDetector>},
    {"change-point",
     "the step time has changed, and a host is slow; instead of fail-slow",
     {Signal::forward_time, Signal::backward_time},
     make<ChangePointDetector>},
}};
constexpr std::size_t kUsualDetectors = 11;

struct DiagnoserEntry {
  std::string_view name;
  std::string_view about;
  Diagnoser what;
};
constexpr std::array<DiagnoserEntry, 4> kDiagnosers = {{
    {"suite", "the probes of diagnosis.suite, in their order", {}},
    {"localise",
     "which ranks wait for which in the collectives, then the suite on the hosts found",
     {.localises = true}},
    {"person", "stop the job and ask a person", {.means = Diagnoser::Means::person}},
    {"evidence",
     "replace the host that the detectors name, without any probe",
     {.means = Diagnoser::Means::evidence}},
}};
constexpr std::array<Signal, 1> kLocalised = {Signal::last_collective};

struct CheckpointEntry {
  std::string_view name;
  std::string_view about;
  CheckpointPolicy (*make)();
};
template <class T>
CheckpointPolicy make_checkpoints() {
  return T{};
}
template <OptimalInterval::Formula formula>
CheckpointPolicy make_optimal() {
  return OptimalInterval(formula);
}
constexpr std::array<CheckpointEntry, 5> kCheckpoints = {{
    {"fixed", "every checkpoint.interval, and in memory at the other intervals",
     make_checkpoints<FixedInterval>},
    {"young", "Young's interval, for the observed failure rate and cost",
     make_optimal<OptimalInterval::Formula::young>},
    {"daly", "Daly's interval, the higher-order formula of the same optimum",
     make_optimal<OptimalInterval::Formula::daly>},
    {"exact", "the interval at the exact minimum of the mean time",
     make_optimal<OptimalInterval::Formula::exact>},
    {"two-level", "the best intervals of memory and of storage together", make_checkpoints<TwoLevelInterval>},
}};

struct RecoveryEntry {
  std::string_view name;
  std::string_view about;
  Recovery::First what;
};
constexpr std::array<RecoveryEntry, 4> kRecoveries = {{
    {"replace", "find the culprit, replace it, and start", Recovery::First::diagnosis},
    {"restart-in-place",
     "start again at once; look for a culprit only after another stop in the same incident",
     Recovery::First::restart},
    {"restart", "start again without looking for a culprit; ask a person if the job stops again and again",
     Recovery::First::restart_only},
    {"person", "every stop waits for a person", Recovery::First::person},
}};

struct RestoreEntry {
  std::string_view name;
  std::string_view about;
  Restore what;
};
constexpr std::array<RestoreEntry, kRestoreNames.size()> kRestores = {{
    {kRestoreNames[0], "one rank of each data-parallel group reads and broadcasts", Restore::one_reader},
    {kRestoreNames[1], "every rank reads all that it needs", Restore::every_rank},
}};

struct RetirementEntry {
  std::string_view name;
  std::string_view about;
  Retirement::Rule what;
};
constexpr std::array<RetirementEntry, 3> kRetirements = {{
    {"never", "every host comes back from repair", Retirement::Rule::never},
    {"threshold", "a host that was evicted too often within a window does not come back",
     Retirement::Rule::threshold},
    {"score", "like threshold, by a count of the host's evictions that decays with time",
     Retirement::Rule::score},
}};

constexpr std::array<std::string_view, 2> kSparesPolicies = {"fixed", "quantile"};
constexpr std::array<std::string_view, 2> kAboutSparesPolicies = {
    "spares.count hosts", "enough hosts for the failures of a day, with probability spares.quantile"};

template <class Entry, std::size_t N>
constexpr std::array<std::string_view, N> names_of(const std::array<Entry, N>& entries) {
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) names[i] = entries[i].name;
  return names;
}
constexpr auto kDetectorNames = names_of(kDetectors);
constexpr auto kDiagnoserNames = names_of(kDiagnosers);
constexpr auto kCheckpointNames = names_of(kCheckpoints);
constexpr auto kRecoveryNames = names_of(kRecoveries);
constexpr auto kRetirementNames = names_of(kRetirements);

template <std::size_t N>
std::size_t index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  expect(found != names.end(), "policies are named by the registry");
  return static_cast<std::size_t>(found - names.begin());
}

const DetectorEntry& detector(std::string_view name) { return kDetectors[index_of(kDetectorNames, name)]; }
const DiagnoserEntry& diagnoser(std::string_view name) {
  return kDiagnosers[index_of(kDiagnoserNames, name)];
}
const CheckpointEntry& checkpoint(std::string_view name) {
  return kCheckpoints[index_of(kCheckpointNames, name)];
}
const RecoveryEntry& recovery(std::string_view name) { return kRecoveries[index_of(kRecoveryNames, name)]; }
const RestoreEntry& restore(std::string_view name) { return kRestores[index_of(kRestoreNames, name)]; }
const RetirementEntry& retirement(std::string_view name) {
  return kRetirements[index_of(kRetirementNames, name)];
}

}  // namespace

std::span<const std::string_view> detector_names() { return kDetectorNames; }
std::span<const std::string_view> usual_detectors() { return detector_names().first(kUsualDetectors); }
std::span<const std::string_view> diagnoser_names() { return kDiagnoserNames; }
std::span<const std::string_view> checkpoint_policy_names() { return kCheckpointNames; }
std::span<const std::string_view> recovery_names() { return kRecoveryNames; }
std::span<const std::string_view> restore_names() { return kRestoreNames; }
std::span<const std::string_view> retirement_names() { return kRetirementNames; }
std::span<const std::string_view> spares_policy_names() { return kSparesPolicies; }

Detector make_detector(std::string_view name) { return detector(name).make(); }
Diagnoser make_diagnoser(std::string_view name) { return diagnoser(name).what; }

CheckpointPolicy make_checkpoint_policy(std::string_view name) { return checkpoint(name).make(); }
Recovery::First first_step_of_recovery(std::string_view name) { return recovery(name).what; }
Restore restore_named(std::string_view name) { return restore(name).what; }
Retirement make_retirement(std::string_view name, const RetirementConstants& constants) {
  return {retirement(name).what, constants};
}

std::span<const Signal> signals_of_detector(std::string_view name) {
  const std::span<const Signal> signals = detector(name).signals;
  return signals.first(signals[0] == signals[1] ? 1 : 2);
}

std::span<const Signal> signals_of_diagnoser(std::string_view name) {
  return diagnoser(name).what.localises ? std::span<const Signal>(kLocalised) : std::span<const Signal>();
}

std::string_view about_detector(std::string_view name) { return detector(name).about; }
std::string_view about_diagnoser(std::string_view name) { return diagnoser(name).about; }
std::string_view about_checkpoint_policy(std::string_view name) { return checkpoint(name).about; }
std::string_view about_recovery(std::string_view name) { return recovery(name).about; }
std::string_view about_restore(std::string_view name) { return restore(name).about; }
std::string_view about_retirement(std::string_view name) { return retirement(name).about; }
std::string_view about_spares_policy(std::string_view name) {
  return kAboutSparesPolicies[index_of(kSparesPolicies, name)];
}

}  // namespace gauntlet
