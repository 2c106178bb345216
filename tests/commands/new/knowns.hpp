// What planners in these tests know, and drafts of it.
#pragma once

#include "commands/new/draft.hpp"
#include "commands/new/facts.hpp"
#include "commands/new/known.hpp"
#include "config/scenario.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

using KnownWords = std::vector<std::pair<std::string_view, std::string>>;

/// Every word that is needed, of the job that the help has for its example.
inline const KnownWords kMine = {{"--gpus", "4096"},
                                 {"--hardware", "h100"},
                                 {"--model", "llama3-70b"},
                                 {"--tokens", "2T"},
                                 {"--failures", "3285 over 365d x 1024 hosts"},
                                 {"--repair", "12h"},
                                 {"--checkpoint", "90s"},
                                 {"--restart", "8min"},
                                 {"--gpu-hour", "2.10USD"}};

inline Known known_of(const KnownWords& words) {
  Known known;
  for (const auto& [option, word] : words) known.*known_option(option).word = word;
  return known;
}

/// kMine with other words; an empty one takes the option away.
inline Known mine_with(const KnownWords& changes) {
  Known known = known_of(kMine);
  for (const auto& [option, word] : changes) {
    Known::Word& changed = known.*known_option(option).word;
    changed = word.empty() ? Known::Word() : Known::Word(word);
  }
  return known;
}

inline std::string lines_of(const std::vector<Problem>& problems) {
  std::string out;
  for (const Problem& problem : problems) out += problem.text() + "\n";
  return out;
}

/// The draft, or its problems and those of its words.
inline Draft draft_of(const Known& known) {
  const FactsRead read = read_facts(known);
  Draft draft;
  draft.problems = read.problems;
  for (const KnownOption* option : read.missing)
    draft.problems.push_back({.file = std::string(option->name), .why = "is missing"});
  return read.facts ? write_draft(known, *read.facts) : draft;
}

inline LoadedScenario load_draft(const Draft& draft) {
  return load_scenario_text(draft.text.value_or(""), "mine.toml");
}

}  // namespace gauntlet
