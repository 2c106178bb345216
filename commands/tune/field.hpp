// A field that tune may change, and where a search stands on it: on the logarithm of its value.
#pragma once

#include "config/toml/value.hpp"
#include "core/problem.hpp"
#include "study/vary.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Settings act in proportion: a minute more matters to an interval of five minutes, not to one of five hours. So a search
/// sees log(value), of a linear range too; of one that holds zero or less, log(value + something).
class TuneField {
 public:
  /// `range`: the user's, or the default one where `given` is false. `today`: what the scenario has.
  TuneField(FieldRange range, bool given, std::string today);

  const std::string& path() const { return range_.path; }
  const FieldRange& range() const { return range_; }
  bool given() const { return given_; }
  const std::string& today() const { return today_; }
  bool whole() const { return range_.whole; }

  double low() const { return coordinate(range_.low); }
  double high() const { return coordinate(range_.high); }
  /// Where a value lies, and which value lies there.
  double coordinate(double value) const;
  double value_at(double coordinate) const;
  /// Where a value of this field lies; also outside the range.
  double coordinate_of(std::string_view text) const;
  /// The value there, or at the nearest end of the range: as people say it, to about half a percent.
  std::string text_at(double coordinate) const;

  /// A value as people say it, also outside the range.
  std::string rounded(double value) const;

  enum class End { low, high };
  /// A default range goes on by a factor of four; false where it cannot: it is given, or has gone on far enough.
  bool extend(End end);

 private:
  FieldRange range_;
  bool given_;
  std::string today_;
  double shift_;  // log(value - shift_)
  int extended_ = 0;
};

struct ParsedFields {
  std::vector<TuneField> fields;
  std::vector<Problem> problems;  // every mistake; then there are no fields
};

/// The most fields at once.
inline constexpr std::size_t kMostTuneFields = 6;

/// "checkpoint.interval" or "checkpoint.interval=1min:2h". Without a range: a sixteenth of what the scenario has to
/// sixteen times as much; of a whole number x, 0 to 4x + 8. `base`: the whole base scenario.
ParsedFields parse_tune_fields(std::span<const std::string> over, const Value& base);

}  // namespace gauntlet
