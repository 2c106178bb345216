// --vary in every form, and every mistake in it.
#include "study/vary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A scenario that holds one field of each kind.
Value base() {
  Value root{Value::Table{}, {}, {}, false};
  const auto add = [&](const char* path, Value::Data data) {
    put(root, path, {std::move(data), {}, {}, false});
  };
  add("checkpoint.interval", std::string("10min"));
  add("spares.count", std::int64_t{4});
  add("job.factor", 1.5);
  add("storage.write", std::string("2TB/s"));
  add("hardware.memory", std::string("80GB"));
  add("hardware.peak", std::string("989.5TFLOP/s"));
  add("cost.gpu_hour", std::string("2.5USD"));
  add("policies.checkpoint", std::string("fixed"));
  return root;
}

std::vector<std::string> values(const std::string& text) {
  const ParsedAxis parsed = parse_axis(text, base());
  EXPECT_TRUE(parsed.axis) << text << ": " << (parsed.problem ? parsed.problem->text() : "");
  return parsed.axis ? parsed.axis->values : std::vector<std::string>{};
}

std::string mistake(const std::string& text) {
  const ParsedAxis parsed = parse_axis(text, base());
  EXPECT_FALSE(parsed.axis) << text;
  return parsed.problem ? parsed.problem->text() : "";
}

TEST(Vary, ListsKeepTheirText) {
  EXPECT_THAT(values("checkpoint.interval=10s,30s, 1min"), ElementsAre("10s", "30s", "1min"));
  EXPECT_THAT(values("policies.checkpoint=fixed,young"), ElementsAre("fixed", "young"));
  EXPECT_THAT(values("policies.detect=[\"log\", \"hang\"],[]"), ElementsAre("[\"log\", \"hang\"]", "[]"));
  EXPECT_THAT(values("spares.count=8"), ElementsAre("8"));
  EXPECT_EQ(parse_axis("policies.checkpoint=fixed,young", base()).axis->kind, FieldKind::text);
  EXPECT_EQ(parse_axis("checkpoint.interval=0,30s", base()).axis->kind, FieldKind::duration);
}

TEST(Vary, RangesAreSpacedAndRoundedWithinTheirExactEnds) {
  // 60 x 120^(i/4): 60, 198.58, 657.27, 2175.4, 7200 seconds, to 1 s up to 1000 s and to 10 s above.
  EXPECT_THAT(values("checkpoint.interval=1min:2h:log5"),
              ElementsAre("1min", "3min19s", "10min57s", "36min20s", "2h"));
  EXPECT_THAT(values("checkpoint.interval=1h:3h:lin5"), ElementsAre("1h", "1h30min", "2h", "2h30min", "3h"));
  EXPECT_THAT(values("checkpoint.interval=100s:101s:lin3"), ElementsAre("100s", "100.5s", "101s"));
  EXPECT_THAT(values("checkpoint.interval=1ms:1s:log4"), ElementsAre("1ms", "10ms", "100ms", "1s"));
  EXPECT_THAT(values("storage.write=100GB/s:10TB/s:log5"),
              ElementsAre("100GB/s", "316GB/s", "1TB/s", "3.16TB/s", "10TB/s"));
  EXPECT_THAT(values("hardware.memory=40GB:80GB:lin3"), ElementsAre("40GB", "60GB", "80GB"));
  EXPECT_THAT(values("hardware.peak=1PFLOP/s:2PFLOP/s:lin3"),
              ElementsAre("1PFLOP/s", "1.5PFLOP/s", "2PFLOP/s"));
  EXPECT_THAT(values("cost.gpu_hour=1USD:4USD:lin4"), ElementsAre("1USD", "2USD", "3USD", "4USD"));
  EXPECT_THAT(values("job.factor=0.001:1:log4"), ElementsAre("0.001", "0.01", "0.1", "1"));
  EXPECT_THAT(values("job.factor=1:3:lin3"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(values("job.factor=1e-6:1e-5:log3"), ElementsAre("1e-6", "3.16e-06", "1e-5"));
  EXPECT_THAT(values("checkpoint.interval=1min:2h:log1"), ElementsAre("1min"));
  EXPECT_THAT(values("spares.count=-1:3:lin9"), ElementsAre("-1", "0", "1", "2", "3"));  // never -0
}

std::string left_out(const std::string& text) { return left_out_text(*parse_axis(text, base()).axis); }

TEST(Vary, AShortRangeOfWholeNumbersHasAllOfThem) {
  EXPECT_THAT(values("spares.count=0:3"), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(values("spares.count=2:13"),
              ElementsAre("2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"));
  EXPECT_EQ(values("spares.count=1:20").size(), 20U) << "a logarithmic one too";
  EXPECT_EQ(values("spares.count=1:20:log").size(), 20U);
  EXPECT_EQ(left_out("spares.count=1:20"), "");
  // A field of numbers that need not be whole.
  EXPECT_EQ(values("job.factor=0:16").size(), 9U);
  EXPECT_EQ(left_out("job.factor=0:16"), "");
}

TEST(Vary, ARangeOfWholeNumbersHasWholeEnds) {
  for (const char* text : {"spares.count=0.5:4", "spares.count=1:3.5", "spares.count=0.5:4:lin3"})
    EXPECT_THAT(mistake(text), HasSubstr("spares.count takes only those")) << text;
  EXPECT_THAT(values("job.factor=0.5:4:lin2"), ElementsAre("0.5", "4"));
  // A key of numbers that need not be whole, of which the scenario has a whole one.
  Value scenario = base();
  put(scenario, "job.step_time_factor", {std::int64_t{2}, {}, {}, false});
  EXPECT_TRUE(parse_axis("job.step_time_factor=1.5:2.5:lin2", scenario).axis);
}

TEST(Vary, ALongRangeOfWholeNumbersSaysThatItLeavesSomeOut) {
  EXPECT_THAT(values("spares.count=0:100"),
              ElementsAre("0", "12", "25", "38", "50", "62", "75", "88", "100"));
  EXPECT_EQ(left_out("spares.count=0:100"),
            "spares.count = 0:100 takes 9 of 101 whole numbers and leaves out the others. "
            "--vary spares.count=0:100:lin101 takes all of them.");
  EXPECT_EQ(values("spares.count=0:100:lin101").size(), 101U) << "as the sentence says";
  EXPECT_EQ(left_out("spares.count=0:100:lin101"), "");
  EXPECT_THAT(left_out("spares.count=1:1000:log4"), HasSubstr("takes 4 of 1000 whole numbers"));
  EXPECT_EQ(values("spares.count=1:1000:lin1000").size(), 1000U) << "as that sentence says";
  // More than a study has points: there is no way to all of them.
  EXPECT_THAT(left_out("spares.count=0:1000000"), testing::EndsWith("leaves out the others."));
  EXPECT_EQ(left_out("spares.count=1,50,100"), "") << "a list is what it says";
}

TEST(Vary, MixesNoCurrencies) {
  EXPECT_THAT(values("cost.gpu_hour=1EUR:4EUR:lin4"), ElementsAre("1EUR", "2EUR", "3EUR", "4EUR"));
  EXPECT_THAT(mistake("cost.gpu_hour=1USD:4EUR"),
              HasSubstr("has amounts in USD and EUR; write all of them in one"));
  EXPECT_THAT(mistake("cost.gpu_hour=1USD,2USD,4CHF"), HasSubstr("has amounts in USD and CHF"));
  EXPECT_THAT(values("cost.gpu_hour=0,1EUR,2EUR"), ElementsAre("0", "1EUR", "2EUR"));
}

TEST(Vary, CountsTokensAsTheCommandLineDoes) {
  EXPECT_THAT(values("job.tokens=1T:4T:lin4"),
              ElementsAre("1000000000000", "2000000000000", "3000000000000", "4000000000000"));
  EXPECT_THAT(values("job.tokens=1T,300B"), ElementsAre("1T", "300B"));
  EXPECT_EQ(parse_axis("job.tokens=100B,300B", base()).axis->kind, FieldKind::text) << "no bytes";
}

TEST(Vary, TimesHaveOneUnitWhereTheyAreNotWholeSeconds) {
  EXPECT_THAT(values("checkpoint.interval=60s:62s:lin5"),
              ElementsAre("60s", "60.5s", "1min1s", "61.5s", "62s"));
  EXPECT_THAT(values("checkpoint.interval=30s:2min:log3"), ElementsAre("30s", "1min", "2min"));
  EXPECT_THAT(values("checkpoint.interval=1ms:4ms:lin3"), ElementsAre("1ms", "2.5ms", "4ms"));
}

TEST(Vary, WithoutASpacingARangeOfADecadeIsLogarithmicAndHasNineValues) {
  const Axis wide = *parse_axis("checkpoint.interval=1min:10min", base()).axis;
  EXPECT_TRUE(wide.range->logarithmic);
  EXPECT_EQ(wide.values.size(), kRangeValues);
  EXPECT_FALSE(wide.counted);
  EXPECT_FALSE(parse_axis("checkpoint.interval=1min:9min", base()).axis->range->logarithmic);
  EXPECT_FALSE(parse_axis("spares.count=0:64", base()).axis->range->logarithmic);
  EXPECT_TRUE(parse_axis("checkpoint.interval=1min:9min:log", base()).axis->range->logarithmic);
}

TEST(Vary, WholeNumbersAreRoundedAndComeOnce) {
  EXPECT_THAT(values("spares.count=0:4"), ElementsAre("0", "1", "2", "3", "4"));
  // 1, 2, 4, 8 and what lies half-way on a log axis: 1.41, 2.83, 5.66.
  EXPECT_THAT(values("spares.count=1:8:log7"), ElementsAre("1", "2", "3", "4", "6", "8"));
}

TEST(Vary, PositionsAndTextsAreInverse) {
  for (const char* text :
       {"checkpoint.interval=1min:2h", "job.factor=-3:5:lin", "storage.write=1GB/s:900GB/s"}) {
    const FieldRange range = *parse_axis(text, base()).axis->range;
    EXPECT_EQ(range.position_of(range.low_text), 0) << text;
    EXPECT_EQ(range.position_of(range.high_text), 1) << text;
    double before = 0;
    for (int i = 1; i < 50; ++i) {
      const double u = i / 50.0, position = *range.position_of(range.text_at(u, 0.02));
      EXPECT_NEAR(position, u, 0.003) << text;  // a tenth of a step of 0.02, and a bit
      EXPECT_GT(position, before) << text;
      before = position;
    }
  }
  const FieldRange interval = *parse_axis("checkpoint.interval=1min:1h", base()).axis->range;
  EXPECT_LT(*interval.position_of("30s"), 0);
  EXPECT_GT(*interval.position_of("2h"), 1);
  EXPECT_FALSE(interval.position_of("0s"));
  EXPECT_FALSE(interval.position_of("5GB"));
}

TEST(Vary, EveryMistakeSaysWhatAndWhy) {
  EXPECT_THAT(mistake("checkpoint.interval"), HasSubstr("--vary: \"checkpoint.interval\" has no values"));
  EXPECT_THAT(mistake("=1,2"), HasSubstr("has no path"));
  EXPECT_THAT(mistake("checkpoint.interval="), HasSubstr("has an empty value"));
  EXPECT_THAT(mistake("checkpoint.interval=1min,,2min"), HasSubstr("has an empty value"));
  EXPECT_THAT(mistake("checkpoint.interval=1min,2min,1min"), HasSubstr("has \"1min\" twice"));
  EXPECT_THAT(mistake("checkpoint.interval=1min:2h:cubic"), HasSubstr("has the unknown spacing \"cubic\""));
  EXPECT_THAT(mistake("checkpoint.interval=1min:2h:log2x"), HasSubstr("has the unknown spacing \"log2x\""));
  EXPECT_THAT(mistake("checkpoint.interval=1min:2h:log0"), HasSubstr("has no values"));
  EXPECT_THAT(mistake("checkpoint.interval=1min:2h:lin-3"), HasSubstr("has the unknown spacing \"lin-3\""));
  EXPECT_THAT(mistake("checkpoint.interval=1min:2h:lin100001"), HasSubstr("has more than 100000 values"));
  EXPECT_THAT(mistake("checkpoint.interval=1min:2h:lin99999999999"),
              HasSubstr("has more than 100000 values"));
  EXPECT_THAT(mistake("checkpoint.interval=1min:2h:lin3:4"), HasSubstr("is not a range"));
  EXPECT_THAT(mistake("checkpoint.interval=2h:1min"), HasSubstr("checkpoint.interval = 2h:1min is reversed"));
  EXPECT_THAT(mistake("checkpoint.interval=60s:1min"), HasSubstr("is empty: both ends are the same"));
  EXPECT_THAT(mistake("checkpoint.interval=1min:"), HasSubstr("has an end that is empty"));
  EXPECT_THAT(mistake("checkpoint.interval=0:2h:log"), HasSubstr("not above zero"));
  EXPECT_THAT(mistake("job.factor=-1:1:log"), HasSubstr("not above zero"));
  EXPECT_THAT(mistake("checkpoint.interval=1GB:2GB"),
              HasSubstr("\"1GB\" has the unknown unit \"GB\"; known units"));
  EXPECT_THAT(mistake("checkpoint.interval=1:20"),
              HasSubstr("\"1\" has no unit; write \"1s\", \"1min\" or \"1h\""));
  EXPECT_THAT(mistake("checkpoint.interval=1min:2GB"), HasSubstr("\"2GB\" has the unknown unit"));
  EXPECT_THAT(mistake("spares.count=1min:2min"), HasSubstr("\"1min\" is not a number"));
  EXPECT_THAT(mistake("nowhere=1min:2GB"), HasSubstr("has ends of different kinds"));
  EXPECT_THAT(mistake("nowhere=soon:late"), HasSubstr("\"soon\" is not a number with a unit"));
}

TEST(Vary, APathIsVariedOnce) {
  const std::vector<std::string> texts = {"spares.count=1,2", "spares.count=4", "job.factor=2:1"};
  const ParsedAxes parsed = parse_axes(texts, base());
  ASSERT_EQ(parsed.problems.size(), 2U);
  EXPECT_EQ(parsed.problems[0].text(),
            "--vary: spares.count is varied twice; give all its values at once: PATH=a,b,c");
  EXPECT_THAT(parsed.problems[1].text(), HasSubstr("is reversed"));
  EXPECT_TRUE(parsed.axes.empty());
}

TEST(Vary, HowAStudyRunsIsTheSameAtAllPoints) {
  const std::vector<std::string> texts = {"study.seed=1,2", "study.replicas=10:20"};
  const ParsedAxes parsed = parse_axes(texts, base());
  ASSERT_EQ(parsed.problems.size(), 2U);
  EXPECT_EQ(parsed.problems[0].text(),
            "--vary: study.seed says how a study runs, and all its points share it; run the command "
            "again with another --seed");
  EXPECT_THAT(parsed.problems[1].text(), HasSubstr("; give it with --set"));
}

TEST(Vary, ARangeToSearchHasNoCount) {
  EXPECT_TRUE(parse_range("checkpoint.interval", "1min:2h", base(), "--over").range);
  const auto counted = parse_range("checkpoint.interval", "1min:2h:log5", base(), "--over");
  EXPECT_THAT(counted.problem->text(),
              HasSubstr("--over: checkpoint.interval = 1min:2h:log5 says how many values"));
}

}  // namespace
}  // namespace gauntlet
