// gauntlet schema: the visitor that tells editors what a scenario may say.
#include "config/describe.hpp"
#include "config/fields/types.hpp"
#include "config/scenario.hpp"
#include "config/toml/toml.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

/// `schema`, a JSON object, with members put before its own.
std::string with_members(const std::string& members, const std::string& schema) {
  const std::string own = schema.substr(1);
  return "{" + members + (own == "}" ? "" : ", ") + own;
}

class SchemaWriter final : public Fields {
 public:
  explicit SchemaWriter(std::size_t depth) : depth_(depth) {}

  void alternatives(std::initializer_list<std::string_view>) override {}
  void field(std::string_view name, const Type& type, const Fallback& fallback,
             std::string_view doc) override {
    std::string members = "\"description\": " + quoted_toml(doc);
    if (fallback.kind == Fallback::Kind::value || fallback.kind == Fallback::Kind::initial) {
      const Value value = parse_fallback(fallback.text(type));
      // But for tables, TOML on one line is JSON.
      if (value.table() == nullptr) members += ", \"default\": " + to_toml(value);
    }
    property(name, with_members(members, type.schema()));
  }
  void table(std::string_view name, const Describe& describe, std::string_view doc) override {
    property(name, with_members("\"description\": " + quoted_toml(doc), object(describe)));
  }
  void inline_table(std::string_view name, const Describe& describe, std::string_view doc) override {
    table(name, describe, doc);
  }
  void catalogue(std::string_view name, std::string_view, const Describe& describe,
                 std::string_view doc) override {
    property(name, "{\"description\": " + quoted_toml(doc) + ", \"anyOf\": [{\"type\": \"string\"}, " +
                       object(describe) + "]}");
  }
  void entries(std::string_view name, const DescribeEntry& describe, std::string_view doc) override {
    property(name, "{\"description\": " + quoted_toml(doc) +
                       ", \"type\": \"object\", \"additionalProperties\": " +
                       object([&](Fields& fields) { describe(fields, "NAME"); }) + "}");
  }
  void check(const std::function<void(const Place&)>&) override {}

  /// The object whose properties have been described.
  std::string text() const {
    const std::string indent(2 * depth_, ' ');
    return "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {" + properties_ + "\n" +
           indent + "}}";
  }

 private:
  std::string object(const Describe& describe) const {
    SchemaWriter inner(depth_ + 1);
    describe(inner);
    return inner.text();
  }

  void property(std::string_view name, const std::string& schema) {
    properties_ += (properties_.empty() ? "\n" : ",\n") + std::string(2 * (depth_ + 1), ' ') +
                   quoted_toml(name) + ": " + schema;
  }

  std::size_t depth_;
  std::string properties_;
};

}  // namespace

std::string schema() {
  SchemaWriter writer(0);
  Scenario scratch;
  describe(writer, scratch);
  return with_members(
             "\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"title\": \"Gauntlet scenario\"",
             writer.text()) +
         "\n";
}

}  // namespace gauntlet
