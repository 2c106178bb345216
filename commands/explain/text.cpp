#include "commands/explain/text.hpp"

#include "report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace gauntlet {
namespace {

/// `name`: as it is to be printed.
std::string paragraph(const Word& word, std::string_view name, std::string_view kind) {
  std::string text = fmt::format("{}{}: {}.", name, kind, word.meaning);
  if (!word.unit.empty())
    text += fmt::format(" {}: {}.", word.kind == WordKind::key ? "Takes" : "Unit", word.unit);
  if (!word.source.empty()) text += fmt::format(" From: {}.", word.source);
  if (!word.see.empty()) text += fmt::format(" See also: {}.", fmt::join(word.see, ", "));
  return text;
}

/// The words of a kind follow each other.
std::vector<std::span<const Word>> by_kind(std::span<const Word> words) {
  std::vector<std::span<const Word>> parts;
  for (std::size_t begin = 0, end = 0; begin < words.size(); begin = end) {
    while (end < words.size() && words[end].kind == words[begin].kind) ++end;
    parts.push_back(words.subspan(begin, end - begin));
  }
  return parts;
}

}  // namespace

std::string text_of(std::span<const Word> words) {
  std::string text;
  for (const Word& word : words)
    text += wrapped(paragraph(word, word.name, fmt::format(" ({})", name_of(word.kind).one)));
  return text;
}

std::string list_of(std::span<const Word> words) {
  std::string text = "Each of these can be explained: gauntlet explain WORD\n";
  for (const std::span<const Word> part : by_kind(words)) {
    std::vector<std::string_view> names;
    for (const Word& word : part) names.push_back(word.name);
    text += fmt::format("\n{}\n{}", name_of(part.front().kind).several,
                        wrapped(fmt::format("{}", fmt::join(names, "; "))));
  }
  return text;
}

std::string reference_page(std::span<const Word> words) {
  std::string text =
      "# Reference\n\n`gauntlet explain WORD` prints each of these paragraphs. `gauntlet explain "
      "--reference` "
      "writes this page.\n";
  for (const std::span<const Word> part : by_kind(words)) {
    std::string title(name_of(part.front().kind).several);
    title.front() = static_cast<char>(title.front() - 'a' + 'A');
    text += fmt::format("\n## {}\n\n", title);
    for (const Word& word : part) text += "- " + paragraph(word, fmt::format("`{}`", word.name), "") + "\n";
  }
  return text;
}

}  // namespace gauntlet
