// How the step model does against published measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// One published step beside ours. The error is that of the step's time: above zero, we are slower.
struct ValidatedRow {
  std::string id, address, stack;
  bool fitted = false;  // the stack's constants were fitted on it
  std::string unit;     // of the two figures: "s", "TFLOP/s" or "MFU%"
  double published = 0;
  std::optional<double> ours;                         // nothing where the job would not run ...
  std::optional<double> error;                        // ours over published time, less 1
  std::string why;                                    // ... and the reason
  std::uint32_t micro_batch = 0, virtual_stages = 0;  // as published, or chosen where that was not
  std::string caution;                                // why ours may be far off, as far as that is known
};

/// Of absolute errors.
struct ErrorSummary {
  std::uint32_t rows = 0;
  double mean = 0, median = 0, max = 0;
};

struct ValidatedStack {
  std::string stack;
  std::string source;           // what its constants were fitted on
  std::uint32_t constants = 0;  // so many were fitted ...
  std::uint32_t rows = 0;       // ... on so many rows of the project's table
  ErrorSummary fitted, held_out;
  /// As many constants as rows: they meet by construction, and their errors say nothing.
  bool exact() const { return rows <= constants; }
};

/// Something that must hold: `value` is at most `limit`. Nothing where no row tells: it is not judged then.
struct ValidationCheck {
  std::string what;    // "SC'21, tables 1 and 2"
  std::string figure;  // "mean error"
  std::optional<double> value;
  double limit = 0;
  std::uint32_t rows = 0;          // that `value` is of
  std::optional<double> calculon;  // the error of Calculon as shipped, for scale
  bool broken() const { return value && *value > limit; }
};

/// The constants of a stack beside those that a search finds from scratch.
struct FittedStack {
  struct Constant {
    std::string name;
    double shipped = 0, found = 0;
  };
  std::string stack;
  std::uint32_t power = 2;  // to which errors count
  double shipped_error = 0,
         found_error = 0;  // the power mean of |log(ours / published)| over the fitted rows
  std::vector<Constant> constants;
};

struct StepValidation {
  std::string version;
  std::string file;  // of the rows; empty: those inside the program
  std::vector<ValidatedRow> rows;
  std::vector<ValidatedStack> stacks;
  std::vector<ValidationCheck> checks;
  std::vector<FittedStack> fits;  // where that was asked for
  /// No bound is broken; of the rows inside the program each must be judged, too.
  bool holds() const;
};

/// A held-out row this far off is named, with what is known of the reason.
inline constexpr double kFarOff = 0.1;

/// Held-out rows that are far off, the farthest first.
std::vector<const ValidatedRow*> far_off(const StepValidation& result);

/// Mean, median and maximum of absolute values; of an even number of them the mean of the middle two.
ErrorSummary summary_of(std::vector<double> errors);

std::string to_json(const StepValidation& result);

}  // namespace gauntlet
