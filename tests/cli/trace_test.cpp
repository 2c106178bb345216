// gauntlet trace from the records to a scenario that loads, and against the figures of records in LANL's format.
//
// Two files are compared with figures that other programs computed from them: a sample, of which lanl_sample.py draws every
// record and computes every figure, and LANL's own records (LA-UR-05-7318, "The raw data and more information is available at"
// https://www.usenix.org/cfdr-data). These are not part of the project; the tests use them where GAUNTLET_LANL_RECORDS names their file.
#include "commands/trace/trace.hpp"

#include "commands/trace/fault_toml.hpp"
#include "commands/trace/text.hpp"
#include "config/scenario.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr const char* kSample = "scenarios/catalog/traces/sample-64-nodes.csv";
constexpr const char* kLanlSample = "tests/cli/lanl_sample.csv";
constexpr const char* kLanlSampleFigures = "tests/cli/lanl_sample.json";
// LANL's own records (LA-UR-05-7318, https://www.usenix.org/cfdr-data) are not part of the project; this variable adds them.
const char* const kLanl = std::getenv("GAUNTLET_LANL_RECORDS");

std::string all_of(const std::vector<Problem>& problems) {
  std::string out;
  for (const Problem& problem : problems) out += problem.text() + "\n";
  return out;
}

class TraceCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fs::path("gauntlet-trace-test-" + name_of_test());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string name_of_test() {
    std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '-');
    return name;
  }

  std::string written(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }

  /// tiny-8 with as many hosts as it takes, over the faults of a file.
  LoadedScenario loaded(const std::string& faults, std::uint32_t spares) const {
    const std::string scenario = written(
        "scenario.toml", "extends = [\"" + fs::absolute("scenarios/tiny-8.toml").string() + "\", \"" +
                             faults + "\"]\nname = \"s\"\nspares.count = " + std::to_string(spares) + "\n");
    return load_scenario(scenario, {});
  }

  fs::path folder_;
};

const FaultKind* find(const World& world, std::string_view name) {
  const auto at = std::ranges::find(world.faults, name, &FaultKind::name);
  return at == world.faults.end() ? nullptr : &*at;
}

const FittedDurations& durations_of(const std::vector<FittedDurations>& all, std::string_view of) {
  return *std::ranges::find(all, of, &FittedDurations::of);
}

double parameter(const FittedDurations& durations, std::string_view law, std::string_view name) {
  for (const auto& [known, value] : durations.find(law)->parameters)
    if (known == name) return value;
  return -1;
}

TEST_F(TraceCommand, ImportsWhatAScenarioReplays) {
  const TraceImported imported = import_trace({.file = kSample});
  ASSERT_TRUE(imported.result) << all_of(imported.problems);
  const std::string file = written("faults.toml", imported.faults);
  EXPECT_EQ(imported.result->hosts, 63U);  // one of the 64 never failed
  const LoadedScenario scenario = loaded(file, 63 - 8);
  ASSERT_TRUE(scenario.scenario) << all_of(scenario.problems);
  const TraceFitted fitted = fit_trace({.file = kSample});
  ASSERT_TRUE(fitted.result);
  for (const CauseShare& cause : fitted.result->causes) {
    const FaultKind* fault = find(scenario.scenario->world, cause.cause);
    ASSERT_NE(fault, nullptr) << cause.cause;
    EXPECT_EQ(fault->trace.size(), cause.failures) << cause.cause;
    const FittedDurations& repairs = durations_of(fitted.result->repairs, cause.cause);
    EXPECT_NEAR(fault->heals_after->mean() / repairs.mean_s.value(), 1, 1e-9) << cause.cause;
  }
  EXPECT_EQ(imported.result->written, fitted.result->source.used);
  // One host less, and it says which component is not there.
  EXPECT_FALSE(loaded(file, 63 - 9).scenario);

  // What was imported is a trace itself, with the same laws.
  const TraceFitted again = fit_trace({.file = file});
  ASSERT_TRUE(again.result) << all_of(again.problems);
  EXPECT_EQ(again.result->source.format, "gauntlet");
  EXPECT_EQ(again.result->source.used, fitted.result->source.used);
  EXPECT_EQ(parameter(again.result->systems[0], "weibull", "shape"),
            parameter(fitted.result->systems[0], "weibull", "shape"));
  EXPECT_EQ(again.result->nodes[0].on_top_5, fitted.result->nodes[0].on_top_5);
  EXPECT_EQ(durations_of(again.result->repairs, "network").median_s,
            durations_of(fitted.result->repairs, "network").median_s);
  EXPECT_FALSE(fit_trace({.file = file, .from = "2023-01-01"}).result);  // its times are no dates
}

TEST_F(TraceCommand, FitsAProfileThatAScenarioTakes) {
  const TraceFitted fitted = fit_trace({.file = kSample, .nodes = 64});
  ASSERT_TRUE(fitted.result) << all_of(fitted.problems);
  const LoadedScenario scenario = loaded(written("profile.toml", fitted.profile), 1);
  ASSERT_TRUE(scenario.scenario) << all_of(scenario.problems);
  const FaultKind* hardware = find(scenario.scenario->world, "hardware");
  ASSERT_NE(hardware, nullptr);
  // Two years of 64 nodes over the count, whatever the law.
  const auto failures = static_cast<double>(durations_of(fitted.result->by_cause, "hardware").records);
  EXPECT_NEAR(hardware->life.mean() * failures / (64.0 * 730 * 86400), 1, 0.02);
  EXPECT_NE(hardware->life.name(), "exponential");
  ASSERT_TRUE(hardware->heals_after);
  EXPECT_EQ(hardware->heals_after->name(), "lognormal");  // as the sample was drawn
  const FaultKind* unrecorded = find(scenario.scenario->world, "unrecorded");
  ASSERT_TRUE(unrecorded != nullptr && unrecorded->heals_after);
  EXPECT_EQ(unrecorded->heals_after->name(), "exponential");  // 21 repairs
  EXPECT_NEAR(
      unrecorded->heals_after->mean() / durations_of(fitted.result->repairs, "unrecorded").mean_s.value(), 1,
      1e-3);
  // The law of the lives of its nodes is that of the sample, Weibull of shape 0.7, mixed over nodes that differ.
  const TraceFitted by_node = fit_trace({.file = kSample, .gaps = GapsOf::nodes});
  const double shape = parameter(by_node.result->systems[0], "weibull", "shape");
  EXPECT_LT(shape, 0.75);
  EXPECT_GT(shape, 0.5);
  EXPECT_LT(by_node.result->nodes[0].p_value.value(), 1e-6);  // its lemons show
}

// Two records fit any law; their first and last are all that is known of the window.
TEST_F(TraceCommand, SaysWhatFewRecordsCannotBear) {
  const std::string two = written("two.csv", "start,end,node,cause\n2024-01-01,,a,x\n2024-01-05,,b,x\n");
  const TraceFitted few = fit_trace({.file = two});
  ASSERT_TRUE(few.result) << all_of(few.problems);
  ASSERT_EQ(few.result->warnings.size(), 1U);
  EXPECT_NE(text_report(*few.result, {}).find("Warning: only 1 time between failures: with fewer than 30"),
            std::string::npos);
  EXPECT_EQ(few.profile, "");
  // Where it is said how long was watched, two failures are a rate.
  const TraceFitted watched =
      fit_trace({.file = two, .from = "2024-01-01", .until = "2025-01-01", .nodes = 9});
  EXPECT_NE(watched.profile.find("rate = { count = 2, over = \"366d x 9 hosts\" }"), std::string::npos)
      << watched.profile;
  const TraceFitted sample = fit_trace({.file = kSample});
  EXPECT_TRUE(sample.result->warnings.empty());
  // Records name nodes that failed; of the others somebody has to say.
  constexpr std::string_view kNote = "the nodes that failed, because the records";
  EXPECT_NE(text_report(*sample.result, {}).find(kNote), std::string::npos);
  EXPECT_NE(sample.profile.find("Nodes are those that failed"), std::string::npos);
  const TraceFitted all = fit_trace({.file = kSample, .nodes = 64});
  EXPECT_EQ(text_report(*all.result, {}).find(kNote), std::string::npos);
  EXPECT_EQ(all.profile.find("Nodes are those that failed"), std::string::npos);
}

// The same line twice is two failures, and is told. Failures of unknown nodes may be of several.
TEST_F(TraceCommand, CountsWhatIsTheSameInEveryField) {
  const std::string head = "start,end,node,cause\n", one = "2024-01-01,2024-01-02,a,x\n";
  const std::string file = written("twice.csv", head + one + "2024-01-01,2024-01-02,b,x\n" + one + one +
                                                    "2024-01-01,2024-01-02,a,y\n2024-01-01,2024-01-03,a,x\n"
                                                    "2024-01-01,,,x\n2024-01-01,,,x\n");
  const TraceFitted fitted = fit_trace({.file = file});
  ASSERT_TRUE(fitted.result);
  EXPECT_EQ(fitted.result->source.duplicates, 2U);
  EXPECT_EQ(fitted.result->source.used, 8U);
  EXPECT_NE(text_report(*fitted.result, {}).find("2 equal another record in every field"), std::string::npos);
  EXPECT_NE(to_json(*fitted.result).find("\"duplicates\": 2"), std::string::npos);
}

TEST_F(TraceCommand, SaysWhatIsNotThere) {
  const auto says = [](const TraceQuestion& question, std::string_view text) {
    const TraceFitted fitted = fit_trace(question);
    EXPECT_FALSE(fitted.result);
    EXPECT_NE(all_of(fitted.problems).find(text), std::string::npos) << all_of(fitted.problems);
  };
  says({.file = kSample, .cause = "hardwear"},
       "--cause: hardwear is not in the trace; did you mean \"hardware\"?");
  says({.file = kSample, .system = "20"}, "--system: 20 is not in the trace");
  says({.file = kSample, .from = "2025-06-01"}, "has no failure in this selection");
  says({.file = kSample, .from = "June"}, "--from: June is not a date; write 2003-01-01");
  says({.file = kSample, .from = "2024-01-01", .until = "2023-01-01"}, "--until: 2023-01-01 is not after");
  says({.file = kSample, .nodes = 3}, "--nodes: 3 are fewer than the 63 that failed");
  says({.file = "scenarios/tiny-8.toml"}, "has no fault with a trace");
  says({.file = written("bad.toml", "[faults\n")}, "bad.toml:1");
  says({.file = written("bad-trace.toml", "[faults.x]\ntrace = [{ at = \"soon\", component = 1 }]\n")},
       "bad-trace.toml:2");
}

TEST_F(TraceCommand, NamesNoFaultAsAPhase) {
  const std::string file = written(
      "r.csv", "start,end,node,cause\n2024-01-01,2024-01-02,1,start\n2024-01-03,2024-01-04,2,start\n");
  const TraceImported imported = import_trace({.file = file});
  ASSERT_TRUE(imported.result);
  const LoadedScenario scenario = loaded(written("faults.toml", imported.faults), 1);
  ASSERT_TRUE(scenario.scenario) << all_of(scenario.problems);
  EXPECT_NE(find(scenario.scenario->world, "start_failure"), nullptr);
}

// --- records in LANL's format ------------------------------------------------------------------------------------------

/// How far the program's figures may be from those of another program, which were rounded.
struct Rounding {
  double share, shape, shape_error, mean_h, repair_mean, repair_median, repair_log, dispersion;
};

/// A file of records, and what other programs computed from it.
struct KnownRecords {
  std::string name;
  std::string file;
  std::uint64_t records = 0;
  std::vector<std::pair<std::string, double>> shares;  // of causes
  struct System {
    std::string name;
    double shape, shape_of_nodes;
  };
  std::vector<System> systems;
  struct System20 {
    double mean_h, zeros, shape_with_minutes, shape_error;
    std::uint32_t hosts;
  } twenty{};
  struct Repair {  // in minutes; mu and sigma of the logarithm of minutes
    std::string cause;
    double mean, median, mu, sigma;
  };
  std::vector<Repair> repairs;
  struct Lemons {  // shares of the failures on the top 1% and 5% of nodes
    std::string system;
    double on_top_1, on_top_5;
    std::optional<double> dispersion = {};  // of the failures of nodes
  };
  std::vector<Lemons> lemons;
  Rounding rounding{};
};

/// Facts lanl_cause, lanl_weibull_system, lanl_weibull_node, lanl_simultaneous, lanl_repair, lanl_lemons.
KnownRecords lanl() {
  return {.name = "Lanl",
          .file = kLanl,
          .records = 23'739,
          .shares = {{"hardware", 0.604},
                     {"software", 0.226},
                     {"undetermined", 0.112},
                     {"network", 0.018},
                     {"facilities", 0.015},
                     {"human_error", 0.006},
                     {"unrecorded", 0.019}},
          .systems = {{"20", 0.647, 0.485},
                      {"18", 0.817, 0.67},
                      {"19", 0.889, 0.7},
                      {"16", 0.72, 0.648},
                      {"2", 0.738, 0.638}},
          .twenty = {.mean_h = 13.2,
                     .zeros = 0.031,
                     .shape_with_minutes = 0.609,
                     .shape_error = 0.010,
                     .hosts = 512},
          .repairs = {{"", 355, 60, 4.154, 1.402},
                      {"hardware", 345, 69, 4.318, 1.253},
                      {"software", 350, 44, 3.877, 1.467},
                      {"network", 250, 70, 4.127, 1.595},
                      {"facilities", 572, 276, 5.651, 1.217},
                      {"human_error", 164, 44, 3.805, 1.482}},
          .lemons = {{"20", 0.104, 0.245}, {"18", 0.085, 0.215}, {"19", 0.103, 0.239}},
          .rounding = {.share = 6e-4,
                       .shape = 1e-3,
                       .shape_error = 5e-4,
                       .mean_h = 0.05,
                       .repair_mean = 0.6,
                       .repair_median = 0.01,
                       .repair_log = 1e-3,
                       .dispersion = 0}};  // not published
}

/// As lanl_sample.py computes it, to six decimals: the tolerance is one unit of the last.
KnownRecords lanl_sample() {
  const nlohmann::json figures = nlohmann::json::parse(std::ifstream(kLanlSampleFigures));
  const nlohmann::json& twenty = figures.at("systems").at("20");
  KnownRecords out{.name = "Sample",
                   .file = kLanlSample,
                   .records = figures.at("records"),
                   .shares = {},
                   .systems = {},
                   .twenty = {.mean_h = twenty.at("mean_h"),
                              .zeros = twenty.at("zeros"),
                              .shape_with_minutes = twenty.at("shape_with_minutes"),
                              .shape_error = twenty.at("shape_error"),
                              .hosts = figures.at("nodes")},
                   .repairs = {},
                   .lemons = {},
                   .rounding = {1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6}};
  for (const auto& [cause, share] : figures.at("shares").items()) out.shares.emplace_back(cause, share);
  for (const auto& [name, of] : figures.at("systems").items()) {
    out.systems.push_back({name, of.at("shape"), of.at("shape_of_nodes")});
    out.lemons.push_back({name, of.at("on_top_1"), of.at("on_top_5"), of.at("dispersion").get<double>()});
  }
  for (const auto& [cause, of] : figures.at("repairs").items())
    out.repairs.push_back({cause, of.at("mean"), of.at("median"), of.at("mu"), of.at("sigma")});
  return out;
}

std::vector<KnownRecords> known_records() {
  std::vector<KnownRecords> known = {lanl_sample()};
  if (kLanl != nullptr) known.push_back(lanl());
  return known;
}

class LanlRecords : public TraceCommand, public ::testing::WithParamInterface<KnownRecords> {
 protected:
  static TraceFit fit(const TraceQuestion& question) {
    const TraceFitted fitted = fit_trace(question);
    EXPECT_TRUE(fitted.result) << all_of(fitted.problems);
    return *fitted.result;
  }
};

INSTANTIATE_TEST_SUITE_P(Known, LanlRecords, ::testing::ValuesIn(known_records()),
                         [](const auto& each) { return each.param.name; });

TEST_P(LanlRecords, AreReadToTheLast) {
  const KnownRecords& known = GetParam();
  const TraceFit all = fit({.file = known.file, .format = TraceFormat::lanl});
  EXPECT_EQ(all.source.read, known.records);
  EXPECT_EQ(all.source.used, known.records);
  for (const auto& [cause, share] : known.shares) {
    const auto found = std::ranges::find(all.causes, cause, &CauseShare::cause);
    ASSERT_NE(found, all.causes.end()) << cause;
    EXPECT_NEAR(static_cast<double>(found->failures) / static_cast<double>(known.records), share,
                known.rounding.share)
        << cause;
  }
}

TEST_P(LanlRecords, HaveTheShapesThatWereFound) {
  const KnownRecords& known = GetParam();
  const TraceFit by_system = fit({.file = known.file}),
                 by_node = fit({.file = known.file, .gaps = GapsOf::nodes});
  for (const auto& [system, shape, shape_of_nodes] : known.systems) {
    EXPECT_NEAR(parameter(durations_of(by_system.systems, system), "weibull", "shape"), shape,
                known.rounding.shape)
        << system;
    EXPECT_NEAR(parameter(durations_of(by_node.systems, system), "weibull", "shape"), shape_of_nodes,
                known.rounding.shape)
        << system;
  }
  EXPECT_EQ(by_system.zeros, "drop");
  const FittedDurations& twenty = durations_of(by_system.systems, "20");
  EXPECT_NEAR(twenty.mean_with_zeros_s.value() / 3600, known.twenty.mean_h, known.rounding.mean_h);
  EXPECT_NEAR(twenty.find("weibull")->shape_error.value(), known.twenty.shape_error,
              known.rounding.shape_error);
  EXPECT_NEAR(static_cast<double>(twenty.zeros) / static_cast<double>(twenty.count), known.twenty.zeros,
              known.rounding.share);

  const TraceFit minute = fit({.file = known.file, .system = "20", .zeros = ZeroDurations::minute});
  EXPECT_NEAR(parameter(minute.systems[0], "weibull", "shape"), known.twenty.shape_with_minutes,
              known.rounding.shape);
  EXPECT_NE(text_report(minute, {}).find("count as one minute"), std::string::npos);
  const TraceFit kept = fit({.file = known.file, .system = "20", .zeros = ZeroDurations::keep});
  EXPECT_NEAR(kept.systems[0].mean_s.value() / 3600, known.twenty.mean_h, known.rounding.mean_h);
  EXPECT_EQ(kept.systems[0].fits.size(), 1U);  // a law without zeros has no likelihood there
}

TEST_P(LanlRecords, HaveTheRepairTimesThatWereFound) {
  const KnownRecords& known = GetParam();
  const TraceFit all = fit({.file = known.file});
  for (const KnownRecords::Repair& row : known.repairs) {
    const FittedDurations& repairs = durations_of(all.repairs, row.cause);
    EXPECT_NEAR(repairs.mean_s.value() / 60, row.mean, known.rounding.repair_mean) << row.cause;
    EXPECT_NEAR(repairs.median_s.value() / 60, row.median, known.rounding.repair_median) << row.cause;
    EXPECT_NEAR(parameter(repairs, "lognormal", "mu") - std::log(60), row.mu, known.rounding.repair_log)
        << row.cause;
    EXPECT_NEAR(parameter(repairs, "lognormal", "sigma"), row.sigma, known.rounding.repair_log) << row.cause;
  }
}

TEST_P(LanlRecords, HaveTheLemonsThatWereFound) {
  const KnownRecords& known = GetParam();
  const TraceFit all = fit({.file = known.file});
  for (const KnownRecords::Lemons& row : known.lemons) {
    const auto share = std::ranges::find(all.nodes, row.system, &NodeShare::system);
    EXPECT_NEAR(share->on_top_1, row.on_top_1, known.rounding.share) << row.system;
    EXPECT_NEAR(share->on_top_5, row.on_top_5, known.rounding.share) << row.system;
    if (row.dispersion) {
      EXPECT_NEAR(share->dispersion, *row.dispersion, known.rounding.dispersion) << row.system;
    }
    EXPECT_LT(share->p_value.value(), 1e-9) << row.system;
  }
}

TEST_P(LanlRecords, BecomeFaultsOfAScenario) {
  const KnownRecords& known = GetParam();
  const TraceQuestion question = {
      .file = known.file, .system = "20", .from = "2003-01-01", .until = "2004-01-01"};
  const TraceImported imported = import_trace(question);
  ASSERT_TRUE(imported.result) << all_of(imported.problems);
  EXPECT_EQ(imported.result->hosts, known.twenty.hosts);
  EXPECT_EQ(imported.result->origin, "2003-01-01T00:00:00");
  const LoadedScenario scenario = loaded(written("trace.toml", imported.faults), known.twenty.hosts - 8);
  ASSERT_TRUE(scenario.scenario) << all_of(scenario.problems);
  std::uint64_t onsets = 0;
  for (const FaultKind& fault : scenario.scenario->world.faults) {
    onsets += fault.trace.size();
    if (!fault.trace.empty()) {
      EXPECT_LT(fault.trace.back().first, kStart + 365 * 24h);
    }
  }
  EXPECT_EQ(onsets, imported.result->written);
  // All systems, as a profile.
  const TraceFitted fitted = fit_trace({.file = known.file});
  const LoadedScenario profile = loaded(written("profile.toml", fitted.profile), 1);
  EXPECT_TRUE(profile.scenario) << all_of(profile.problems);
}

}  // namespace
}  // namespace gauntlet
