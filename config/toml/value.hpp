// A scenario as a tree of values, each of which knows where it was written.
//
// What TOML can say, less its dates. Tables are ordered by key: the order in which things are shown is that of the
// description (config/describe.hpp), not that of a file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gauntlet {

/// Where a value comes from.
struct Origin {
  enum class Kind : std::uint8_t {
    file,          // `line` and `column` of `file`
    model,         // the same, of the fault model that a fault names
    command_line,  // --set
    fallback,      // the default of its description
    computed,      // from the rest of the scenario
  };
  Kind kind = Kind::fallback;
  std::shared_ptr<const std::string> file;  // null where there is none
  std::uint32_t line = 0;                   // from 1
  std::uint32_t column = 0;
  // A file that extends another lies above it, and --set above all: of two values that exclude each other the one
  // with the higher layer holds.
  std::uint32_t layer = 0;

  /// Somebody wrote it in the scenario.
  bool written() const { return kind == Kind::file || kind == Kind::command_line; }
  /// "scenarios/a.toml:14", "--set", "default" or "computed".
  std::string text() const;
};

struct Value {
  using Array = std::vector<Value>;
  using Table = std::map<std::string, Value, std::less<>>;
  using Data = std::variant<Table, Array, std::string, std::int64_t, double, bool>;

  Data data;
  Origin at;           // of the value itself
  Origin key_at;       // of its key, for members of tables
  bool whole = false;  // replaces what lies below instead of merging with it (an entry of the catalogue)

  const Table* table() const { return std::get_if<Table>(&data); }
  Table* table() { return std::get_if<Table>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }
  const std::string* string() const { return std::get_if<std::string>(&data); }

  /// The value at a path of keys joined by dots, or null.
  const Value* find(std::string_view path) const;
  Value* find(std::string_view path);
};

/// Tables merge key by key, anything else of `above` replaces what `below` has.
void merge(Value& below, Value above);

/// Puts `value` at `path`, with tables of the same origin on the way; merges where a table is there already.
void put(Value& root, std::string_view path, Value value);

/// The value as TOML on one line. Numbers read back to the same bits.
std::string to_toml(const Value& value);
/// A string as TOML, which JSON takes as well.
std::string quoted_toml(std::string_view text);
/// The number as a float of TOML, without an exponent.
std::string number_toml(double value);
/// A key as TOML: quoted only where it must be.
std::string key_to_toml(std::string_view key);
/// The same, cut to about 60 characters, for messages.
std::string excerpt(const Value& value);

}  // namespace gauntlet
