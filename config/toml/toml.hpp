// TOML text to a tree of values. The only room that knows how a scenario is written down.
#pragma once

#include "config/toml/mistakes.hpp"
#include "config/toml/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// Parts of a dotted key or path. No scenario nests tables half as deep. toml++ bounds how deep values nest, but not how long
/// keys are; it and everything behind it walk through tables by recursion.
inline constexpr std::size_t kMostKeyParts = 16;

/// The tree of a TOML text, or nothing and one mistake: that the text is none (with where and why), or that it holds
/// bytes that no text has, or a key of more parts than that.
std::optional<Value> parse_toml(std::string_view text, const std::string& file, std::uint32_t layer,
                                Mistakes& mistakes);

/// What follows `--set path=`: a TOML value, and a bare string where it is none (`5min`).
Value parse_set_value(std::string_view text, std::uint32_t layer);

/// The value of a field's default, which is written as TOML in its description.
Value parse_fallback(std::string_view text);

}  // namespace gauntlet
