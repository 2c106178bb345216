#include "config/toml/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

std::pair<std::string_view, std::string_view> split_first(std::string_view path) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  return {path.substr(0, dot), path.substr(std::min(dot + 1, path.size()))};
}

std::string number_to_toml(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string out(buffer.data(), end);
  // TOML tells a float from an integer by its point or exponent.
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// Appends `value`; stops early once `out` is longer than `limit`.
void append_toml(std::string& out, const Value& value, std::size_t limit) {
  if (out.size() > limit) return;
  std::visit(Overloaded{
                 [&](const Value::Table& table) {
                   out += "{";
                   bool first = true;
                   for (const auto& [key, member] : table) {
                     if (out.size() > limit) return;
                     out += first ? " " : ", ";
                     first = false;
                     out += key_to_toml(key) + " = ";
                     append_toml(out, member, limit);
                   }
                   out += first ? "}" : " }";
                 },
                 [&](const Value::Array& array) {
                   out += "[";
                   for (std::size_t i = 0; i < array.size() && out.size() <= limit; ++i) {
                     if (i > 0) out += ", ";
                     append_toml(out, array[i], limit);
                   }
                   out += "]";
                 },
                 [&](const std::string& text) { out += quoted_toml(text); },
                 [&](std::int64_t number) { out += std::to_string(number); },
                 [&](double number) { out += number_to_toml(number); },
                 [&](bool flag) { out += flag ? "true" : "false"; },
             },
             value.data);
}

}  // namespace

std::string Origin::text() const {
  switch (kind) {
    case Kind::file:
    case Kind::model:
      return (file ? *file : std::string()) + ":" + std::to_string(line);
    case Kind::command_line:
      return "--set";
    case Kind::fallback:
      return "default";
    case Kind::computed:
      return "computed";
  }
  return {};
}

const Value* Value::find(std::string_view path) const {
  const Value* here = this;
  while (here != nullptr && !path.empty()) {
    const auto [key, rest] = split_first(path);
    const Table* members = here->table();
    if (members == nullptr) return nullptr;
    const auto found = members->find(key);
    here = found == members->end() ? nullptr : &found->second;
    path = rest;
  }
  return here;
}

Value* Value::find(std::string_view path) { return const_cast<Value*>(std::as_const(*this).find(path)); }

void merge(Value& below, Value above) {
  Value::Table* const members = below.table();
  Value::Table* const added = above.table();
  if (members == nullptr || added == nullptr || above.whole) {
    below = std::move(above);
    return;
  }
  below.at = above.at;
  below.key_at = above.key_at;
  for (auto& [key, value] : *added) {
    const auto [place, fresh] = members->try_emplace(key, Value{});
    if (fresh) {
      place->second = std::move(value);
    } else {
      merge(place->second, std::move(value));
    }
  }
}

void put(Value& root, std::string_view path, Value value) {
  const auto [key, rest] = split_first(path);
  if (root.table() == nullptr) root = Value{Value::Table{}, value.at, value.key_at, false};
  const auto [place, fresh] = root.table()->try_emplace(std::string(key), Value{});
  if (rest.empty()) {
    if (fresh) {
      place->second = std::move(value);
    } else {
      merge(place->second, std::move(value));
    }
    return;
  }
  if (fresh) place->second = Value{Value::Table{}, value.at, value.key_at, false};
  put(place->second, rest, std::move(value));
}

std::string key_to_toml(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : quoted_toml(key);
}

std::string quoted_toml(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number_toml(double value) {
  std::array<char, 512> buffer;  // 1e308 has 309 digits, and 5e-324 has 326
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  const std::string text(buffer.data(), end.ptr);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string to_toml(const Value& value) {
  std::string out;
  append_toml(out, value, std::string::npos);
  return out;
}

std::string excerpt(const Value& value) {
  constexpr std::size_t kLongest = 60;
  std::string out;
  append_toml(out, value, kLongest);
  if (out.size() <= kLongest) return out;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return out.substr(0, end) + "...";
}

}  // namespace gauntlet
