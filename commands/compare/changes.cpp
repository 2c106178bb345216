#include "commands/compare/changes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

// The text cut at the spaces outside of quotes and brackets; nothing where one of these does not end.
std::optional<std::vector<std::string>> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  int depth = 0;
  bool escaped = false;
  for (const char c : text) {
    if (quote == 0 && depth == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
      continue;
    }
    word += c;
    if (quote != 0) {
      if (c == quote && !escaped) quote = 0;
      escaped = quote == '"' && c == '\\' && !escaped;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  if (quote != 0 || depth != 0) return std::nullopt;
  if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

ParsedChanges parse_changes(std::string_view text, std::string_view option) {
  const auto mistake = [&](const std::string& what, const std::string& why, const std::string& suggestion) {
    return ParsedChanges{
        .settings = {},
        .problem = Problem{
            .file = std::string(option), .what = "\"" + what + "\"", .why = why, .suggestion = suggestion}};
  };
  const auto words = words_of(text);
  if (!words) return mistake(std::string(text), "has a quote or bracket that does not end", "close it");
  if (words->empty())
    return mistake(std::string(text), "changes nothing",
                   "write PATH=VALUE, as in \"checkpoint.interval=5min\"");
  Settings settings;
  for (const std::string& word : *words) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
      return mistake(word, "is not PATH=VALUE",
                     "write it without spaces, as in \"checkpoint.interval=5min\"");
    Setting setting{.path = word.substr(0, equals), .value = word.substr(equals + 1)};
    if (std::ranges::find(settings, setting.path, &Setting::path) != settings.end())
      return mistake(setting.path, "is set twice", "say once what it shall be");
    settings.push_back(std::move(setting));
  }
  return {.settings = std::move(settings), .problem = std::nullopt};
}

}  // namespace gauntlet
