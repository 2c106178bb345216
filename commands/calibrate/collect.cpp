#include "commands/calibrate/collect.hpp"

#include "config/toml/value.hpp"
#include "models/storage/storage.hpp"
#include "study/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <set>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

namespace gauntlet {
namespace {

using Samples = std::map<std::string, KeySample>;

constexpr std::string_view kWholeStart = "job.restart_time";

/// Of one run, into the samples of all.
class RunReader {
 public:
  RunReader(const MeasuredRun& run, std::uint32_t number, Samples& samples)
      : run_(run), number_(number), world_(run.loaded.scenario->world), samples_(samples) {}

  void read() {
    for (const Measurement& each : *run_.recording.measurements) read(each);
    for (const RecordedOrder& each : run_.recording.record.orders) {
      orders_.emplace(each.order.id.value, &each.order);
      if (const auto* watch = std::get_if<Watch>(&each.order.what)) watched_[watch->id.value] = watch->signal;
    }
    for (const Observed& each : run_.recording.record.observations)
      std::visit([&](const auto& what) { read(each.at, what); }, each.what);
  }

 private:
  void add(std::string key, KeyForm form, Grows grows, Duration took) {
    KeySample& sample =
        samples_.try_emplace(key, KeySample{.key = key, .form = form, .grows = grows}).first->second;
    const double size = grows == Grows::with_hosts   ? run_.hosts()
                        : grows == Grows::with_bytes ? run_.bytes()
                                                     : 0;
    sample.values.push_back(
        {.seconds = to_seconds(std::max(took, Duration::zero())), .size = size, .run = number_});
  }

  void read(const Measurement& of) {
    using enum KeyForm;
    using enum Grows;
    switch (of.what) {
      case Measured::process_start:
        return add("job.start.process_start", distribution, with_hosts, of.took);
      case Measured::communicator_init:
        return add("job.start.communicator_init", distribution, with_hosts, of.took);
      case Measured::load:
        return add("storage.load", duration, with_bytes, of.took);
      case Measured::data_loader:
        return add("job.start.data_loader", distribution, with_hosts, of.took);
      case Measured::step:
        return add("job.step_time", duration, with_hosts, of.took);
      case Measured::stall:
        return add("storage.stall", duration, with_bytes, of.took);
      case Measured::persist:
        if (world_.storage.mode == CheckpointMode::synchronous) return;  // then the stall is all of it
        return add("storage.persist", duration, with_bytes, of.took);
    }
  }

  /// The agents of a drill start before its job: as a cluster that is made for it.
  void read(Time at, const Started&) {
    if (at > kStart) add("job.start.provisioning", KeyForm::distribution, Grows::with_hosts, at - kStart);
  }

  void read(Time at, const Outcome& outcome) {
    const auto found = orders_.find(outcome.order.value);
    if (found == orders_.end() || outcome.status != Status::done) return;
    const Action& what = found->second->what;
    if (std::holds_alternative<Stop>(what))
      add("job.stop_time", KeyForm::duration, Grows::with_hosts, outcome.took);
    if (const auto* start = std::get_if<Start>(&what)) read_start(*start, outcome);
    if (const auto* probe = std::get_if<Probe>(&what); probe && probe->probe.value < world_.probes.size())
      read_probe(*probe, at, outcome.took);
    if (const auto* evict = std::get_if<Evict>(&what)) evicted_[evict->host.value] = at;
    if (std::holds_alternative<Ask>(what))
      add("people.response", KeyForm::distribution, Grows::with_nothing, outcome.took);
  }

  /// Of one turn of its hosts. Where one turn ends before the next begins, a probe may have waited for the one before it.
  void read_probe(const Probe& probe, Time at, Duration took) {
    const ProbeKind& kind = world_.probes[probe.probe.value];
    const std::uint32_t groups = (world_.inventory.job_hosts + kind.group - 1) / kind.group;
    const bool in_turns = kind.at_once > 0 && probe.who.subset != Scope::Subset::one;
    const std::uint32_t turns = in_turns ? (groups + kind.at_once - 1) / kind.at_once : 1;
    Time& before = probed_.try_emplace(probe.probe.value, kStart).first->second;
    if (kind.at_once == 1) took = std::min(took, at - before);
    before = at;
    add("probes." + key_to_toml(kind.name) + ".time", KeyForm::duration, Grows::with_nothing, took / turns);
  }

  /// All of a start, less what storage takes by the scenario to load the checkpoint.
  void read_start(const Start& start, const Outcome& outcome) {
    const auto* loaded = std::get_if<Loaded>(&outcome.result);
    const TierCosts storage = checkpoint_costs(world_)[Tier::storage];
    const bool loads = loaded == nullptr || loaded->step > 0;
    const Duration load = loads ? storage.load[static_cast<std::size_t>(start.restore)] : Duration::zero();
    add(std::string(kWholeStart), KeyForm::distribution, Grows::with_hosts, outcome.took - load);
  }

  void read(Time at, const HostReturned& returned) {
    const auto evicted = evicted_.find(returned.host.value);
    // With causes or people of their own, repairs are not one distribution.
    if (evicted == evicted_.end() || !world_.repair.by_cause.empty() || world_.repair.manual.needed.value > 0)
      return;
    add("repair.time", KeyForm::distribution, Grows::with_nothing,
        at - evicted->second - world_.repair.burn_in);
    evicted_.erase(evicted);
  }

  void read(Time at, const Seen& seen) {
    const auto signal = watched_.find(seen.watch.value);
    if (signal == watched_.end() || seen.sensed >= at)
      return;  // the driver itself finds that heartbeats stay away
    const Signal of = signal->second;
    add(std::string(kSignalPrefix) + std::string(kSignalNames[static_cast<std::size_t>(of)]),
        KeyForm::duration, Grows::with_nothing, at - seen.sensed);
    const bool delayed = of == Signal::log_line || of == Signal::forward_time ||
                         of == Signal::backward_time || of == Signal::traffic;
    if (delayed) add("telemetry.delay", KeyForm::duration, Grows::with_nothing, at - seen.sensed);
    // Several watches see one exit.
    if (of == Signal::process_exit && exits_.emplace(seen.who.index, seen.sensed).second)
      add("telemetry.exit_delay", KeyForm::duration, Grows::with_nothing, at - seen.sensed);
  }

  template <class Other>
  void read(Time, const Other&) {}

  const MeasuredRun& run_;
  const std::uint32_t number_;
  const World& world_;
  Samples& samples_;
  std::unordered_map<std::uint64_t, const Order*> orders_;
  std::unordered_map<std::uint32_t, Signal> watched_;
  std::map<std::uint32_t, Time> evicted_;
  std::map<std::uint32_t, Time> probed_;            // by probe: when the last one ended
  std::set<std::pair<std::uint32_t, Time>> exits_;  // by host
};

/// What makes a scenario larger or smaller, what follows from its size, and what no run depends on.
bool may_differ(std::string_view key) {
  constexpr std::array<std::string_view, 16> kKeys = {"name",
                                                      "question",
                                                      "study.",
                                                      "cluster.hosts",
                                                      "cluster.hosts_per_tor",
                                                      "cluster.pod",
                                                      "spares.count",
                                                      "job.layout",
                                                      "job.global_batch",
                                                      "job.micro_batch",
                                                      "job.model.",
                                                      "job.steps",
                                                      "job.window",
                                                      "storage.bytes_per_parameter",
                                                      "storage.weight_bytes",
                                                      "checkpoint.prior_"};
  return std::any_of(kKeys.begin(), kKeys.end(),
                     [&](std::string_view each) { return key.starts_with(each); });
}

/// The first key, in the order of the alphabet, in which two scenarios differ and may not.
std::optional<std::string> difference(const Value& a, const Value& b, const std::string& path = {}) {
  if (may_differ(path)) return std::nullopt;
  if (a.table() == nullptr || b.table() == nullptr)
    return to_toml(a) == to_toml(b) ? std::nullopt : std::optional(path);
  Value::Table keys = *a.table();
  keys.insert(b.table()->begin(), b.table()->end());
  for (const auto& [key, value] : keys) {
    const auto in_a = a.table()->find(key), in_b = b.table()->find(key);
    const std::string inner = path.empty() ? key : path + "." + key;
    if (in_a == a.table()->end() || in_b == b.table()->end()) {
      if (!may_differ(inner)) return inner;
      continue;
    }
    if (auto found = difference(in_a->second, in_b->second, inner)) return found;
  }
  return std::nullopt;
}

std::string day_of(const std::string& file) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error);
  if (error) return "an unknown day";
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(std::chrono::file_clock::to_sys(written)));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

/// Whether both have observations at the same nanoseconds. No two drills do.
bool is_copy(const Record& a, const Record& b) {
  return std::ranges::equal(a.observations, b.observations, {}, &Observed::at, &Observed::at);
}

}  // namespace

double MeasuredRun::bytes() const { return checkpoint_size(loaded.scenario->world).value; }

ReadRun read_run(const std::string& file) {
  ReadRun out;
  OpenedRecording opened = open_recording(file);
  if (!opened.run) {
    out.problems = std::move(opened.problems);
    return out;
  }
  if (auto problem = problem_of_end(file, opened.run->recording)) {
    problem->suggestion = "let the drill end (its command continues it), or leave this recording out";
    out.problems.push_back(std::move(*problem));
    return out;
  }
  if (!opened.run->recording.measurements) {
    out.problems.push_back(
        {.file = file,
         .why = "has no measurements: it is a recording of a simulation, or its drill was interrupted at its "
                "end",
         .suggestion =
             "repeat the command of the drill, or record one: gauntlet drill SCENARIO --record FILE"});
    return out;
  }
  out.run = MeasuredRun{.file = file,
                        .recording = std::move(opened.run->recording),
                        .loaded = std::move(opened.run->loaded),
                        .day = day_of(file)};
  return out;
}

std::optional<Problem> problem_of_runs(const std::vector<MeasuredRun>& runs) {
  for (const MeasuredRun& each : runs) {
    const auto key = difference(runs.front().loaded.resolved, each.loaded.resolved);
    if (!key) continue;
    const auto text = [&](const MeasuredRun& of) {
      const Value* value = of.loaded.resolved.find(*key);
      return value == nullptr ? std::string("is not given") : "is " + excerpt(*value);
    };
    return Problem{
        .file = each.file,
        .what = *key,
        .why = text(each) + ", and in " + runs.front().file + " it " + text(runs.front()) +
               ": these are recordings of different scenarios",
        .suggestion =
            "calibrate each scenario by itself; sizes (cluster.hosts, job.layout, job.model) may differ"};
  }
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_copy(runs[i].recording.record, runs[j].recording.record))
        return Problem{
            .file = runs[i].file,
            .why = runs[i].file == runs[j].file ? "is given twice" : "is a copy of " + runs[j].file,
            .suggestion = "give the recording of each drill once"};
  return std::nullopt;
}

std::map<std::string, KeySample> collect(const std::vector<MeasuredRun>& runs) {
  Samples samples;
  std::uint32_t number = 0;
  for (const MeasuredRun& run : runs) RunReader(run, number++, samples).read();
  const bool phases = std::any_of(samples.begin(), samples.end(), [](const auto& each) {
    return each.first == "job.start.process_start" || each.first == "job.start.communicator_init";
  });
  // All of a start has no phase beside it.
  samples.erase(phases ? std::string(kWholeStart) : "job.start.provisioning");
  return samples;
}

}  // namespace gauntlet
