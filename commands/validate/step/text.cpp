#include "commands/validate/step/text.hpp"

#include "report/style.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

std::string percent_text(double share) { return fmt::format("{:.1f}%", 100 * share); }
std::string signed_percent(double share) { return fmt::format("{:+.1f}%", 100 * share); }

/// Checks of shares are percentages, the others are counts.
std::string figure_text(const ValidationCheck& check, double value) {
  return check.figure == "rows" ? fmt::format("{:.0f}", value) : percent_text(value);
}

std::string checks_table(const StepValidation& result) {
  TextTable table{.header = {"kind", "published", "rows", "figure", "model", "bound", "holds"}, .rows = {}};
  for (const ValidationCheck& check : result.checks)
    table.rows.push_back(
        {std::string(kCheckKindNames[static_cast<std::size_t>(check.kind)]), check.what,
         std::to_string(check.rows), check.figure, check.value ? figure_text(check, *check.value) : "-",
         figure_text(check, check.limit), check.value ? (check.broken() ? "NO" : "yes") : "not judged"});
  return to_text(table);
}

/// What each kind of check is worth, of the kinds that there are.
std::string kinds_words(const StepValidation& result) {
  constexpr std::array<std::string_view, 4> kWorth = {
      "prediction: the model on rows that no constant was fitted on. The bounds were set with the errors "
      "known; they notice a change for the worse.",
      "fit: the model on the rows that its constants were fitted on, and on those that were left out of a "
      "fit. This shows how closely the model can follow them; it is not a test.",
      "memory: the model of memory, which has no constants, on every row.",
      "structure: published rows against each other, without the model."};
  std::string text;
  for (std::size_t kind = 0; kind < kWorth.size(); ++kind)
    if (std::ranges::any_of(result.checks, [&](const ValidationCheck& check) {
          return static_cast<std::size_t>(check.kind) == kind;
        }))
      text += wrapped("  " + std::string(kWorth[kind]));
  return text;
}

/// Other programs on the same rows, with where they are from.
std::string others_words(const StepValidation& result) {
  std::string text;
  const OtherProgram* last = nullptr;
  for (const ValidationCheck& check : result.checks) {
    if (!check.other) continue;
    last = &*check.other;
    text += fmt::format("{}{} {} on {}", text.empty() ? "" : "; ", check.figure, percent_text(last->error),
                        check.what);
  }
  if (last == nullptr) return "";
  return wrapped(fmt::format("  For scale, {} ({}): {}. {}.", last->name, last->source, text,
                             "It was run " + last->how));
}

std::string stacks_table(const StepValidation& result) {
  TextTable table{.header = {"stack", "used", "rows", "mean", "median", "largest"}, .rows = {}};
  const auto add = [&](const std::string& stack, const std::string& used, const ErrorSummary& of) {
    if (of.rows > 0)
      table.rows.push_back({stack, used, std::to_string(of.rows), percent_text(of.mean),
                            percent_text(of.median), percent_text(of.max)});
  };
  for (const ValidatedStack& stack : result.stacks) {
    if (stack.exact())
      table.rows.push_back({stack.stack, "exact by construction: " + counted(stack.constants, "constant"),
                            std::to_string(stack.fitted.rows), "-", "-", "-"});
    else
      add(stack.stack, "fitted", stack.fitted);
    add(stack.stack, "left out of the fit", stack.left_out);
    add(stack.stack, "prediction", stack.predicted);
  }
  return to_text(table);
}

std::string fits_table(const StepValidation& result) {
  TextTable table{.header = {"stack", "constant", "shipped", "found", "error shipped", "error found"},
                  .rows = {}};
  for (const FittedStack& fit : result.fits)
    for (const FittedStack::Constant& constant : fit.constants)
      table.rows.push_back({fit.stack, constant.name, fmt::format("{:.4f}", constant.shipped),
                            fmt::format("{:.4f}", constant.found), percent_text(fit.shipped_error),
                            percent_text(fit.found_error)});
  return to_text(table);
}

std::string rows_table(const StepValidation& result) {
  TextTable table{.header = {"row", "stack", "used", "published", "model", "unit", "error"}, .rows = {}};
  for (const ValidatedRow& row : result.rows)
    table.rows.push_back({row.id, row.stack, std::string(kErrorOfNames[static_cast<std::size_t>(row.use)]),
                          fmt::format("{:.4g}", row.published),
                          row.ours ? fmt::format("{:.4g}", *row.ours) : "-", row.unit,
                          row.error ? signed_percent(*row.error) : "-"});
  return to_text(table);
}

/// "2 of predictions, 9 of fits"
std::string by_kind(const StepValidation& result, bool broken) {
  constexpr std::array<std::string_view, 4> kOf = {"of predictions", "of fits", "of memory",
                                                   "of the structure of published rows"};
  std::string text;
  for (std::size_t kind = 0; kind < kOf.size(); ++kind) {
    const auto count = std::ranges::count_if(result.checks, [&](const ValidationCheck& check) {
      return static_cast<std::size_t>(check.kind) == kind && check.value && check.broken() == broken;
    });
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kOf[kind]);
  }
  return text;
}

/// "13 bounds hold: 2 of predictions, ...", and which are broken or not judged.
std::string bounds_words(const StepValidation& result) {
  const auto count = [&](const auto& of) { return std::ranges::count_if(result.checks, of); };
  const auto broken = count(&ValidationCheck::broken);
  const auto judged = count([](const ValidationCheck& check) { return check.value.has_value(); });
  const auto left = static_cast<std::ptrdiff_t>(result.checks.size()) - judged;
  std::string text;
  if (broken > 0)
    text = fmt::format("{} of {} {} broken: {}", broken, counted(static_cast<double>(judged), "bound"),
                       broken == 1 ? "is" : "are", by_kind(result, true));
  else if (judged > 0)
    text = fmt::format("{} {}: {}", counted(static_cast<double>(judged), "bound"),
                       judged == 1 ? "holds" : "hold", by_kind(result, false));
  else
    text = "No bound was judged";
  if (left > 0) text += fmt::format("; {} without rows {} not judged", left, left == 1 ? "is" : "are");
  return text + ".";
}

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

/// The errors that `use` says, with the row that is farthest off; empty where there are none.
std::string errors_words(const StepValidation& result, ErrorOf use) {
  std::vector<double> errors;
  const ValidatedRow* worst = nullptr;
  for (const ValidatedRow& row : result.rows) {
    if (row.use != use || !row.error) continue;
    errors.push_back(*row.error);
    if (worst == nullptr || std::abs(*row.error) > std::abs(*worst->error)) worst = &row;
  }
  if (worst == nullptr) return "";
  const ErrorSummary of = summary_of(std::move(errors));
  return fmt::format("a median of {}, a mean of {} and a largest of {} ({})", percent_text(of.median),
                     percent_text(of.mean), percent_text(of.max), worst->id);
}

/// The errors of each stack on rows that it was not fitted on, the worst first.
std::string predicted_words(const StepValidation& result) {
  std::vector<const ValidatedStack*> stacks;
  for (const ValidatedStack& stack : result.stacks)
    if (stack.predicted.rows > 0) stacks.push_back(&stack);
  if (stacks.empty()) return "";
  std::ranges::stable_sort(stacks, std::ranges::greater{},
                           [](const ValidatedStack* stack) { return stack->predicted.max; });
  std::string text = "Predictions, mean and largest error by stack: ";
  for (const ValidatedStack* stack : stacks)
    text += fmt::format("{}{} {} and {}", stack == stacks.front() ? "" : "; ", stack->stack,
                        percent_text(stack->predicted.mean), percent_text(stack->predicted.max));
  return text + ".";
}

/// What is not a prediction: how closely the model was fitted, and what was left out of that.
std::string fitted_words(const StepValidation& result) {
  const auto rows_of = [&](ErrorOf use) {
    return static_cast<std::size_t>(std::ranges::count_if(
        result.rows, [use](const ValidatedRow& row) { return row.use == use && row.error.has_value(); }));
  };
  std::string text;
  if (const std::size_t fitted = rows_of(ErrorOf::fit); fitted > 0)
    text = fmt::format("On the {} row{} that constants were fitted on, the errors have {}.", fitted,
                       plural(fitted), errors_words(result, ErrorOf::fit));
  if (const std::size_t out = rows_of(ErrorOf::left_out); out > 0)
    text += fmt::format("{}{} row{} {} left out of a fit because {} far off: {}. They count as neither.",
                        text.empty() ? "" : " ", out, plural(out), out == 1 ? "was" : "were",
                        out == 1 ? "it is" : "they are", errors_words(result, ErrorOf::left_out));
  return text;
}

/// A paragraph for each reason that is known, the one with the farthest row first.
std::string far_words(std::vector<const ValidatedRow*> far) {
  std::string text;
  while (!far.empty()) {
    const std::string caution = far.front()->caution;
    std::string rows;
    for (const ValidatedRow* row : far)
      if (row->caution == caution)
        rows += (rows.empty() ? "" : ", ") + row->id + " " + signed_percent(*row->error);
    text += wrapped(fmt::format("  {}. {}.", rows, caution.empty() ? "No reason is known" : caution));
    std::erase_if(far, [&](const ValidatedRow* row) { return row->caution == caution; });
  }
  return text;
}

}  // namespace

std::string answer_line(const StepValidation& result) {
  const auto predictions =
      static_cast<std::size_t>(std::ranges::count_if(result.rows, [](const ValidatedRow& row) {
        return row.use == ErrorOf::prediction && row.error.has_value();
      }));
  const std::string all = counted(static_cast<double>(result.rows.size()), "published step");
  if (predictions == 0) return fmt::format("None of {} is a prediction. {}", all, bounds_words(result));
  return fmt::format("Of {}, {} {} predicted; the errors have {}. {}", all, predictions,
                     predictions == 1 ? "was" : "were", errors_words(result, ErrorOf::prediction),
                     bounds_words(result));
}

std::string text_report(const StepValidation& result, const ReportOptions& options) {
  std::string text = headline(options, answer_line(result));
  const std::vector<const ValidatedRow*> far = far_off(result);
  if (const std::string words = predicted_words(result); !words.empty())
    text += wrapped(words + (far.empty() ? "" : " The rows where the model is not to be trusted are below."));
  if (const std::string words = fitted_words(result); !words.empty()) text += wrapped(words);
  text += wrapped(fmt::format(
      "The step model of gauntlet {} against {}. An error is that of the step time: above zero, the model's "
      "step is "
      "longer.",
      result.version,
      result.file.empty() ? "models/calibration/published.csv, which has the addresses" : result.file));
  text += heading(options, "Bounds");
  text += checks_table(result) + kinds_words(result) + others_words(result);
  if (!far.empty())
    text +=
        heading(options,
                fmt::format("Where not to trust the model: rows that were not fitted, with errors above {}",
                            percent_text(kFarOff))) +
        far_words(far);
  text += heading(options, "Errors by software stack");
  text += stacks_table(result);
  if (!result.fits.empty())
    text += heading(options, "Constants, fitted again from scratch") + fits_table(result);
  text += heading(options, "All rows") + rows_table(result);
  for (const ValidatedRow& row : result.rows)
    if (!row.why.empty()) text += wrapped(row.id + " does not fit: " + row.why);
  return text + reproduce_text(options);
}

}  // namespace gauntlet
