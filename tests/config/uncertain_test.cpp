// study.uncertain: what it takes, and every way in which it can be wrong.
#include "tests/config/scenario_texts.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// Line 19 is [repair], line 22 the list.
LoadedScenario with_uncertain(const std::string& list) {
  return load_text(
      kSmall + "[repair]\ntime = { name = \"exponential\", mean = \"8h\" }\n[study]\nuncertain = " + list +
      "\n");
}
std::string problems(const std::string& list) { return problems_of(with_uncertain(list)); }

TEST(Uncertain, NamesFieldsAndTheirEnds) {
  const LoadedScenario loaded = with_uncertain(
      R"([{path="repair.time.mean",low="4h",high="16h",source="a guess"},)"
      R"({path="cost.gpu_hour",low="0USD",high="2USD",shape="normal"},{path="job.global_batch",low=16,high=32,shape="uniform"}])");
  ASSERT_EQ(problems_of(loaded), "");
  ASSERT_EQ(loaded.scenario->study.uncertain.size(), 3U);
  const UncertainField& mean = loaded.scenario->study.uncertain[0];
  EXPECT_EQ(mean.path + " " + mean.low + " " + mean.high, "repair.time.mean 4h 16h");
  EXPECT_EQ(mean.shape, UncertainShape::lognormal);
  EXPECT_EQ(loaded.scenario->study.uncertain[1].shape, UncertainShape::normal);
  EXPECT_EQ(loaded.scenario->study.uncertain[2].high, "32");
  EXPECT_EQ(problems_of(with_uncertain("[]")), "");
}

TEST(Uncertain, AnEntryIsATableOfPathLowAndHigh) {
  const std::string example = R"({ path = "repair.time.median", low = "4h", high = "16h" })";
  EXPECT_EQ(problems("3"),
            "test.toml:22:13: study.uncertain = 3 is a whole number; this takes a list such as [" + example +
                "]\n");
  EXPECT_EQ(problems(R"(["a"])"),
            "test.toml:22:14: study.uncertain[0] = \"a\" is a string; this takes a table such as " + example +
                "\n");
  EXPECT_EQ(problems(R"([{path="repair.time.mean",low="4h"}])"),
            "test.toml:22:14: study.uncertain[0] needs path, low and high; write " + example + "\n");
  EXPECT_EQ(problems(R"([{path="repair.time.mean",low="4h",hihg="16h"}])"),
            "test.toml:22:48: study.uncertain[0].hihg is unknown here; write " + example + "\n");
  EXPECT_EQ(problems(R"([{path=3,low="4h",high="16h"}])"),
            "test.toml:22:20: study.uncertain[0].path = 3 is a whole number; this takes the path of a field "
            "such as "
            "\"repair.time.median\"\n");
  EXPECT_EQ(problems(R"([{path="",low="4h",high="16h"}])"),
            "test.toml:22:20: study.uncertain[0].path = \"\" names no field; write for example "
            "\"repair.time.median\"\n");
}

TEST(Uncertain, EndsAreTwoOfAKindTheLowerFirst) {
  const auto of = [](const std::string& rest) {
    return problems("[{path=\"repair.time.mean\"," + rest + "}]");
  };
  EXPECT_EQ(of(R"(low="4h",high="16h",shape="gauss")"),
            "test.toml:22:65: study.uncertain[0].shape = \"gauss\" is not a shape; known are \"lognormal\", "
            "\"normal\", \"uniform\", \"log-t\"\n");
  EXPECT_EQ(
      of(R"(low="long",high="16h")"),
      "test.toml:22:43: study.uncertain[0].low = \"long\" is not a number or a quantity; write a number, or "
      "a text "
      "with a unit such as \"4h\"\n");
  EXPECT_EQ(of(R"(low="4h",high="4GB")"),
            "test.toml:22:53: study.uncertain[0].high = \"4GB\" is a size, and low is a duration\n");
  EXPECT_EQ(of(R"(low="4h",high="240min")"),  // as long in another unit
            "test.toml:22:53: study.uncertain[0].high = \"240min\" is not above low = 4h\n");
  EXPECT_EQ(
      of(R"(low="0s",high="4h")"),
      "test.toml:22:43: study.uncertain[0].low = \"0s\" is not above zero, where every lognormal value is; "
      "write shape = \"normal\" or \"uniform\"\n");
  EXPECT_EQ(of(R"(low="0s",high="4h",shape="uniform")"), "");
  EXPECT_EQ(of("low=nan,high=2"), "test.toml:22:43: study.uncertain[0].low = nan is not a finite number\n");
  EXPECT_EQ(of("low=1,high=inf"), "test.toml:22:50: study.uncertain[0].high = inf is not a finite number\n");
}

TEST(Uncertain, ALogTHasDegreesOfFreedomAndNoOtherShapeDoes) {
  const auto of = [](const std::string& rest) {
    return problems(R"([{path="repair.time.mean",low="4h",high="16h",)" + rest + "}]");
  };
  const LoadedScenario loaded =
      with_uncertain(R"([{path="repair.time.mean",low="4h",high="16h",shape="log-t",degrees=2.5}])");
  ASSERT_EQ(problems_of(loaded), "");
  EXPECT_EQ(loaded.scenario->study.uncertain[0].shape, UncertainShape::log_t);
  EXPECT_EQ(loaded.scenario->study.uncertain[0].degrees, 2.5);
  EXPECT_EQ(of(R"(shape="log-t")"),
            "test.toml:22:14: study.uncertain[0] needs degrees, because its shape is log-t; write "
            "degrees = n - 1 for an estimate from n measurements\n");
  for (const std::string shape : {"", R"(shape="normal",)"})
    EXPECT_NE(of(shape + "degrees=4")
                  .find("study.uncertain[0].degrees = 4 applies only to shape = "
                        "\"log-t\"; write that shape, or remove it"),
              std::string::npos);
  for (const std::string wrong : {"0", "0.5", "-1", "nan", "inf", "1e7"})
    EXPECT_NE(of(R"(shape="log-t",degrees=)" + wrong)
                  .find("is not from 1 to 1e6; write n - 1 for an estimate from n measurements"),
              std::string::npos)
        << wrong;
  EXPECT_NE(of(R"(shape="log-t",degrees="4h")").find("this takes a number of degrees of freedom such as 4"),
            std::string::npos);
  EXPECT_NE(problems(R"([{path="repair.time.mean",low="0s",high="16h",shape="log-t",degrees=4}])")
                .find("is not above zero, where every log-t value is"),
            std::string::npos);
}

TEST(Uncertain, WhatIsGivenAboveIsKnown) {
  const auto left = [](const std::vector<std::string>& sets) {
    const LoadedScenario loaded = load_scenario("llama3-405b-54d", sets);
    EXPECT_EQ(problems_of(loaded), "");
    std::set<std::string> paths;
    for (const UncertainField& each : loaded.scenario->study.uncertain) paths.insert(each.path);
    const LoadedScenario again = load_scenario_text(show(loaded, Comments::none), "shown.toml");
    EXPECT_EQ(again.scenario->study.uncertain.size(), paths.size()) << "what show prints leaves them out too";
    return paths;
  };
  const std::set<std::string> all = left({});
  const auto without = [&](const std::string& path) {
    std::set<std::string> paths = all;
    EXPECT_EQ(paths.erase(path), 1u);
    return paths;
  };
  EXPECT_EQ(left({"storage.load=100s"}), without("storage.load"));
  EXPECT_EQ(left({"repair.time.median=9h"}), without("repair.time.median"));
  EXPECT_EQ(left({"repair.time=9h"}), without("repair.time.median")) << "all of the law";
  EXPECT_EQ(left({"job.start.warm_up=1min"}), without("job.start.warm_up"));
  EXPECT_EQ(left({"job.restart_time=9min"}), without("job.start.warm_up")) << "in place of every phase";
  EXPECT_EQ(left({"storage.stall=1s"}), all);
  const std::string uncertain = R"(study.uncertain=[{path="storage.load",low="1s",high="2s"}])";
  EXPECT_EQ(left({"storage.load=1s", uncertain}), std::set<std::string>{"storage.load"}) << "named above it";
}

TEST(Uncertain, APathIsOfAQuantityOfTheSameKindAndThereOnce) {
  const auto names = [](const std::string& path, const std::string& ends = R"(low="4h",high="16h")") {
    const std::string all = problems("[{path=\"" + path + "\"," + ends + "}]");
    EXPECT_TRUE(all.starts_with("test.toml:22:13: study.uncertain = [{")) << all;
    const std::size_t at = all.find("names ");
    return at == std::string::npos ? all : all.substr(at);
  };
  EXPECT_EQ(names("repair.tme.mean"),
            "names repair.tme.mean, which this scenario does not have; `gauntlet show` lists what it has\n");
  EXPECT_EQ(names("repair.time"),
            "names repair.time, which holds no number or quantity; name one of its parameters, such as its "
            "median\n");
  EXPECT_EQ(names("storage.mode"),
            "names storage.mode, which holds no number or quantity; name one that does\n");
  EXPECT_EQ(names("study.uncertain"),
            "names study.uncertain, which holds no number or quantity; name one that does\n");
  EXPECT_EQ(names("repair.time.mean", "low=4,high=16"),
            "names repair.time.mean, which is a duration, and low and high are not\n");
  EXPECT_EQ(names("repair.time.mean", R"(low="4GB",high="16GB")"),
            "names repair.time.mean, which is a duration, and low and high are not\n");
  EXPECT_EQ(names("job.global_batch"),
            "names job.global_batch, which is a number, and low and high are not\n");
  EXPECT_EQ(names("job.global_batch", R"(low=1,high=2},{path="job.global_batch",low=1,high=3)"),
            "names job.global_batch, which it names twice\n");
}

TEST(Uncertain, EveryMistakenEntryIsNamed) {
  EXPECT_EQ(
      problems(
          R"([{path="repair.time.mean",low="x",high="16h"},{path="repair.time.mean",low="4h",high="1h"}])"),
      "test.toml:22:43: study.uncertain[0].low = \"x\" is not a number or a quantity; write a number, or a "
      "text "
      "with a unit such as \"4h\"\n"
      "test.toml:22:98: study.uncertain[1].high = \"1h\" is not above low = 4h\n");
}

/// A daily rate that is written as a count over a day is taken for the one day that was ever seen, and the warning says how
/// wide that makes it: Gamma(9 + 1/2) lies between 5.06 and 15.07, 0.56 and 1.67 times 9, with 90%.
TEST(Uncertain, AShortExposureIsWarnedOf) {
  const auto warnings = [](const std::string& rate) {
    std::string out;
    for (const Problem& warning : load_text(kSmall + "[faults.f]\n" + kCrash + rate + "\n").warnings)
      out += warning.text() + "\n";
    return out;
  };
  EXPECT_EQ(
      warnings("rate = { count = 9, over = \"1d x 1024 hosts\" }"),
      "test.toml:23:28: faults.f.rate.over = \"1d x 1024 hosts\" is short, and the failures in it are taken "
      "for all that were ever observed: plan --uncertainty draws the rate from 0.56 to 1.67 times this one "
      "(5% and "
      "95%); write the whole time that was observed and its count; for a rate that is known, mtbf = "
      "\"113.78d\" in its place\n");
  EXPECT_EQ(warnings("rate = { count = 9, over = \"7d x 1024 hosts\" }"), "");
  EXPECT_EQ(warnings("rate = { count = 2500, over = \"1d x 15360 hosts\" }"), "") << "known to 2% anyway";
  EXPECT_EQ(warnings("mtbf = \"113.78d\""), "");
  // A fat tree has no spine switches, so there is no mean life to write in its place.
  const LoadedScenario none = load_text(kSmall +
                                        "[cluster.network]\nkind = \"fat_tree\"\n[faults.f]\ncomponent = "
                                        "\"spine\"\neffect = \"crash\"\nremedy = \"restart\"\n" +
                                        "rate = { count = 9, over = \"1d x 4 spines\" }\n");
  EXPECT_TRUE(none.scenario && none.warnings.empty());
}

}  // namespace
}  // namespace gauntlet
