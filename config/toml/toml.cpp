#include "config/toml/toml.hpp"

#include "config/toml/toml_errors.hpp"
#include "core/contract.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

namespace gauntlet {
namespace {

/// Turns toml++'s nodes into values of one origin's file, or of one origin for all.
class Converter {
 public:
  explicit Converter(Origin origin) : origin_(std::move(origin)) {}

  Value convert(const toml::node& node) const {
    Value value;
    value.at = at(node.source());
    value.key_at = value.at;
    if (const toml::table* table = node.as_table()) {
      Value::Table members;
      for (const auto& [key, member] : *table) {
        Value converted = convert(member);
        converted.key_at = at(key.source());
        members.emplace(std::string(key.str()), std::move(converted));
      }
      value.data = std::move(members);
    } else if (const toml::array* array = node.as_array()) {
      Value::Array elements;
      elements.reserve(array->size());
      for (const toml::node& element : *array) elements.push_back(convert(element));
      value.data = std::move(elements);
    } else if (const auto* text = node.as_string()) {
      value.data = text->get();
    } else if (const auto* integer = node.as_integer()) {
      value.data = std::int64_t{integer->get()};
    } else if (const auto* number = node.as_floating_point()) {
      value.data = number->get();
    } else if (const auto* flag = node.as_boolean()) {
      value.data = flag->get();
    } else {
      // Dates and times: nothing takes one, so their text fails wherever it stands, with its place.
      std::ostringstream out;
      node.visit([&](const auto& leaf) {
        if constexpr (toml::is_date<decltype(leaf)> || toml::is_time<decltype(leaf)> ||
                      toml::is_date_time<decltype(leaf)>)
          out << leaf.get();
      });
      value.data = std::move(out).str();
    }
    return value;
  }

 private:
  Origin at(const toml::source_region& region) const {
    Origin origin = origin_;
    if (origin.kind == Origin::Kind::file) {
      origin.line = region.begin.line;
      origin.column = region.begin.column;
    }
    return origin;
  }

  Origin origin_;
};

struct Position {
  std::uint32_t line = 1, column = 1;
};

Position position_of(std::string_view text, std::size_t offset) {
  Position position;
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++position.line;
      position.column = 1;
    } else {
      ++position.column;
    }
  }
  return position;
}

/// The first byte that no text file has, or npos.
std::size_t first_binary_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
    if (control || byte == 0x7F) return i;
  }
  return std::string_view::npos;
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Past the string that begins at `at`, or past its line where it does not end.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool triple = text.substr(at, 3) == std::string(3, quote);
  const std::string_view close = text.substr(at, triple ? 3 : 1);
  for (at += close.size(); at < text.size() && (triple || text[at] != '\n'); ++at) {
    if (text.substr(at).starts_with(close)) return at + close.size();
    if (quote == '"' && text[at] == '\\') ++at;
  }
  return std::min(at, text.size());
}

/// Where a key of more parts than that begins, or npos.
std::size_t first_long_key(std::string_view text) {
  std::size_t begin = 0, parts = 0;
  bool dot = false;  // one is behind the last part
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (is_bare(c) || c == '"' || c == '\'') {
      if (!std::exchange(dot, false)) parts = 0;
      if (parts == 0) begin = at;
      if (++parts > kMostKeyParts) return begin;
      if (is_bare(c)) {
        while (at < text.size() && is_bare(text[at])) ++at;
      } else {
        at = end_of_string(text, at);
      }
      continue;
    }
    if (c == '.') {
      dot = parts > 0 && !dot;
    } else if (c != ' ' && c != '\t') {
      dot = false;
      parts = 0;
    }
    at = c == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
  }
  return std::string_view::npos;
}

std::string hexadecimal(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

std::optional<Value> parse_toml(std::string_view text, const std::string& file, std::uint32_t layer,
                                Mistakes& mistakes) {
  if (const std::size_t bad = first_binary_byte(text); bad != std::string_view::npos) {
    const Position position = position_of(text, bad);
    mistakes.add(Problem{.file = file,
                         .line = position.line,
                         .column = position.column,
                         .what = "byte " + hexadecimal(text[bad]),
                         .why = "belongs to no text: this is a binary file",
                         .suggestion = "give a scenario in TOML"});
    return {};
  }
  if (const std::size_t bad = first_long_key(text); bad != std::string_view::npos) {
    const Position position = position_of(text, bad);
    mistakes.add(Problem{.file = file,
                         .line = position.line,
                         .column = position.column,
                         .what = "the key",
                         .why = "has more than " + std::to_string(kMostKeyParts) + " parts",
                         .suggestion = "no field of a scenario is so deep"});
    return {};
  }
  try {
    const toml::table root = toml::parse(text, file);
    const Converter converter({.kind = Origin::Kind::file,
                               .file = std::make_shared<const std::string>(file),
                               .line = 1,
                               .column = 1,
                               .layer = layer});
    return converter.convert(root);
  } catch (const toml::parse_error& error) {
    mistakes.add(explain({.line = error.source().begin.line,
                          .column = error.source().begin.column,
                          .description = error.description()},
                         text, file));
    return {};
  }
}

Value parse_set_value(std::string_view text, std::uint32_t layer) {
  const Converter converter({.kind = Origin::Kind::command_line, .file = nullptr, .layer = layer});
  try {
    const bool long_key = first_long_key(text) != std::string_view::npos;
    const toml::table root = long_key ? toml::table{} : toml::parse("value = " + std::string(text));
    const toml::node* node = root.get("value");
    const bool date = node != nullptr && (node->is_date() || node->is_time() || node->is_date_time());
    if (root.size() == 1 && node != nullptr && !date) return converter.convert(*node);
  } catch (const toml::parse_error&) {
    // Bare text, such as 5min, is not a TOML value: it is a string.
  }
  Value bare = converter.convert(toml::table{});
  bare.data = std::string(text);
  return bare;
}

Value parse_fallback(std::string_view text) {
  const toml::table root = toml::parse("value = " + std::string(text));
  expect(root.contains("value"), "a default is a TOML value");
  return Converter(Origin{}).convert(*root.get("value"));
}

}  // namespace gauntlet
