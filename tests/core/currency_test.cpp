#include "core/currency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace gauntlet {
namespace {

TEST(Currency, IsKnownByItsCode) {
  for (const char* code : {"USD", "EUR", "JPY", "CHF", "GBP", "CNY", "INR", "KRW"})
    EXPECT_TRUE(is_currency(code)) << code;
  // A metal, a test code, a fund, a currency that ended, small letters, no code.
  for (const char* code : {"XAU", "XTS", "CLF", "DEM", "usd", "US", "USDX", ""})
    EXPECT_FALSE(is_currency(code)) << code;
  for (const std::string_view code : currencies())
    EXPECT_TRUE(code.size() == 3 && std::ranges::all_of(code, [](char c) { return std::isupper(c); }))
        << code;
}

TEST(ParsePrice, KeepsTheCurrency) {
  EXPECT_EQ(parse_price("2.10EUR").value, (Price{{2.1}, "EUR"}));
  EXPECT_EQ(parse_price(" 300 JPY ").value, (Price{{300}, "JPY"}));
  EXPECT_EQ(parse_price("1e3EUR").value, (Price{{1000}, "EUR"}));  // no exponent of the E of EUR
  EXPECT_EQ(parse_price("2EUR").value, (Price{{2}, "EUR"}));
  EXPECT_EQ(parse_price("0").value, (Price{{0}, ""}));
  EXPECT_EQ(parse_price("0CHF").value, (Price{{0}, "CHF"}));
}

TEST(ParsePrice, SaysWhatIsWrong) {
  struct Case {
    const char *text, *why, *suggestion;
  };
  for (const Case& each :
       {Case{"2.5", "has no currency", "write \"2.5USD\" or \"2.5EUR\""},
        {"2.5eur", "has the unknown currency \"eur\"", "write \"2.5EUR\""},
        {"2.5XAU", "has the unknown currency \"XAU\"", "write a code of ISO 4217, such as USD, EUR or JPY"},
        {"2.5USD/h", "has the unknown currency \"USD/h\"",
         "write a code of ISO 4217, such as USD, EUR or JPY"},
        {"$2.5", "is not an amount with a currency", "write for example \"2.5USD\""},
        {"nanUSD", "is not an amount with a currency", "write for example \"2.5USD\""},
        {"", "is empty", "write for example \"2.5USD\""},
        {"-1USD", "is negative", ""},
        {"1e999USD", "is too large", ""}}) {
    const Parsed<Price> parsed = parse_price(each.text);
    EXPECT_FALSE(parsed.value) << each.text;
    EXPECT_EQ(parsed.why, each.why) << each.text;
    EXPECT_EQ(parsed.suggestion, each.suggestion) << each.text;
  }
}

TEST(PriceText, ParsesBack) {
  double amount = 1.0 / 3;
  for (int i = 0; i < 100; ++i, amount *= 1.7) {
    const Price price{{amount}, i % 2 == 0 ? "EUR" : "USD"};
    EXPECT_EQ(parse_price(to_text(price)).value, price) << to_text(price);
  }
  EXPECT_EQ(to_text(Price{{2.5}, "EUR"}), "2.5EUR");
  EXPECT_EQ(to_text(Price{{0}, ""}), "0");
}

}  // namespace
}  // namespace gauntlet
