#include "real/rank/lines.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <tuple>

namespace gauntlet {
namespace {

using Kind = RankLine::Kind;

auto fields(const RankLine& line) {
  return std::tie(line.at_ns, line.kind, line.step, line.took_ns, line.pattern, line.text, line.hash,
                  line.value);
}

TEST(RankLines, HaveTheirForm) {
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::up, .step = 0}), "5 up 0");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::step, .step = 7, .took_ns = 200}), "5 step 7 200");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::stall, .step = 7, .took_ns = 3}), "5 stall 7 3");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::saved, .step = 7}), "5 saved 7");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::finished, .step = 9, .hash = 0xab}),
            "5 finished 9 00000000000000ab");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::loss, .step = 9, .value = 0.1}), "5 loss 9 0.1");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::mfu, .step = 9, .value = 1e-7}), "5 mfu 9 1e-07");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::dropped, .step = 9}), "5 dropped 9");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::held, .step = 9}), "5 held 9");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::log, .pattern = "xid", .text = "79 fell\noff"}),
            "5 log xid 79 fell off");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::log, .pattern = "xid"}), "5 log xid");
  EXPECT_EQ(to_line({.at_ns = 5, .kind = Kind::phase, .pattern = "load"}), "5 phase load");
}

// Only what a kind carries: the rest is not printed and so reads back as nothing.
RankLine any_line() {
  const auto count = [] { return *rc::gen::nonNegative<std::int64_t>(); };
  RankLine line{
      .at_ns = count(),
      .kind = *rc::gen::element(Kind::up, Kind::step, Kind::stall, Kind::saved, Kind::log, Kind::finished,
                                Kind::loss, Kind::mfu, Kind::dropped, Kind::phase, Kind::held)};
  if (line.kind == Kind::log || line.kind == Kind::phase) {
    line.pattern = *rc::gen::nonEmpty(rc::gen::string<std::string>());
    for (char& letter : line.pattern)
      if (letter == ' ' || letter == '\n') letter = '_';
    if (line.kind == Kind::phase) return line;
    line.text = *rc::gen::string<std::string>();
    for (char& letter : line.text)
      if (letter == '\n') letter = ' ';
    return line;
  }
  line.step = count();
  if (line.kind == Kind::step || line.kind == Kind::stall) line.took_ns = count();
  if (line.kind == Kind::finished) line.hash = *rc::gen::arbitrary<std::uint64_t>();
  if (line.kind == Kind::loss || line.kind == Kind::mfu)
    line.value = static_cast<double>(*rc::gen::arbitrary<std::int64_t>()) / 1e6;
  return line;
}

RC_GTEST_PROP(RankLines, ReadBackAsTheyWere, ()) {
  const RankLine line = any_line();
  const std::string text = to_line(line);
  RC_ASSERT(text.find('\n') == std::string::npos);
  const auto read = parse_rank_line(text);
  RC_ASSERT(read.has_value());
  RC_ASSERT(fields(*read) == fields(line));
}

TEST(RankLines, AnythingElseIsNone) {
  for (const char* text : {"",
                           " ",
                           "5",
                           "up 0",
                           "5 up",
                           "5 up ",
                           "5 up x",
                           "5 phase",
                           "5 phase load 3",
                           "5 up 0 ",
                           "5  up 0",
                           " 5 up 0",
                           "-5 up 0",
                           "5 up -1",
                           "+5 up 0",
                           "5 Up 0",
                           "5 upp 0",
                           "5 step 1",
                           "5 step 1 ",
                           "5 step 1 2 3",
                           "5 step 1 2.5",
                           "5 stall 1",
                           "5 saved",
                           "5 saved 1 1",
                           "5 loss 1",
                           "5 loss 1 x",
                           "5 mfu 1 0.5 2",
                           "5 dropped -1",
                           "5 log",
                           "5 log ",
                           "5 log  text",
                           "5 finished 1",
                           "5 finished 1 ab",
                           "5 finished 1 00000000000000AB",
                           "5 finished 1 00000000000000abc",
                           "5 finished 1 0x000000000000ab",
                           "99999999999999999999 up 0",
                           "5 up 0\n",
                           "Traceback (most recent call last):"})
    EXPECT_FALSE(parse_rank_line(text)) << '"' << text << '"';
}

}  // namespace
}  // namespace gauntlet
