// A commented scenario from what a planner knows: the text that `gauntlet new` writes.
#pragma once

#include "commands/new/facts.hpp"
#include "commands/new/known.hpp"
#include "core/problem.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// How every draft begins: a file that begins so may be replaced with --force.
inline constexpr std::string_view kDraftBegins = "# A scenario that `gauntlet new` wrote";

struct Draft {
  std::optional<std::string> text;   // TOML that config/ accepts without a warning
  std::vector<Problem> problems;     // why there is none
  std::vector<std::string> summary;  // what was chosen, each a sentence
};

/// `known`: the words that `facts` were read from, for the command in the head of the text. The same words give the same text.
Draft write_draft(const Known& known, const Facts& facts);

}  // namespace gauntlet
