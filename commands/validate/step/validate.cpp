#include "commands/validate/step/validate.hpp"

#include "commands/validate/step/fit_stacks.hpp"
#include "config/catalogue_hardware.hpp"
#include "config/toml/files.hpp"
#include "models/step/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

/// Of predictions. These limits were set with the errors known, and notice a change for the worse; they prove nothing.
constexpr double kMostMedianPrediction = 0.06, kMostPrediction = 0.30;

using Catalogue = std::map<std::string, Hardware, std::less<>>;

/// The hardware that the rows name.
Catalogue hardware_of(const std::vector<PublishedStep>& rows, const std::string& file,
                      std::vector<Problem>& problems) {
  Catalogue all;
  for (const PublishedStep& row : rows) {
    if (all.contains(row.hardware)) continue;
    if (LoadedHardware loaded = catalogue_hardware(row.hardware); loaded.hardware)
      all[row.hardware] = std::move(*loaded.hardware);
    else
      problems.push_back({.file = file,
                          .what = "hardware = \"" + row.hardware + "\" of " + row.id,
                          .why = "is not in the catalogue",
                          .suggestion = "`gauntlet list hardware` names what is"});
  }
  return all;
}

const char* name_of(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::seconds:
      return "s";
    case FigureUnit::tflops:
      return "TFLOP/s";
    case FigureUnit::mfu:
      return "MFU%";
  }
  return "";
}

ErrorOf error_of(RowUse use) {
  switch (use) {
    case RowUse::fitted:
      return ErrorOf::fit;
    case RowUse::left_out:
      return ErrorOf::left_out;
    case RowUse::held_out:
      break;
  }
  return ErrorOf::prediction;
}

ValidatedRow predict(const PublishedStep& row, const Hardware& hardware) {
  ValidatedRow out{.id = row.id,
                   .address = row.address,
                   .stack = row.stack,
                   .use = error_of(row.use),
                   .unit = name_of(row.unit),
                   .published = row.value,
                   .ours = {},
                   .error = {},
                   .why = {},
                   .caution = row.caution};
  const PublishedJob job = job_of(row, hardware, *find_calibration(row.stack));
  out.why = job.why;
  if (!job.world) return out;
  out.micro_batch = job.world->job.micro_batch;
  out.virtual_stages = job.world->job.layout.virtual_stages;
  const double seconds = to_seconds(job.step_time);
  out.ours = figure_of(seconds, row, hardware);
  out.error = seconds / published_seconds(row, hardware) - 1;
  return out;
}

std::vector<double> errors_of(const std::vector<ValidatedRow>& rows, ErrorOf use,
                              std::string_view stack = {}) {
  std::vector<double> out;
  for (const ValidatedRow& row : rows)
    if (row.use == use && row.error && (stack.empty() || row.stack == stack)) out.push_back(*row.error);
  return out;
}

std::vector<ValidatedStack> stacks_of(const std::vector<ValidatedRow>& rows) {
  const PublishedTable own = parse_published(published_csv(), "");
  std::vector<ValidatedStack> out;
  for (const Calibration& stack : calibrations()) {
    const auto errors_on = [&](ErrorOf use) { return summary_of(errors_of(rows, use, stack.stack)); };
    const ErrorSummary fitted = errors_on(ErrorOf::fit), predicted = errors_on(ErrorOf::prediction),
                       left_out = errors_on(ErrorOf::left_out);
    const auto fitted_on = std::ranges::count_if(own.rows, [&](const PublishedStep& row) {
      return row.use == RowUse::fitted && row.stack == stack.stack;
    });
    if (fitted.rows + predicted.rows + left_out.rows > 0)
      out.push_back({.stack = stack.stack,
                     .source = stack.source,
                     .constants = fitted_constants(stack.stack),
                     .rows = static_cast<std::uint32_t>(fitted_on),
                     .fitted = fitted,
                     .predicted = predicted,
                     .left_out = left_out});
  }
  return out;
}

/// For scale. The runs were made once, when the table was, and are not part of this project: nothing here repeats them.
OtherProgram calculon(double error) {
  return {.error = error,
          .name = "Calculon",
          .source = "https://github.com/calculon-ai/calculon",
          .how = "as shipped, on the same rows; nothing of it was fitted on them, while our constants were"};
}

/// How far fits may be from the rows of one kind.
struct Bound {
  const char* rows;  // PublishedStep::bound
  const char* what;
  const char* figure;
  double ErrorSummary::*value;
  double limit;
  std::optional<double> calculon;
};

const std::vector<Bound>& bounds() {
  static const std::vector<Bound> all = {
      {"korthikanti", "Korthikanti et al., table 5", "mean error", &ErrorSummary::mean, 0.04, {}},
      {"korthikanti", "Korthikanti et al., table 5", "largest error", &ErrorSummary::max, 0.08, {}},
      {"sc21", "Narayanan et al., SC'21, tables 1 and 2", "mean error", &ErrorSummary::mean, 0.04, 0.10},
      {"sc21", "Narayanan et al., SC'21, tables 1 and 2", "largest error", &ErrorSummary::max, 0.08, {}},
      {"mlperf", "MLPerf GPT-3 175B", "mean error", &ErrorSummary::mean, 0.04, {}},
      {"mlperf", "MLPerf GPT-3 175B", "largest error", &ErrorSummary::max, 0.08, {}},
      {"vtrain", "vTrain's measurements", "median error", &ErrorSummary::median, 0.05, 0.20},
      {"bloom", "BLOOM's experiments and training", "median error", &ErrorSummary::median, 0.05, 0.23},
      {"megascale", "MegaScale, table 2", "largest error", &ErrorSummary::max, 0.06, {}},
  };
  return all;
}

/// Rows that differ in their micro-batches alone: T = (m + (p-1)/v) tau + c. tau and c are those of the fewest and of the most
/// micro-batches, each the mean of its rows; the largest error of the rows between them, or nothing where there are none.
std::optional<double> structure_error(const std::vector<const PublishedStep*>& family) {
  struct Mean {
    double sum = 0;
    std::uint32_t rows = 0;
    double value() const { return sum / rows; }
  };
  std::map<std::uint32_t, Mean> by_count;
  const auto count = [](const PublishedStep& row) {
    const std::uint32_t each = row.layout.dp * row.micro_batch;
    return (row.global_batch + each - 1) / each;
  };
  for (const PublishedStep* row : family) {
    if (row->unit != FigureUnit::seconds || row->micro_batch == 0) continue;
    Mean& mean = by_count[count(*row)];
    mean.sum += row->value;
    ++mean.rows;
  }
  if (by_count.size() < 3) return std::nullopt;
  const auto [least, fastest] = *by_count.begin();
  const auto [most, slowest] = *by_count.rbegin();
  const double tau = (slowest.value() - fastest.value()) / (most - least);  // c and the bubble cancel
  double worst = 0;
  for (const PublishedStep* row : family) {
    const std::uint32_t m = count(*row);
    if (m == least || m == most) continue;
    const double predicted = fastest.value() + (m - least) * tau;
    worst = std::max(worst, std::abs(predicted / row->value - 1));
  }
  return worst;
}

/// Errors on the project's own rows that no constant was fitted on: of others nothing was promised.
std::vector<double> own_predictions(const std::vector<ValidatedRow>& rows) {
  std::set<std::string> own;
  for (const PublishedStep& row : parse_published(published_csv(), "").rows) own.insert(row.id);
  std::vector<double> out;
  for (const ValidatedRow& row : rows)
    if (row.use == ErrorOf::prediction && row.error && own.contains(row.id)) out.push_back(*row.error);
  return out;
}

std::vector<ValidationCheck> checks_of(const std::vector<PublishedStep>& rows,
                                       const std::vector<ValidatedRow>& validated) {
  std::vector<ValidationCheck> out;
  const ErrorSummary predicted = summary_of(own_predictions(validated));
  const auto of_predictions = [&](const char* figure, double ErrorSummary::*value, double limit) {
    out.push_back({.kind = CheckKind::prediction,
                   .what = "steps that no constant was fitted on",
                   .figure = figure,
                   .value = predicted.rows > 0 ? std::optional(predicted.*value) : std::nullopt,
                   .limit = limit,
                   .rows = predicted.rows,
                   .other = {}});
  };
  of_predictions("median error", &ErrorSummary::median, kMostMedianPrediction);
  of_predictions("largest error", &ErrorSummary::max, kMostPrediction);
  for (const Bound& bound : bounds()) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].bound == bound.rows && validated[i].error) errors.push_back(*validated[i].error);
    const ErrorSummary summary = summary_of(std::move(errors));
    std::optional<double> value;
    if (summary.rows > 0) value = summary.*bound.value;
    out.push_back({.kind = CheckKind::fit,
                   .what = bound.what,
                   .figure = bound.figure,
                   .value = value,
                   .limit = bound.limit,
                   .rows = summary.rows,
                   .other = bound.calculon ? std::optional(calculon(*bound.calculon)) : std::nullopt});
  }
  std::map<std::string, std::vector<const PublishedStep*>> families;
  for (const PublishedStep& row : rows)
    if (!row.family.empty()) families[row.family].push_back(&row);
  for (const auto& [name, family] : families)
    if (const auto error = structure_error(family))
      out.push_back({.kind = CheckKind::structure,
                     .what = "(m + (p-1)/v) tau + c of " + name,
                     .figure = "largest error",
                     .value = error,
                     .limit = 0.015,
                     .rows = static_cast<std::uint32_t>(family.size()),
                     .other = {}});
  const auto none =
      static_cast<double>(std::ranges::count_if(validated, [](const auto& row) { return !row.ours; }));
  out.push_back({.kind = CheckKind::memory,
                 .what = "jobs that ran elsewhere and do not fit in memory here",
                 .figure = "rows",
                 .value = none,
                 .limit = 0,
                 .rows = static_cast<std::uint32_t>(rows.size()),
                 .other = {}});
  std::ranges::stable_sort(out, {}, &ValidationCheck::kind);
  return out;
}

}  // namespace

Validated validate_steps(const ValidationQuestion& question) {
  const std::string& file = question.file;
  Validated out;
  PublishedTable table;
  if (file.empty()) {
    table = parse_published(published_csv(), "published.csv");
  } else {
    FileText text = read_file(file);
    if (!text.text) {
      text.problem.file = file;
      out.problems = {std::move(text.problem)};
      return out;
    }
    table = parse_published(*text.text, file);
  }
  out.problems = std::move(table.problems);
  const Catalogue hardware = hardware_of(table.rows, file, out.problems);
  if (!out.problems.empty()) return out;
  StepValidation result{
      .version = GAUNTLET_VERSION, .file = file, .rows = {}, .stacks = {}, .checks = {}, .fits = {}};
  for (const PublishedStep& row : table.rows) result.rows.push_back(predict(row, hardware.at(row.hardware)));
  result.stacks = stacks_of(result.rows);
  result.checks = checks_of(table.rows, result.rows);
  if (question.fit)
    result.fits = fit_stacks(table.rows, [&](const PublishedStep& row) -> const Hardware& {
      return hardware.find(row.hardware)->second;
    });
  out.result = std::move(result);
  return out;
}

}  // namespace gauntlet
