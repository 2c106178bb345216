#include "config/fields/tokens.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(ParseTokens, KnowsItsUnits) {
  EXPECT_EQ(parse_tokens("15.6T").value, 15.6e12);
  EXPECT_EQ(parse_tokens("300 B").value, 300e9);
  EXPECT_EQ(parse_tokens("300G").value, 300e9);
  EXPECT_EQ(parse_tokens("1e9").value, 1e9);
  for (const char* wrong : {"", "T", "2X", "2TB", "0", "-1T", "nan", "inf", "1X", "1TB", "1.5.2T"})
    EXPECT_FALSE(parse_tokens(wrong).value) << wrong;
  EXPECT_EQ(parse_tokens("2X").why, "has an unknown unit");
}

TEST(TokensText, IsWhatPeopleWrite) {
  EXPECT_EQ(tokens_to_text(2e12), "2T");
  EXPECT_EQ(tokens_to_text(15.6e12), "15.6T");
  EXPECT_EQ(tokens_to_text(300e9), "300G");
  EXPECT_EQ(tokens_to_text(4e6), "4M");
  EXPECT_EQ(tokens_to_text(1500), "1.5k");
  EXPECT_EQ(tokens_to_text(12), "12");
}

TEST(TokensText, ParsesBack) {
  double tokens = 1.0 / 3;
  for (int i = 0; i < 120; ++i, tokens *= 1.7) EXPECT_EQ(parse_tokens(tokens_to_text(tokens)).value, tokens);
}

}  // namespace
}  // namespace gauntlet
