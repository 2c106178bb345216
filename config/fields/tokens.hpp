// Amounts of training data, counted in tokens.
#pragma once

#include "core/quantity.hpp"

#include <string>
#include <string_view>

namespace gauntlet {

/// "15.6T", "300B", "1e12": tokens, above zero. k, M, G (or B for billion) and T are powers of a thousand.
Parsed<double> parse_tokens(std::string_view text);
/// Text that parses back to the same number, in the largest unit that keeps it above one: "2T", "1.5G", "500".
std::string tokens_to_text(double tokens);

/// The same of a limit: three digits, rounded down.
std::string most_tokens_text(double tokens);

}  // namespace gauntlet
