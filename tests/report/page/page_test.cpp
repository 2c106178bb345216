#include "report/page/page.hpp"

#include "tests/report/page/charts_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<double> from_1_to(std::size_t last) {
  std::vector<double> values(last);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

Statistics of_runs(std::uint64_t runs) {
  Statistics of;
  of.n = runs;
  return of;
}

TEST(Distribution, ItsBinsHoldEveryRunOnce) {
  for (const std::size_t runs : {2U, 7U, 400U, 100'000U}) {
    const auto of = distribution_of("t", {}, from_1_to(runs), of_runs(runs));
    ASSERT_TRUE(of);
    EXPECT_EQ(std::accumulate(of->counts.begin(), of->counts.end(), std::uint64_t{0}), runs);
    EXPECT_EQ(of->edges.size(), of->counts.size() + 1);
    EXPECT_LE(of->counts.size(), 40U);
    EXPECT_EQ(of->edges.front(), 1);
    EXPECT_EQ(of->edges.back(), static_cast<double>(runs));
  }
}

TEST(Distribution, ItsCurveHasExactSharesAndIsShort) {
  const auto of = distribution_of("t", {}, from_1_to(1000), of_runs(1000));
  ASSERT_TRUE(of);
  EXPECT_EQ(of->cdf.size(), 201U);
  for (const auto& [value, share] : of->cdf) EXPECT_DOUBLE_EQ(share, value / 1000);
  EXPECT_EQ(distribution_of("t", {}, from_1_to(5), of_runs(5))->cdf.size(), 5U);
}

TEST(Distribution, RunsThatGaveUpLieAboveAllOthers) {
  Statistics statistics = of_runs(40);
  statistics.p50 = 20;
  statistics.gave_up = 10;
  const auto of = distribution_of("t", {}, from_1_to(30), statistics);
  ASSERT_TRUE(of);
  EXPECT_EQ(of->runs, 40U);
  EXPECT_DOUBLE_EQ(of->cdf.back().share, 0.75);
  EXPECT_THAT(of->percentiles, testing::ElementsAre(testing::Pair("p50", 20)))
      << "what is not known is left out";
}

TEST(Distribution, OfEqualValuesIsNone) {
  EXPECT_FALSE(distribution_of("t", {}, {2, 2, 2}, of_runs(3)));
  EXPECT_FALSE(distribution_of("t", {}, {2}, of_runs(1)));
  EXPECT_FALSE(distribution_of("t", {}, {}, {}));
}

TEST(Distribution, OverDecadesIsLogarithmic) {
  const auto of = distribution_of("t", {}, {1, 10, 100, 1000, 10'000}, of_runs(5));
  ASSERT_TRUE(of);
  EXPECT_EQ(of->value.scale, ChartScale::logarithmic);
  EXPECT_THAT(of->counts, testing::Each(1)) << "five bins, a decade each";
  EXPECT_EQ(scale_for({0, 1000}), ChartScale::linear) << "zero has no logarithm";
  EXPECT_EQ(scale_for({1, 99}), ChartScale::linear);
}

Page page_with(Chart chart) {
  Page page{.name = "n", .answer = "a", .command = "gauntlet run x"};
  Section section{.heading = "h"};
  section.add(std::move(chart));
  page.sections.push_back(std::move(section));
  return page;
}

BarChart one_bar(std::string name) {
  return {.title = "t",
          .bars_title = "b",
          .value = {"v"},
          .bars = {{.name = std::move(name), .parts = {BarPart{.value = 1}}}}};
}

TEST(Page, TextCannotBecomeMarkup) {
  const std::string evil = "</script><!--<img src=x onerror=\"alert(1)\">&";
  Page page = page_with(one_bar(evil));
  page.name = page.answer = page.command = page.sections[0].heading = evil;
  page.lines = {evil};
  page.figures = {{.name = evil, .value = evil, .note = evil}};
  page.sections[0].add(Paragraph{evil});
  page.sections[0].add(FactList{{{.name = evil, .value = evil, .note = evil}}});
  page.sections[0].add(PageTable{.title = evil, .header = {evil}, .rows = {{evil}}, .folded = true});
  page.sections[0].add(Verbatim{evil, evil});
  EXPECT_THAT(to_html(page), Not(HasSubstr("<img")));
  EXPECT_THAT(to_html(page), Not(HasSubstr("</script><!--<")));
}

TEST(Page, MarksCodeAndSigns) {
  Page page{.name = "n", .answer = "`key` is 3 +- 1"};
  EXPECT_THAT(to_html(page), HasSubstr("<h1><code>key</code> is 3 ± 1</h1>"));
  page.answer = "one ` alone";
  EXPECT_THAT(to_html(page), HasSubstr("<h1>one ` alone</h1>"));
}

TEST(Page, LeavesOutSectionsWithoutABlock) {
  Page page = page_with(one_bar("x"));
  page.sections.push_back({.heading = "nothing in it"});
  EXPECT_THAT(to_html(page), Not(HasSubstr("nothing in it")));
}

TEST(Page, SaysHowToWriteItAgainWhereItsEndIsMissing) {
  const std::string html = to_html(page_with(one_bar("x")));
  const std::size_t notice = html.find("id=\"incomplete\"");
  EXPECT_LT(notice, html.find("<h1>"));
  EXPECT_THAT(html.substr(notice, 300), HasSubstr("gauntlet run x"));
  EXPECT_EQ(html.substr(0, kPageBegins.size()), kPageBegins);
}

}  // namespace
}  // namespace gauntlet
