// The one form of a message to a user: where, what, why, and what to try.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace gauntlet {

/// `scenarios/a.toml:14:8: faults.gpu.mtbf = "300" has no unit; write "300h" or "300min"`
struct Problem {
  std::string file = {};   // empty where there is none
  std::uint32_t line = 0;  // from 1; 0 where there is none
  std::uint32_t column = 0;
  std::string what = {};  // the field and the offending text
  std::string why = {};
  std::string suggestion = {};  // may be empty

  std::string text() const {
    std::string out = file;
    if (line > 0) out += ":" + std::to_string(line) + ":" + std::to_string(column);
    if (!out.empty()) out += ": ";
    out += what;
    if (!why.empty()) out += (what.empty() ? "" : " ") + why;
    if (!suggestion.empty()) out += "; " + suggestion;
    return out;
  }
};

/// Of a file as a whole.
inline Problem problem_of(const std::filesystem::path& file, std::string why, std::string suggestion = {}) {
  return {.file = file.string(), .why = std::move(why), .suggestion = std::move(suggestion)};
}

}  // namespace gauntlet
