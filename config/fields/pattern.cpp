#include "config/fields/pattern.hpp"

#include "config/fields/types.hpp"

#include <re2/re2.h>

namespace gauntlet {
namespace {

void read_pattern(const Place& place, int groups, std::string& into) {
  const std::string* given = read_text(place, "a regular expression");
  if (given == nullptr) return;
  const re2::RE2 expression(*given, re2::RE2::Quiet);
  if (!expression.ok())
    return place.mistake("is not a regular expression of RE2: " + expression.error(),
                         "write it in single quotes, in which TOML leaves backslashes as they are");
  if (expression.NumberOfCapturingGroups() < groups)
    return place.mistake("has no group for the number of the step", "write for example '^step (\\d+)'");
  if (given->empty()) return place.mistake("is empty, and every line has it", "leave it out");
  into = *given;
}

Type pattern_type(std::string& into, int groups) {
  Type type{"{\"type\": \"string\", \"minLength\": 1}",
            [&into, groups](const Place& place) { read_pattern(place, groups, into); }};
  type.initial = [&into] { return Value{into, {}, {}, false}; };
  return type;
}

}  // namespace

Type pattern(std::string& into) { return pattern_type(into, 0); }
Type step_pattern(std::string& into) { return pattern_type(into, 1); }

}  // namespace gauntlet
