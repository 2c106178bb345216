#include "config/toml.hpp"

#include "config/toml_errors.hpp"
#include "core/contract.hpp"

#include <toml++/toml.h>

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
    const toml::table root = toml::parse("value = " + std::string(text));
    const toml::node* node = root.get("value");
    const bool date = node != nullptr && (node->is_date() || node->is_time() || node->is_date_time());
    if (root.size() == 1 && node != nullptr && !date) return converter.convert(*node);
  } catch (const toml::parse_error&) {
    // Bare text, such as 5min, is no TOML value: it is a string.
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
