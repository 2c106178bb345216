#include "config/toml/toml_errors.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace gauntlet {
namespace {

struct Explanation {
  std::string what, why, suggestion;
};

constexpr std::string_view kBlanks = " \t\r\n\v\f";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_key(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; }

std::string_view line_of(std::string_view text, std::uint32_t number) {
  for (std::uint32_t line = 1; line < number; ++line)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return trimmed(text.substr(0, text.find('\n')), kBlanks);
}

/// "hosts = 8  # of them" as "hosts" and "8".
struct Assignment {
  std::string_view key, value;
};
std::optional<Assignment> assignment_in(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view key = trimmed(line.substr(0, equals), kBlanks);
  if (key.empty() || !std::all_of(key.begin(), key.end(), is_key)) return {};
  const std::string_view value = line.substr(equals + 1);
  return Assignment{key, trimmed(value.substr(0, value.find('#')), kBlanks)};
}

std::optional<Explanation> other_language(std::string_view text, std::string_view line) {
  if (trimmed(text, kBlanks).starts_with('{'))
    return Explanation{"", "this is JSON, and a scenario is TOML",
                       "write hosts = 8 in place of \"hosts\": 8, and [cluster] above what is in its braces"};
  std::size_t key = 0;
  while (key < line.size() && is_key(line[key])) ++key;
  const bool mapping =
      key > 0 && key < line.size() && line[key] == ':' && (key + 1 == line.size() || line[key + 1] == ' ');
  if (!mapping && !line.starts_with("- ") && line != "---") return {};
  return Explanation{"", "this is YAML, and a scenario is TOML",
                     "write hosts = 8 in place of hosts: 8, and [cluster] above what is indented under it"};
}

/// An odd number of quotes that no backslash precedes.
std::optional<Explanation> open_string(std::string_view line, std::string_view description) {
  if (description.find("string") == std::string_view::npos) return {};
  for (const char quote : {'"', '\''}) {
    bool open = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\' && quote == '"')
        ++i;
      else if (line[i] == quote)
        open = !open;
    }
    if (!open) continue;
    const auto assignment = assignment_in(line);
    return Explanation{
        assignment ? std::string(assignment->key) : "",
        assignment ? "has a string that is not closed" : "there is a string that is not closed",
        std::string("end it with ") + quote + " on the same line"};
  }
  return {};
}

/// What stands between the first two single quotes.
std::string quoted_in(std::string_view description) {
  const std::size_t first = description.find('\'');
  if (first == std::string_view::npos) return {};
  const std::size_t last = description.find('\'', first + 1);
  return std::string(description.substr(first + 1, last - first - 1));
}

std::optional<Explanation> given_twice(std::string_view description) {
  if (description.find("cannot redefine existing") == std::string_view::npos) return {};
  const std::string name = quoted_in(description);
  const bool table = description.find("existing table") != std::string_view::npos;
  if (table)
    return Explanation{name, "is there twice as a table", "write all of its values under one heading"};
  if (description.find("as table") != std::string_view::npos)
    return Explanation{
        name, "is given as a value, and again as a table",
        "leave one of them out; the values of an entry of the catalogue are changed one by one in a "
        "scenario that extends this one, or with --set"};
  return Explanation{name, "is given twice", "leave one of them out"};
}

/// `window = 5h`, `policy = daly`
std::optional<Explanation> without_quotes(std::string_view line) {
  const auto assignment = assignment_in(line);
  if (!assignment || assignment->value.empty()) return {};
  const std::string value(assignment->value);
  const auto in_text = [](char c) {
    return is_key(c) || c == '/' || c == ' ' || static_cast<unsigned char>(c) >= 0x80;
  };
  if (!std::all_of(value.begin(), value.end(), in_text) ||
      std::none_of(value.begin(), value.end(), is_letter))
    return {};
  return Explanation{std::string(assignment->key), "has the value " + value + " without quotes",
                     "write " + std::string(assignment->key) + " = \"" + value + "\""};
}

std::optional<Explanation> open_heading(std::string_view line, std::string_view description) {
  if (!line.starts_with('[') || description.find("']'") == std::string_view::npos) return {};
  std::string closed(line.substr(0, line.find(' ')));
  closed += closed.starts_with("[[") ? "]]" : "]";
  return Explanation{"", "this heading is not closed", "write " + closed};
}

/// Without what the parser was about: "Error while parsing key-value pair: ".
std::string_view bare(std::string_view description) {
  constexpr std::string_view kPrefix = "Error while parsing ";
  if (!description.starts_with(kPrefix)) return description;
  const std::size_t colon = description.find(": ");
  return colon == std::string_view::npos ? description : description.substr(colon + 2);
}

Explanation explanation(const TomlError& error, std::string_view text) {
  const std::string_view line = line_of(text, error.line);
  if (const auto twice = given_twice(error.description)) return *twice;
  if (const auto other = other_language(text, line)) return *other;
  if (const auto string = open_string(line, error.description)) return *string;
  if (const auto heading = open_heading(line, error.description)) return *heading;
  if (const auto quotes = without_quotes(line)) return *quotes;
  return {"", "this is not TOML: " + std::string(bare(error.description)),
          "write key = value, one on each line; text, and values with a unit, go in quotes"};
}

}  // namespace

Problem explain(const TomlError& error, std::string_view text, const std::string& file) {
  Explanation found = explanation(error, text);
  Problem problem;
  problem.file = file;
  problem.line = error.line;
  problem.column = error.column;
  problem.what = std::move(found.what);
  problem.why = std::move(found.why);
  problem.suggestion = std::move(found.suggestion);
  return problem;
}

}  // namespace gauntlet
