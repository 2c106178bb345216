// How a part of a scenario is described: once, as fields with a name, what they take, a default and a line of
// documentation. Reading a scenario, showing it and writing its JSON Schema are three visitors of the same
// description (reader.hpp, show.cpp, schema.cpp), so no name exists twice.
#pragma once

#include "config/toml/place.hpp"

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {

/// What a field takes.
struct Type {
  std::string schema;                      // a JSON Schema object
  std::function<void(const Place&)> read;  // stores the value where it belongs, or reports why it cannot
  bool law = false;         // a law of chance, which is replaced whole by another (config/fields/laws.hpp)
  std::string folder = {};  // not empty: a name stands for an entry of that folder of the catalogue
  std::function<Value()> initial = {};  // the value of the variable, as a scenario would write it
};

/// What holds when a field is not given.
struct Fallback {
  enum class Kind { required, optional, value, computed };
  Kind kind = Kind::optional;
  std::string toml;                      // value; required: an example, or empty
  std::optional<Value> ready = {};       // value: the same, where it has not to be parsed
  std::function<std::string()> compute;  // computed: TOML; asked only while there are no mistakes

  /// `example`: TOML, for messages.
  static Fallback required(std::string example = {}) { return {Kind::required, std::move(example), {}, {}}; }
  /// Absent is a state of its own.
  static Fallback optional() { return {Kind::optional, {}, {}, {}}; }
  static Fallback value(std::string toml) { return {Kind::value, std::move(toml), {}, {}}; }
  static Fallback value(Value ready) {
    std::string toml = to_toml(ready);
    return {Kind::value, std::move(toml), std::move(ready), {}};
  }
  /// From the rest of the scenario, as far as it has been described by then.
  static Fallback computed(std::function<std::string()> toml) {
    return {Kind::computed, {}, {}, std::move(toml)};
  }
};

/// A visitor of a description. In each table: alternatives first, then fields and tables, then checks.
class Fields {
 public:
  using Describe = std::function<void(Fields&)>;
  using DescribeEntry = std::function<void(Fields&, const std::string& name)>;

  virtual ~Fields() = default;

  /// Of these fields, which follow, those written on the highest layer hold and the others are dropped: a file that
  /// extends another, or --set, can so say the same thing in another way.
  virtual void alternatives(std::initializer_list<std::string_view> names) = 0;
  virtual void field(std::string_view name, const Type& type, const Fallback& fallback,
                     std::string_view doc) = 0;
  /// The default is the value that the variable has, which its struct initialises.
  void field(std::string_view name, const Type& type, std::string_view doc) {
    field(name, type, Fallback::value(type.initial()), doc);
  }
  /// [name]
  virtual void table(std::string_view name, const Describe& describe, std::string_view doc) = 0;
  /// name = { ... }; absent is a state of its own.
  virtual void inline_table(std::string_view name, const Describe& describe, std::string_view doc) = 0;
  /// [name], or name = "entry of that folder of the catalogue".
  virtual void catalogue(std::string_view name, std::string_view folder, const Describe& describe,
                         std::string_view doc) = 0;
  /// [name.ENTRY] for any number of entries, in the order of their names.
  virtual void entries(std::string_view name, const DescribeEntry& describe, std::string_view doc) = 0;
  /// What cannot be said of one field alone. Runs only while reading, with the table that is being described.
  virtual void check(const std::function<void(const Place&)>& check) = 0;
};

}  // namespace gauntlet
