// How the step model does against published measurements.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// What an error of ours on published rows says.
enum class ErrorOf : std::uint8_t {
  prediction,  // no constant was fitted on the row
  fit,         // the stack's constants were fitted on it: how closely they could be
  left_out,    // it was to be fitted on and was taken out, because it is far off
};
inline constexpr std::array<std::string_view, 3> kErrorOfNames = {"prediction", "fit", "left out"};

/// One published step beside ours. The error is that of the step's time: above zero, we are slower.
struct ValidatedRow {
  std::string id, address, stack;
  ErrorOf use = ErrorOf::prediction;
  std::string unit;  // of the two figures: "s", "TFLOP/s" or "MFU%"
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
  ErrorSummary fitted, predicted, left_out;
  /// As many constants as rows: they meet by construction, and their errors say nothing.
  bool exact() const { return rows <= constants; }
};

/// What a check is worth.
enum class CheckKind : std::uint8_t {
  prediction,  // the model on rows that no constant was fitted on; the limit was set with the errors known, to notice a change
  fit,  // the model on the rows that its constants were fitted on (and on a few that were left out): no test of it
  memory,     // the model of memory, which has no constants, on every row
  structure,  // published rows against each other: the model is not asked
};
inline constexpr std::array<std::string_view, 4> kCheckKindNames = {"prediction", "fit", "memory",
                                                                    "structure"};

/// The error of another program on the rows of a check, for scale.
struct OtherProgram {
  double error = 0;
  std::string name, source;
  std::string how;  // what it was run with, and that nothing of it was fitted on these rows
};

/// Something that must hold: `value` is at most `limit`. Nothing where no row tells: it is not judged then.
struct ValidationCheck {
  CheckKind kind = CheckKind::fit;
  std::string what;    // "SC'21, tables 1 and 2"
  std::string figure;  // "mean error"
  std::optional<double> value;
  double limit = 0;
  std::uint32_t rows = 0;  // that `value` is of
  std::optional<OtherProgram> other;
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

/// A row that is not a fit and this far off is named, with what is known of the reason.
inline constexpr double kFarOff = 0.1;

/// Such rows, the farthest first.
std::vector<const ValidatedRow*> far_off(const StepValidation& result);

/// Mean, median and maximum of absolute values; of an even number of them the mean of the middle two.
ErrorSummary summary_of(std::vector<double> errors);

std::string to_json(const StepValidation& result);

}  // namespace gauntlet
