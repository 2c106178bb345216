// What is wrong with a text that is not TOML, in the words of a scenario's author and not in those of the parser.
#pragma once

#include "core/problem.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gauntlet {

/// What the parser says, and where.
struct TomlError {
  std::uint32_t line = 0;  // from 1
  std::uint32_t column = 0;
  std::string_view description;
};

/// The commonest mistakes by name: YAML or JSON, a string without its end, a value without its quotes, a key that is given
/// twice, a heading without its bracket. Anything else is quoted from the parser.
Problem explain(const TomlError& error, std::string_view text, const std::string& file);

}  // namespace gauntlet
