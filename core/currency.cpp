#include "core/currency.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace gauntlet {
namespace {

// ISO 4217, list one, of 2024, without the codes that are not money in circulation.
constexpr std::array kCurrencies = std::to_array<std::string_view>({
    "AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN", "BHD",
    "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY",
    "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP",
    "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR",
    "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT",
    "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR",
    "MVR", "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK",
    "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD",
    "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY",
    "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VES", "VND", "VUV", "WST", "XAF", "XCD", "XCG",
    "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG",
});
static_assert(std::ranges::is_sorted(kCurrencies));

std::string in_capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

}  // namespace

std::span<const std::string_view> currencies() { return kCurrencies; }
bool is_currency(std::string_view code) { return std::ranges::binary_search(kCurrencies, code); }

Parsed<Price> parse_price(std::string_view given) {
  const std::string_view text = trimmed(given);
  const std::string example = "write for example \"2.5USD\"";
  if (text.empty()) return {{}, "is empty", example};
  if (text.front() == '-') return {{}, "is negative", ""};
  double amount = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), amount, std::chars_format::general);
  if (error == std::errc::result_out_of_range) return {{}, "is too large", ""};
  if (error != std::errc{} || !std::isfinite(amount))
    return {{}, "is not an amount with a currency", example};
  const auto length = static_cast<std::size_t>(end - text.data());
  const std::string_view code = trimmed(text.substr(length));
  if (code.empty() && amount == 0) return {Price{}, "", ""};
  const std::string number(trimmed(text.substr(0, length)));
  if (code.empty())
    return {{}, "has no currency", "write " + in_quotes(number + "USD") + " or " + in_quotes(number + "EUR")};
  if (is_currency(code)) return {Price{{amount}, std::string(code)}, "", ""};
  const std::string capitals = in_capitals(code);
  return {{},
          "has the unknown currency " + in_quotes(code),
          is_currency(capitals) ? "write " + in_quotes(number + capitals)
                                : "write a code of ISO 4217, such as USD, EUR or JPY"};
}

std::string to_text(const Price& price) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), price.amount.value).ptr;
  return std::string(buffer.data(), end) + price.currency;
}

}  // namespace gauntlet
