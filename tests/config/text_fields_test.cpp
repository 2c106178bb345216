// Texts and names of a scenario: they reach terminals, tables and charts.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

using testing::HasSubstr;

std::string named(const std::string& name) {
  return problems_of(load_text("name = \"" + name + "\"\n" + kSmall));
}

TEST(TextFields, HaveNoControlCharacters) {
  for (const char* escape : {"\\u001b[31m", "\\u0000", "\\u0007", "\\r", "\\u007f", "\\u0085", "\\u009b31m"})
    EXPECT_THAT(named(std::string("a") + escape), HasSubstr("holds a control character")) << escape;
  for (const char* text : {"", "a", "a\\tb\\nc", "\\u00a0 \\u00e9\\u4e16", "\\U0001f600"})
    EXPECT_EQ(named(text), "") << text;
  EXPECT_THAT(problems_of(load_text("question = \"\\u001b]0;title\\u0007\"\n" + kSmall)),
              HasSubstr("holds a control character"));
  EXPECT_THAT(problems_of(load_text(kSmall + "source = \"\\u001b[2J\"\n")),
              HasSubstr("holds a control character"));
}

TEST(TextFields, HaveAnEnd) {
  EXPECT_EQ(named(std::string(10'000, 'x')), "");
  EXPECT_THAT(named(std::string(10'001, 'x')), HasSubstr("has more than 10000 letters"));
}

TEST(TextFields, NamesOfEntriesFitOnALine) {
  const auto with_fault = [](std::size_t letters) {
    return problems_of(
        load_text(kSmall + "[faults." + std::string(letters, 'x') + "]\nmtbf = \"9d\"\n" + kCrash));
  };
  EXPECT_EQ(with_fault(100), "");
  EXPECT_THAT(with_fault(101), HasSubstr("has more than 100 letters; shorten it"));
}

}  // namespace
}  // namespace gauntlet
