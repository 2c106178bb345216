#include "config/fields/tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::array<std::pair<char, double>, 5> kScales = {
    {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'B', 1e9}, {'T', 1e12}}};

std::string shortest(double value) {
  std::array<char, 64> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

}  // namespace

Parsed<double> parse_tokens(std::string_view text) {
  constexpr std::string_view kExample = "write for example \"15.6T\"";
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (error != std::errc{} || rest.size() > 1)
    return {{}, "is not a number of tokens", std::string(kExample)};
  if (!rest.empty()) {
    const auto scale =
        std::find_if(kScales.begin(), kScales.end(), [&](const auto& each) { return each.first == rest[0]; });
    if (scale == kScales.end()) return {{}, "has an unknown unit", "write k, M, G (or B) or T, as in 15.6T"};
    value *= scale->second;
  }
  if (!(value > 0) || !std::isfinite(value)) return {{}, "is not above zero", std::string(kExample)};
  return {value, "", ""};
}

std::string tokens_to_text(double tokens) {
  for (const char name : {'T', 'G', 'M', 'k'}) {
    const double size =
        std::ranges::find(kScales, name, [](const auto& scale) { return scale.first; })->second;
    if (tokens < size) continue;
    if (std::string text = shortest(tokens / size) + name; parse_tokens(text).value == tokens) return text;
  }
  return shortest(tokens);
}

std::string most_tokens_text(double tokens) {
  double digit = 1;
  while (tokens / digit >= 1000) digit *= 10;
  return tokens_to_text(std::floor(tokens / digit) * digit);
}

}  // namespace gauntlet
