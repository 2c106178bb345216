// All values of a field between two ends, as numbers and as the text that --set takes.
#pragma once

#include "core/quantity.hpp"
#include "study/summary/field_kind.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// The number that a text stands for as a value of that kind, or why it is none.
Parsed<double> parse_number(std::string_view text, FieldKind kind);
/// The same without the reason; quotes around the text are not part of it.
std::optional<double> number_of(std::string_view text, FieldKind kind);

/// All values between two ends.
struct FieldRange {
  std::string path;  // "checkpoint.interval"
  FieldKind kind = FieldKind::number;
  double low = 0, high = 0;         // low < high; above zero where `logarithmic`
  std::string low_text, high_text;  // as they were written
  bool whole = false;               // whole numbers only
  bool logarithmic = false;

  /// The value at `u` in [0, 1] of the way: text_at as a number.
  double value_at(double u) const;
  /// The ends as they were written; between them rounded to three digits or four ("4min12s"), and to a tenth of `step`
  /// (of the way) where that is finer, so that neighbours stay apart. Deterministic.
  std::string text_at(double u, double step = 0.1) const;
  /// Where a value lies: 0 at the low end, 1 at the high one, beyond them outside; nothing where it is not a value of this
  /// kind, or not above zero in a logarithmic range.
  std::optional<double> position_of(std::string_view text) const;
};

}  // namespace gauntlet
