#include "commands/trace/records/gaps.hpp"

#include "commands/trace/fault_toml.hpp"
#include "commands/trace/records/components.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// Two systems: onsets at 0 h, 1 h, 1 h, 4 h on nodes 0, 1, 0, 1 of the first, and one of the second.
FailureTrace two_systems() {
  FailureTrace trace;
  trace.systems = {{.name = "a", .nodes = {"5", "8"}, .stated_nodes = 4}, {.name = "b", .nodes = {"x"}}};
  trace.causes = {"nic", "gpu"};
  trace.records = {{.start = 0h, .system = 0, .node = 0, .cause = 0, .repair = 0h},
                   {.start = 1h, .system = 0, .node = 1, .cause = 0, .repair = 90min},
                   {.start = 1h, .system = 0, .node = 0, .cause = 1, .repair = std::nullopt},
                   {.start = 4h, .system = 0, .node = 1, .cause = 0, .repair = 1h},
                   {.start = 2h, .system = 1, .node = 0, .cause = 1, .repair = 2h},
                   {.start = 3h, .system = 1, .node = kNoNode, .cause = 1, .repair = 3h}};
  return trace;
}

TEST(Gaps, AreOfOneRowEach) {
  const FailureTrace trace = two_systems();
  using Hours = std::vector<double>;
  const auto hours = [&](GapsOf rows, const RecordFilter& filter) {
    Hours out = gaps_of(trace, rows, filter);
    for (double& value : out) value /= 3600;
    return out;
  };
  EXPECT_EQ(hours(GapsOf::systems, {}), (Hours{1, 0, 3, 1}));  // none from one system to the other
  EXPECT_EQ(hours(GapsOf::systems, {.system = 0, .cause = {}}), (Hours{1, 0, 3}));
  EXPECT_EQ(hours(GapsOf::systems, {.system = {}, .cause = 0}), (Hours{1, 3}));
  EXPECT_EQ(hours(GapsOf::nodes, {}), (Hours{1, 3}));  // node 5, node 8; what names no node has no gap
  EXPECT_EQ(repair_times(trace, {.system = 0, .cause = 0}), (Hours{0, 5400, 3600}));
}

TEST(Gaps, OfZeroFollowTheConvention) {
  const std::vector<double> some = {0, 30, 0, 3600};
  EXPECT_EQ(without_zeros(some, ZeroDurations::drop), (std::vector<double>{30, 3600}));
  EXPECT_EQ(without_zeros(some, ZeroDurations::minute), (std::vector<double>{60, 30, 60, 3600}));
  EXPECT_EQ(without_zeros(some, ZeroDurations::keep), some);
}

TEST(Selections, LeaveOutWhatHasNoFailure) {
  const FailureTrace trace = two_systems();
  const FailureTrace nics = select(trace, {.system = {}, .cause = "nic", .from = 1h, .until = 4h});
  ASSERT_EQ(nics.records.size(), 1U);  // [1 h, 4 h)
  EXPECT_EQ(nics.records[0].node, 1U);
  EXPECT_EQ(nics.causes, std::vector<std::string>{"nic"});
  ASSERT_EQ(nics.systems.size(), 1U);
  const FailureTrace second = select(trace, {.system = "b", .cause = {}, .from = {}, .until = {}});
  ASSERT_EQ(second.records.size(), 2U);
  EXPECT_EQ(second.records[0].system, 0U);
  EXPECT_EQ(second.records[0].cause, 0U);
  EXPECT_EQ(second.causes, std::vector<std::string>{"gpu"});
}

TEST(Concentrations, CountTheTopNodes) {
  // 100 nodes, of which one failed 50 times and five 10 times each: all others never.
  FailureTrace trace;
  trace.causes = {"x"};
  trace.systems = {{.name = "s", .nodes = {"0", "1", "2", "3", "4", "5"}, .stated_nodes = 100}};
  for (std::uint32_t node = 0; node < 6; ++node)
    for (int i = 0; i < (node == 3 ? 50 : 10); ++i)
      trace.records.push_back(
          {.start = std::chrono::hours(i), .system = 0, .node = node, .cause = 0, .repair = {}});
  const Concentration of = concentration_of(trace, 0);
  EXPECT_EQ(of.top_nodes_1, 1U);
  EXPECT_EQ(of.on_top_1, 50U);
  EXPECT_EQ(of.on_top_5, 90U);
  // Sum of squares 50^2 + 5 x 10^2 = 3000, less 100 x 1^2, over a mean of 1 and 99 degrees of freedom.
  EXPECT_DOUBLE_EQ(of.dispersion, 2900.0 / 99);
  EXPECT_LT(of.p_value.value(), 1e-10);
}

TEST(Concentrations, OfNodesThatAreAlikeAreNoLemons) {
  // Two nodes with 8 and 12 failures: (4 + 4) / 10 is chi-squared with one degree of freedom, and P(> 0.8) = erfc(sqrt(0.4)).
  FailureTrace trace;
  trace.causes = {"x"};
  trace.systems = {{.name = "s", .nodes = {"0", "1"}}};
  for (std::uint32_t i = 0; i < 20; ++i)
    trace.records.push_back(
        {.start = std::chrono::hours(i), .system = 0, .node = i < 8 ? 0U : 1U, .cause = 0, .repair = {}});
  const Concentration of = concentration_of(trace, 0);
  EXPECT_DOUBLE_EQ(of.dispersion, 0.8);
  EXPECT_NEAR(of.p_value.value(), std::erfc(std::sqrt(0.4)), 1e-12);
}

TEST(Concentrations, NeedNodes) {
  FailureTrace trace;
  trace.causes = {"x"};
  trace.systems = {{.name = "s", .nodes = {}}};
  trace.records = {{.start = 0h, .system = 0, .node = kNoNode, .cause = 0, .repair = {}}};
  EXPECT_EQ(concentration_of(trace, 0).failures, 0U);
  EXPECT_EQ(component_numbers(trace).count, 0U);
}

TEST(Components, KeepTheDistancesOfNumberedNodes) {
  const ComponentNumbers numbers = component_numbers(two_systems());
  // Nodes 5 and 8 leave the 4 that system a states, so they count from 5 on: 0 and 3. System b stands behind.
  EXPECT_EQ(numbers.of[0], (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(numbers.of[1], (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(numbers.count, 5U);
  EXPECT_EQ(numbers.words[0], "system a: node N is host N - 5");

  FailureTrace trace;
  trace.systems = {{.name = "s", .nodes = {"1", "30"}, .stated_nodes = 64}};
  EXPECT_EQ(component_numbers(trace).of[0], (std::vector<std::uint32_t>{1, 30}));
  EXPECT_EQ(component_numbers(trace).count, 64U);
}

// The number of hosts once wrapped around.
TEST(Components, StandSideBySideWhereASourceStatesMoreNodesThanHostsHaveNumbers) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  FailureTrace trace;
  trace.systems = {{.name = "a", .nodes = {"3", "7"}, .stated_nodes = kMost},
                   {.name = "b", .nodes = {"x", "y"}, .stated_nodes = kMost},
                   {.name = "c", .nodes = {"9999999"}},
                   {.name = "d", .nodes = {"2"}, .stated_nodes = 4}};
  const ComponentNumbers numbers = component_numbers(trace);
  EXPECT_EQ(numbers.of, (std::vector<std::vector<std::uint32_t>>{{3, 7}, {8, 9}, {10}, {13}}));
  EXPECT_EQ(numbers.count, 15U);
}

TEST(FaultTraces, AreToml) {
  const std::string text =
      fault_trace_toml(two_systems(), {.source = "a \"b\".csv", .about = "one\ntwo", .origin = -30min});
  EXPECT_EQ(text.substr(0, kFaultTraceBegins.size()), kFaultTraceBegins);
  EXPECT_NE(text.find("\n# one\n# two\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[faults.nic]"), std::string::npos) << text;
  EXPECT_NE(text.find("{ at = \"1h30min\", component = 3 }"), std::string::npos) << text;
  EXPECT_NE(text.find("values = [\n  \"1h30min\", \"1h\",\n]"), std::string::npos) << text;
  EXPECT_NE(text.find("source = \"a \\\"b\\\".csv"), std::string::npos) << text;
  EXPECT_EQ(trace_losses(two_systems()).without_node, 1U);
  EXPECT_EQ(trace_losses(two_systems()).zero_repairs, 1U);
}

// A trace may be in any encoding; TOML is UTF-8 without control characters.
TEST(FaultTraces, AreTomlWhateverBytesNamesHave) {
  FailureTrace trace = two_systems();
  trace.systems[0].name = "caf\xe9 \xc3\xa9 \x7f\t\xe2\x82\xac";  // Latin-1 and UTF-8
  trace.systems[1].name = "\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xf0\x9f\x98\x80 \xf0\x9f\x98";
  const std::string text =
      fault_trace_toml(trace, {.source = "caf\xe9\x7f.csv", .about = "", .origin = -30min});
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_NE(text.find("#   system caf" + mark + " \xc3\xa9 \xe2\x82\xac: node"), std::string::npos) << text;
  EXPECT_NE(text.find("#   system " + mark + mark + " " + mark + mark + mark + " " + mark + mark + mark +
                      mark + " \xf0\x9f\x98\x80 " + mark + mark + mark + ": node"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("source = \"caf" + mark + ".csv, the"), std::string::npos) << text;
}

TEST(LawTexts, AreThoseOfScenarios) {
  const std::vector<FittedLaw> fits = fit_laws(Durations({60, 120, 120, 300, 4000, 90'000}));
  std::string with, without;
  for (const FittedLaw& fit : fits) {
    with += law_toml(fit, true) + "\n";
    without += law_toml(fit, false) + "\n";
  }
  EXPECT_NE(with.find("{ name = \"exponential\", mean = \"4h22min46.667s\" }"), std::string::npos) << with;
  EXPECT_NE(without.find("{ name = \"exponential\" }"), std::string::npos) << without;
  EXPECT_NE(without.find("{ name = \"weibull\", shape = "), std::string::npos) << without;
  EXPECT_EQ(without.find("scale"), std::string::npos) << without;
  EXPECT_NE(with.find("median = "), std::string::npos) << with;
}

}  // namespace
}  // namespace gauntlet
