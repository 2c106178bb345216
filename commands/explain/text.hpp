// Explanations as text.
#pragma once

#include "commands/explain/result.hpp"

#include <span>
#include <string>

namespace gauntlet {

/// A paragraph of at most 100 columns for each word.
std::string text_of(std::span<const Word> words);

/// The names of all words, by kind.
std::string list_of(std::span<const Word> words);

/// All words as a page in Markdown: docs/reference.md.
std::string reference_page(std::span<const Word> words);

}  // namespace gauntlet
