// Currencies by their ISO 4217 codes, and amounts of money with their currency. Nothing converts one currency into another.
#pragma once

#include "core/quantity.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// Where a scenario states no price.
inline constexpr std::string_view kDefaultCurrency = "USD";

/// The codes of ISO 4217 that are money in circulation, in order. Left out are metals, bond units, funds and tests (XAU,
/// XBA, CLF, XTS).
std::span<const std::string_view> currencies();
bool is_currency(std::string_view code);

/// An amount with the currency that was written with it. Only an amount of zero may have none.
struct Price {
  Money amount;
  std::string currency;
  friend bool operator==(const Price&, const Price&) = default;
};

/// "2.10EUR", "0"; blanks may stand between the number and the code.
Parsed<Price> parse_price(std::string_view text);
/// Text that parses back to the same price: "2.1EUR".
std::string to_text(const Price& price);

}  // namespace gauntlet
