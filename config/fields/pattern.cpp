#include "config/fields/pattern.hpp"

#include "config/fields/types.hpp"

#include <re2/re2.h>

#include <string_view>

namespace gauntlet {
namespace {

/// What the first group must be; nothing where there need be none.
struct FirstGroup {
  std::string_view what, example;
};

void read_pattern(const Place& place, const FirstGroup& group, std::string& into) {
  const std::string* given = read_text(place, "a regular expression");
  if (given == nullptr) return;
  const re2::RE2 expression(*given, re2::RE2::Quiet);
  if (!expression.ok())
    return place.mistake("is not a regular expression of RE2: " + expression.error(),
                         "write it in single quotes, in which TOML leaves backslashes as they are");
  if (!group.what.empty() && expression.NumberOfCapturingGroups() < 1)
    return place.mistake("has no group for " + std::string(group.what),
                         "write for example '" + std::string(group.example) + "'");
  if (given->empty()) return place.mistake("is empty, and every line has it", "leave it out");
  into = *given;
}

Type pattern_type(std::string& into, FirstGroup group) {
  Type type{[] { return "{\"type\": \"string\", \"minLength\": 1}"; },
            [&into, group](const Place& place) { read_pattern(place, group, into); }};
  type.initial = [&into] { return Value{into, {}, {}, false}; };
  return type;
}

}  // namespace

Type pattern(std::string& into) { return pattern_type(into, {}); }
Type step_pattern(std::string& into) {
  return pattern_type(into, {"the number of the step", "^step (\\d+)"});
}
Type metric_pattern(std::string& into) {
  return pattern_type(into, {"the number that it measures", "bandwidth: ([0-9.]+)"});
}

}  // namespace gauntlet
