// Fields to vary and the values that they take: the text of --vary, --over and --gpus.
//
//   checkpoint.interval=1min:2h:log20     20 values from one minute to two hours, evenly spaced on a log axis
//   spares.count=0:8                      every whole number of a short range; else nine values, evenly spaced
//   policies.checkpoint=fixed,young       these values
//
// A value keeps its unit: what comes out is text that --set takes.
#pragma once

#include "config/toml/value.hpp"
#include "core/problem.hpp"
#include "study/field_range.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

struct ParsedRange {
  std::optional<FieldRange> range;
  std::optional<Problem> problem;  // where there is none
};

/// "1min:2h", or with ":log" or ":lin" behind. Without these it is logarithmic where both ends are above zero and at
/// least a factor of ten apart. `base`: the whole base scenario, to know what the field holds; whether the field exists
/// shows when a point is loaded. `option`: for messages.
ParsedRange parse_range(const std::string& path, std::string_view text, const Value& base,
                        std::string_view option);

/// One varied field.
struct Axis {
  std::string path;
  FieldKind kind = FieldKind::text;
  std::vector<std::string> values;  // as text, each once: in the order of a list, from low to high of a range
  std::optional<FieldRange> range;  // where it was given as one
  bool counted = false;             // how many values was said (":log20")
};

struct ParsedAxis {
  std::optional<Axis> axis;
  std::optional<Problem> problem;  // where there is none
};

/// How many values a range has where it does not say.
inline constexpr std::uint32_t kRangeValues = 9;
/// A range of so many whole numbers has all of them where it does not say how many.
inline constexpr std::uint32_t kMostWholeNumbers = 20;
/// The most points of a study.
inline constexpr std::uint32_t kMostPoints = 100'000;

/// As many values of a range as asked for, from its low end to its high one; those that rounding makes the same once.
std::vector<std::string> spaced_values(const FieldRange& range, std::uint32_t count);

/// Of a range of whole numbers that has not all of them: how many are left out, and what to write for all. Else empty.
std::string left_out_text(const Axis& axis, std::string_view option = "--vary");

/// "PATH=a,b,c" or "PATH=low:high[:logN|:linN]".
ParsedAxis parse_axis(std::string_view text, const Value& base, std::string_view option = "--vary");

/// Why a key cannot differ between the points of a study; nothing where it can.
std::optional<Problem> shared_by_points(const std::string& path, std::string_view option);

/// Several of them, no path twice.
struct ParsedAxes {
  std::vector<Axis> axes;
  std::vector<Problem> problems;  // every mistake; then there are no axes
};
ParsedAxes parse_axes(std::span<const std::string> texts, const Value& base,
                      std::string_view option = "--vary");

/// A mistake of a point's settings, which config reports as one of --set, as one of `option`.
Problem as_problem_of(Problem problem, std::string_view option);

}  // namespace gauntlet
