#include "tests/input/accepted.hpp"

#include "config/describe.hpp"
#include "config/scenario.hpp"
#include "core/record/record.hpp"
#include "policies/controller/controller.hpp"
#include "score/score.hpp"
#include "sim/sim_cluster.hpp"
#include "study/replica.hpp"

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>

namespace gauntlet {
namespace {

/// What keeps a run short, below the setting that is tried.
const std::vector<std::string> kShort = {"job.window=2d", "job.planned.times=[\"1d\"]"};

// --- which fields there are ----------------------------------------------------------------------------------------------

struct Field {
  std::string path, schema;
  bool law = false;
};

/// Walks the description beside a scenario, whose entries (faults, probes) it takes.
class FieldFinder final : public Fields {
 public:
  FieldFinder(const Value* here, std::string prefix, std::vector<Field>& found)
      : here_(here), prefix_(std::move(prefix)), found_(&found) {}

  void alternatives(std::initializer_list<std::string_view>) override {}
  void field(std::string_view name, const Type& type, const Fallback&, std::string_view) override {
    found_->push_back({prefix_ + std::string(name), type.schema(), type.law});
  }
  void table(std::string_view name, const Describe& describe, std::string_view) override {
    FieldFinder inner(member(name), prefix_ + std::string(name) + ".", *found_);
    describe(inner);
  }
  void inline_table(std::string_view name, const Describe& describe, std::string_view doc) override {
    if (member(name) != nullptr) table(name, describe, doc);
  }
  void catalogue(std::string_view name, std::string_view, const Describe& describe,
                 std::string_view doc) override {
    table(name, describe, doc);
  }
  void entries(std::string_view name, const DescribeEntry& describe, std::string_view doc) override {
    const Value* entries = member(name);
    if (entries == nullptr || entries->table() == nullptr) return;
    FieldFinder inner(entries, prefix_ + std::string(name) + ".", *found_);
    for (const auto& [entry, value] : *entries->table())
      inner.table(
          entry, [&, &own = entry](Fields& fields) { describe(fields, own); }, doc);
  }
  void check(const std::function<void(const Place&)>&) override {}

 private:
  const Value* member(std::string_view name) const { return here_ == nullptr ? nullptr : here_->find(name); }

  const Value* here_;
  std::string prefix_;
  std::vector<Field>* found_;
};

// --- what they are set to --------------------------------------------------------------------------------------------------

std::vector<std::string> durations() {
  return {"0s", "1ns", "1us", "1ms", "1s", "1h", "30d", "100y", "292y", "9223372036854775807ns"};
}

std::vector<std::string> laws() {
  std::vector<std::string> out = durations();
  for (const char* law :
       {"{name = \"lognormal\", median = \"1h\", sigma = 3.5}",
        "{name = \"lognormal\", median = \"1h\", sigma = 1000.0}", "{name = \"exponential\", mean = \"1ns\"}",
        "{name = \"exponential\", mean = \"100000y\"}", "{name = \"weibull\", scale = \"1h\", shape = 0.01}",
        "{name = \"weibull\", mean = \"1h\", shape = 1000.0}",
        "{name = \"pareto\", minimum = \"1ns\", alpha = 0.01}",
        "{name = \"uniform\", low = \"1ns\", high = \"1000y\"}",
        "{name = \"gamma\", mean = \"1h\", shape = 1e-6}",
        "{name = \"empirical\", values = [\"1ns\", \"292y\"]}"})
    out.emplace_back(law);
  return out;
}

std::vector<std::string> with_unit(const std::string& unit) {
  std::vector<std::string> out;
  for (const char* number : {"0", "1e-300", "1e-9", "1", "1000000000", "1e300"}) out.push_back(number + unit);
  return out;
}

std::vector<std::string> numbers(const nlohmann::json& schema, bool whole) {
  std::vector<std::string> out = {"0",
                                  "1",
                                  "2",
                                  "3",
                                  "7",
                                  "8",
                                  "64",
                                  "1000",
                                  "1000000",
                                  "2147483647",
                                  "2147483648",
                                  "4294967295",
                                  "9223372036854775807"};
  if (!whole)
    out = {"0.0", "1e-300", "1e-12", "1e-3", "0.5",  "0.999999999999",
           "1.0", "1.5",    "10.0",  "1e6",  "1e18", "1e300"};
  for (const char* bound : {"minimum", "maximum", "exclusiveMinimum"})
    if (schema.contains(bound)) out.push_back(schema[bound].dump());
  return out;
}

std::vector<std::string> values_for(const Field& field) {
  if (field.law) return laws();
  const nlohmann::json schema = nlohmann::json::parse(field.schema);
  const std::string type = schema.value("type", "");
  if (type == "integer" || type == "number") return numbers(schema, type == "integer");
  const auto takes = [&](const char* unit) { return field.schema.find(unit) != std::string::npos; };
  if (type == "array") return {};
  if (takes("|min|")) return durations();
  if (takes("PiB")) return with_unit("B");
  if (takes("FLOP/s")) return with_unit("FLOP/s");
  if (takes("GB/s")) return with_unit("B/s");
  if (takes("USD")) return with_unit("USD");
  return {};
}

// --- what becomes of them --------------------------------------------------------------------------------------------------

constexpr rlim_t kMostSeconds = 60;              // of CPU
constexpr rlim_t kMostMemory = rlim_t{6} << 30;  // bytes of address space
constexpr std::uint64_t kMostEvents = 20'000;
constexpr std::uint32_t kMostObservations = 20'000;
/// A job on more hosts takes memory and time, as it should; it is not started here.
constexpr std::uint32_t kMostHosts = 20'000;

/// Counts what is observed, and ends the run after so much.
class Bounded final : public Cluster {
 public:
  explicit Bounded(SimCluster& cluster) : cluster_(&cluster) {}
  std::optional<Observed> next(Time) override {
    while (cluster_->events() < kMostEvents && ++observed_ < kMostObservations) {
      // In pieces, so that events without an observation are counted too.
      const Time until = std::max(after(until_, std::chrono::hours(1)), cluster_->now());
      auto seen = cluster_->next(until);
      if (seen) return seen;
      if (cluster_->now() < until && until != kNever) break;  // it is over
      if (until == kNever) break;
      until_ = until;
    }
    return std::nullopt;
  }
  void start(const Order& order) override { cluster_->start(order); }

 private:
  SimCluster* cluster_;
  Time until_ = kStart;
  std::uint32_t observed_ = 0;
};

void run_for_a_while(const Scenario& scenario) {
  SimCluster cluster(scenario.world);
  Bounded bounded(cluster);
  Record record;
  Recorder recorder(bounded, record);
  Controller controller(scenario.policies);
  cluster.reset({.study = 1, .replica = 0}, false);
  run(recorder, controller, kNever);
  const bool finished =
      !record.observations.empty() && std::holds_alternative<Finished>(record.observations.back().what);
  if (!finished) return;
  Figures figures;
  score(score_facts(scenario.world), cluster.truth(), cluster.progress(), record, figures);
}

enum Exit { ran = 0, refused = 10, refused_without_place = 11, differs = 12 };

int try_it(const Case& each) {
  std::vector<std::string> sets = kShort;
  sets.push_back(each.set);
  const LoadedScenario loaded = load_scenario(each.scenario, sets);
  if (!loaded.scenario) {
    const bool placed = std::all_of(loaded.problems.begin(), loaded.problems.end(),
                                    [](const Problem& problem) { return !problem.file.empty(); });
    if (!placed || loaded.problems.empty()) return refused_without_place;
    return refused;
  }
  if (load_scenario_text(show(loaded), "shown.toml").problems.size() > 0) return differs;
  if (loaded.scenario->world.inventory.hosts() <= kMostHosts) run_for_a_while(*loaded.scenario);
  return ran;
}

}  // namespace

std::string Case::command() const {
  std::string text = "gauntlet run " + scenario + " --replicas 1 --seed 1";
  for (const std::string& each : kShort) text += " --set '" + each + "'";
  return text + " --set '" + set + "'";
}

std::vector<Case> extreme_cases(const std::string& scenario) {
  LoadedScenario loaded = load_scenario(scenario, kShort);
  std::vector<Field> fields;
  FieldFinder finder(&loaded.resolved, "", fields);
  Scenario scratch;
  describe(finder, scratch);
  std::vector<Case> out;
  for (const Field& field : fields) {
    if (field.path.starts_with("study.")) continue;  // of no run alone
    for (const std::string& value : values_for(field)) out.push_back({scenario, field.path + "=" + value});
  }
  return out;
}

std::vector<Case> every(std::size_t apart, std::vector<Case> cases) {
  std::vector<Case> out;
  for (std::size_t i = 0; i < cases.size(); i += apart) out.push_back(std::move(cases[i]));
  return out;
}

Tried outcome_of(const Case& each) {
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit cpu{kMostSeconds, kMostSeconds}, none{0, 0};
    ::setrlimit(RLIMIT_CPU, &cpu);
    ::setrlimit(RLIMIT_CORE, &none);
#ifndef GAUNTLET_SANITIZED
    const rlimit memory{kMostMemory, kMostMemory};
    ::setrlimit(RLIMIT_AS, &memory);
#endif
    ::_exit(try_it(each));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return {.accepted = true,
            .failure = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
                           ? "it has no end: " + each.command()
                           : "it aborts: " + each.command()};
  switch (WEXITSTATUS(status)) {
    case ran:
      return {.accepted = true, .failure = ""};
    case refused:
      return {};
    case refused_without_place:
      return {.accepted = false, .failure = "it is refused without a place: " + each.command()};
    case differs:
      return {.accepted = true, .failure = "what `show` prints of it does not load: " + each.command()};
    default:
      return {.accepted = true, .failure = "it ends with an exception: " + each.command()};
  }
}

}  // namespace gauntlet
