// The words that `gauntlet explain` knows, gathered from where each is defined.
#pragma once

#include "commands/explain/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Every word, by kind.
std::vector<Word> all_words();

/// The words that `given` stands for; none where it is unknown. Tried in this order: the whole name; the same without
/// regard to capitals; a name with NAME, TIME, N or <fault> in place of a part of it; what stands before the last ", ",
/// " (" or ": ", as in "MTTF, h"; the last part of a key, as in "mtbf".
std::vector<Word> find_words(const std::vector<Word>& words, std::string_view given);

/// What to try in place of an unknown word.
std::string suggestion_for(const std::vector<Word>& words, std::string_view given);

}  // namespace gauntlet
