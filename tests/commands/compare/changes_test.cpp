#include "commands/compare/changes.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(Changes, AreApartBySpacesOutsideOfQuotesAndBrackets) {
  const ParsedChanges parsed = parse_changes(
      R"( checkpoint.interval=5min  policies.checkpoint="a b\" c" x=[1, 2] repair.time={name='it is', mean="6h"} )",
      "--with");
  ASSERT_FALSE(parsed.problem) << parsed.problem->text();
  EXPECT_EQ(parsed.settings, (Settings{{"checkpoint.interval", "5min"},
                                       {"policies.checkpoint", R"("a b\" c")"},
                                       {"x", "[1, 2]"},
                                       {"repair.time", R"({name='it is', mean="6h"})"}}));
}

TEST(Changes, SayWhatIsWrongWithThem) {
  const auto why = [](const char* text) {
    const ParsedChanges parsed = parse_changes(text, "--with");
    return parsed.problem && parsed.settings.empty() ? parsed.problem->text() : "nothing";
  };
  EXPECT_EQ(
      why("spares.count = 4"),
      R"(--with: "spares.count" is not PATH=VALUE; write it without spaces, as in "checkpoint.interval=5min")");
  EXPECT_EQ(why("=4").substr(0, 26), R"(--with: "=4" is not PATH=V)");
  EXPECT_EQ(why("a="),
            R"(--with: "a=" is not PATH=VALUE; write it without spaces, as in "checkpoint.interval=5min")");
  EXPECT_EQ(why("a=1 b=2 a=3"), R"(--with: "a" is set twice; say once what it shall be)");
  EXPECT_EQ(why("a=\"b c=2"), R"x(--with: "a="b c=2" has a quote or bracket that does not end; close it)x");
  EXPECT_EQ(why("a=[1 b=2"), R"x(--with: "a=[1 b=2" has a quote or bracket that does not end; close it)x");
  EXPECT_EQ(why("  ").substr(0, 29), R"(--with: "  " changes nothing;)");
}

}  // namespace
}  // namespace gauntlet
