// The description of a part of a scenario: fields, each with a name, a type, a default and a line of documentation.
// Three visitors use the same description: they read a scenario, show it, and write its JSON Schema (reader.hpp,
// show.cpp, schema.cpp). So each name is written once.
#pragma once

#include "config/toml/place.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {

/// The most letters of a name of a scenario's own, such as a fault's: a line of a table or of a chart shows it.
inline constexpr std::size_t kMostLettersOfName = 100;

/// The values that a field accepts.
struct Type {
  std::function<std::string()> schema;     // a JSON Schema object; readers of scenarios never ask for it
  std::function<void(const Place&)> read;  // stores the value where it belongs, or reports why it cannot
  bool law = false;         // a distribution: a higher layer replaces it whole (config/fields/laws.hpp)
  std::string folder = {};  // if not empty, the field takes a name of that folder of the catalogue
  std::function<Value()> initial = {};  // the initial value of the variable, as a scenario would write it
};

/// The value of a field that is not given.
struct Fallback {
  enum class Kind { required, optional, value, initial, computed };
  Kind kind = Kind::optional;
  std::string toml = {};  // value; required: an example, or empty
  /// computed: gives the TOML. It is called only while the scenario has no mistakes.
  std::function<std::string()> compute = {};

  /// `example`: TOML, for messages.
  static Fallback required(std::string example = {}) { return {Kind::required, std::move(example)}; }
  /// A field may be absent, and that differs from every value.
  static Fallback optional() { return {Kind::optional}; }
  static Fallback value(std::string toml) { return {Kind::value, std::move(toml)}; }
  /// The initial value of the field's variable, from the member initialiser of the struct.
  static Fallback initial() { return {Kind::initial}; }
  /// Computed from those fields of the scenario that are described before this one.
  static Fallback computed(std::function<std::string()> toml) {
    return {Kind::computed, {}, std::move(toml)};
  }

  /// The TOML of a default that is the same in every scenario, or of an example; else empty.
  std::string text(const Type& type) const { return kind == Kind::initial ? to_toml(type.initial()) : toml; }
};

/// A visitor of a description. In each table: alternatives first, then fields and tables, then checks.
class Fields {
 public:
  using Describe = std::function<void(Fields&)>;
  using DescribeEntry = std::function<void(Fields&, const std::string& name)>;

  virtual ~Fields() = default;

  /// States that the fields `names`, which follow, are alternatives. Those on the highest layer that has any of them
  /// are kept, and the others are dropped. So a file that extends another, or --set, can choose another alternative.
  virtual void alternatives(std::initializer_list<std::string_view> names) = 0;
  virtual void field(std::string_view name, const Type& type, const Fallback& fallback,
                     std::string_view doc) = 0;
  void field(std::string_view name, const Type& type, std::string_view doc) {
    field(name, type, Fallback::initial(), doc);
  }
  /// [name]
  virtual void table(std::string_view name, const Describe& describe, std::string_view doc) = 0;
  /// name = { ... }. The table may be absent, and that differs from an empty table.
  virtual void inline_table(std::string_view name, const Describe& describe, std::string_view doc) = 0;
  /// [name], or name = "ENTRY", with an entry of `folder` of the catalogue.
  virtual void catalogue(std::string_view name, std::string_view folder, const Describe& describe,
                         std::string_view doc) = 0;
  /// [name.ENTRY] for any number of entries, in the order of their names.
  virtual void entries(std::string_view name, const DescribeEntry& describe, std::string_view doc) = 0;
  /// A check of several fields together. It runs only when a scenario is read, with the table that is described.
  virtual void check(const std::function<void(const Place&)>& check) = 0;
};

}  // namespace gauntlet
