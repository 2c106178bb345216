#include "report/validation_text.hpp"

#include "report/table.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

std::string percent_text(double share) { return fmt::format("{:.1f}%", 100 * share); }
std::string signed_percent(double share) { return fmt::format("{:+.1f}%", 100 * share); }

std::string painted(const ReportOptions& options, const char* code, std::string_view text) {
  if (options.colour == Colour::never) return std::string(text) + "\n";
  return fmt::format("\x1b[{}m{}\x1b[0m\n", code, text);
}

std::string heading(const ReportOptions& options, std::string_view text) {
  return "\n" + painted(options, "36", text);
}

/// Checks of shares are percentages, the others are counts.
std::string figure_text(const ValidationCheck& check, double value) {
  return check.figure == "rows" ? fmt::format("{:.0f}", value) : percent_text(value);
}

std::string checks_table(const StepValidation& result) {
  TextTable table{.header = {"published", "rows", "figure", "ours", "at most", "holds", "Calculon"},
                  .rows = {}};
  for (const ValidationCheck& check : result.checks)
    table.rows.push_back({check.what, std::to_string(check.rows), check.figure,
                          check.value ? figure_text(check, *check.value) : "-",
                          figure_text(check, check.limit),
                          check.value ? (check.broken() ? "NO" : "yes") : "not judged",
                          check.calculon ? percent_text(*check.calculon) : "-"});
  return to_text(table);
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
    add(stack.stack, "held out", stack.held_out);
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
  TextTable table{.header = {"row", "stack", "used", "published", "ours", "unit", "error"}, .rows = {}};
  for (const ValidatedRow& row : result.rows)
    table.rows.push_back({row.id, row.stack, row.fitted ? "fitted" : "held out",
                          fmt::format("{:.4g}", row.published),
                          row.ours ? fmt::format("{:.4g}", *row.ours) : "-", row.unit,
                          row.error ? signed_percent(*row.error) : "-"});
  return to_text(table);
}

std::string bounds_words(const StepValidation& result) {
  const auto all = result.checks.size();
  const auto broken = std::ranges::count_if(result.checks, &ValidationCheck::broken);
  const auto judged =
      std::ranges::count_if(result.checks, [](const auto& check) { return check.value.has_value(); });
  const auto left = all - static_cast<std::size_t>(judged);
  std::string text;
  if (broken > 0)
    text = fmt::format("{} of {} bounds {} broken", broken, judged, broken == 1 ? "is" : "are");
  else if (left == 0)
    return fmt::format("All {} bounds hold", all);
  else
    text =
        fmt::format("{} {}", counted(static_cast<double>(judged), "bound"), judged == 1 ? "holds" : "hold");
  if (left > 0)
    text += fmt::format(", {} no rows and {} not judged,", left == 1 ? "1 has" : fmt::format("{} have", left),
                        left == 1 ? "is" : "are");
  return text;
}

/// The errors of each stack on held-out rows, the worst first.
std::string held_out_words(const StepValidation& result) {
  std::vector<const ValidatedStack*> stacks;
  for (const ValidatedStack& stack : result.stacks)
    if (stack.held_out.rows > 0) stacks.push_back(&stack);
  if (stacks.empty()) return "";
  std::ranges::stable_sort(stacks, std::ranges::greater{},
                           [](const ValidatedStack* stack) { return stack->held_out.max; });
  std::string text = "On held-out rows, mean and largest error by stack: ";
  for (const ValidatedStack* stack : stacks)
    text += fmt::format("{}{} {} and {}", stack == stacks.front() ? "" : "; ", stack->stack,
                        percent_text(stack->held_out.mean), percent_text(stack->held_out.max));
  return text + ".";
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
  std::vector<double> held_out;
  const ValidatedRow* worst = nullptr;
  for (const ValidatedRow& row : result.rows) {
    if (row.fitted || !row.error) continue;
    held_out.push_back(*row.error);
    if (worst == nullptr || std::abs(*row.error) > std::abs(*worst->error)) worst = &row;
  }
  const std::string text =
      bounds_words(result) + " over " + counted(static_cast<double>(result.rows.size()), "published step");
  if (worst == nullptr) return text + ".";
  const ErrorSummary summary = summary_of(std::move(held_out));
  return fmt::format(
      "{}; on the {} that no constant was fitted on errors have a median of {}, a mean of {} and a "
      "largest of {} ({}).",
      text, summary.rows, percent_text(summary.median), percent_text(summary.mean), percent_text(summary.max),
      worst->id);
}

std::string text_report(const StepValidation& result, const ReportOptions& options) {
  std::string text = painted(options, "1", answer_line(result));
  const std::vector<const ValidatedRow*> far = far_off(result);
  if (const std::string words = held_out_words(result); !words.empty())
    text += wrapped(words + (far.empty() ? "" : " Where not to trust the model is below."));
  text += wrapped(fmt::format(
      "The step model, gauntlet {}, against {}. An error is that of the step's time: above zero, ours is "
      "longer.",
      result.version,
      result.file.empty() ? "models/calibration/published.csv, which has the addresses" : result.file));
  text +=
      heading(options, "What must hold (Calculon: the best-known analytical model as shipped, for scale)");
  text += checks_table(result);
  if (!far.empty())
    text +=
        heading(options, fmt::format("Where not to trust the model: held-out rows that are more than {} off",
                                     percent_text(kFarOff))) +
        far_words(far);
  text += heading(options,
                  "Errors by software stack, on the rows that its constants were fitted on and on others");
  text += stacks_table(result);
  if (!result.fits.empty())
    text += heading(options, "The constants, found again from scratch") + fits_table(result);
  text += heading(options, "Every row") + rows_table(result);
  for (const ValidatedRow& row : result.rows)
    if (!row.why.empty()) text += wrapped(row.id + " does not fit: " + row.why);
  if (!options.command.empty()) text += "\nAgain: " + options.command + "\n";
  return text;
}

}  // namespace gauntlet
