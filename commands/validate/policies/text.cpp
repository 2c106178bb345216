#include "commands/validate/policies/text.hpp"

#include "report/style.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace gauntlet {
namespace {

/// With as many digits after the point as the standard error has two of, or six that count.
std::string figure_text(const PolicyCheck& check, double value) {
  std::string text;
  if (check.error && *check.error > 0) {
    const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(*check.error))), 0, 9);
    text = fmt::format("{:.{}f}", value, decimals);
  } else {
    text = fmt::format("{:.6g}", value);
  }
  return check.unit.empty() ? text : text + " " + check.unit;
}

std::string measured_text(const PolicyCheck& check) {
  if (!check.measured) return "-";
  std::string text = figure_text(check, *check.measured);
  if (check.error && *check.error > 0) text += fmt::format(" +- {:.2g}", *check.error);
  return text;
}

std::string distance_text(PolicyJudge judge, const std::string& unit, double value) {
  switch (judge) {
    case PolicyJudge::z:
      return fmt::format("z {:+.2f}", value);
    case PolicyJudge::relative:
    case PolicyJudge::none:
      return std::abs(value) < 1e-6 ? fmt::format("{:+.1g}", value) : fmt::format("{:+.2f}%", 100 * value);
    case PolicyJudge::absolute:
      return fmt::format("{:+.2f}{}{}", value, unit.empty() || unit == "%" ? "" : " ", unit);
  }
  return "";
}

std::string bound_text(const PolicyCheck& check) {
  switch (check.bound.judge) {
    case PolicyJudge::z:
      return fmt::format("|z| < {:g}", check.bound.limit);
    case PolicyJudge::relative:
      return check.bound.limit < 1e-6 ? fmt::format("{:g}", check.bound.limit)
                                      : fmt::format("{:g}%", 100 * check.bound.limit);
    case PolicyJudge::absolute:
      return fmt::format("{:g}{}", check.bound.limit, check.unit == "%" ? "%" : "");
    case PolicyJudge::none:
      return "-";
  }
  return "";
}

std::string verdict_text(const PolicyCheck& check) {
  if (!check.judged()) return "not judged";
  return check.holds() ? "holds" : "FAILS";
}

using Group = std::vector<const PolicyCheck*>;

std::vector<Group> by_subject(const PolicyValidation& result) {
  std::vector<Group> out;
  for (const PolicyCheck& check : result.checks) {
    if (out.empty() || out.back().front()->subject != check.subject) out.emplace_back();
    out.back().push_back(&check);
  }
  return out;
}

std::string subject_text(const Group& group, const ReportOptions& options) {
  const PolicyCheck& first = *group.front();
  std::string text = heading(options, first.subject);
  if (!first.conventions.empty()) text += wrapped("  " + first.conventions);
  if (!first.problem.empty()) text += wrapped("  " + first.problem);
  TextTable table{.header = {"figure", "expected", "measured", "replicas", "error", "bound", ""}, .rows = {}};
  for (const PolicyCheck* check : group) {
    const auto off = check->off();
    table.rows.push_back({check->figure, figure_text(*check, check->expected), measured_text(*check),
                          count_text(check->replicas),
                          off ? distance_text(check->bound.judge, check->unit, *off) : "-",
                          bound_text(*check), verdict_text(*check)});
  }
  text += to_text(table);
  for (const PolicyCheck* check : group) {
    if (check->source.empty()) continue;
    if (check != group.front() && check->source == first.source) continue;
    text += wrapped(fmt::format("  {}: {}", check->figure, check->source));
  }
  for (const PolicyCheck* check : group)
    if (check->published)
      text += wrapped(
          fmt::format("  {}: the source prints {}", check->figure, figure_text(*check, *check->published)));
  return text;
}

std::string failures_words(const PolicyValidation& result) {
  const auto broken = std::ranges::count_if(result.checks, &PolicyCheck::fails);
  const auto judged = std::ranges::count_if(result.checks, &PolicyCheck::judged);
  std::string text = fmt::format("{} of {} {}: ", broken, counted(static_cast<double>(judged), "check"),
                                 broken == 1 ? "fails" : "fail");
  std::string last;
  for (const PolicyCheck& check : result.checks) {
    if (!check.fails() || check.subject == last) continue;
    text += (last.empty() ? "" : "; ") + check.subject;
    last = check.subject;
  }
  return text + ".";
}

}  // namespace

std::string answer_line(const PolicyValidation& result) {
  if (result.checks.empty()) return "No check was made.";
  if (std::ranges::any_of(result.checks, &PolicyCheck::fails)) return failures_words(result);
  const PolicyCheck* worst = nullptr;
  std::uint32_t scores = 0;
  for (const PolicyCheck& check : result.checks) {
    if (check.bound.judge != PolicyJudge::z) continue;
    ++scores;
    if (worst == nullptr || std::abs(*check.off()) > std::abs(*worst->off())) worst = &check;
  }
  const auto judged = std::ranges::count_if(result.checks, &PolicyCheck::judged);
  if (judged == 0) return "No figure here has a bound, so nothing was judged.";
  std::string text = judged == 1 ? "The one check holds" : fmt::format("All {} checks hold", judged);
  if (worst != nullptr)
    text += fmt::format("; the largest of {} is {:.2f} ({})", counted(scores, "z-score"),
                        std::abs(*worst->off()), worst->subject);
  return text + ".";
}

std::string text_report(const PolicyValidation& result, const ReportOptions& options) {
  std::string text = headline(options, answer_line(result));
  if (result.interrupted) text += "Interrupted: the remaining checks were not made.\n";
  if (const auto shown = std::ranges::count_if(result.checks, std::not_fn(&PolicyCheck::judged)); shown > 0)
    text += wrapped(
        fmt::format("{} shown without a bound, because the models differ: not judged and not counted.",
                    shown == 1 ? "1 more figure is" : fmt::format("{} more figures are", shown)));
  text += wrapped(
      fmt::format("gauntlet {}, seed {}{}. Expected values are closed forms, or what another simulator "
                  "publishes; z is the distance "
                  "from them in standard errors.",
                  result.version, result.seed, result.quick ? ", with the few replicas of a test" : ""));
  for (const Group& group : by_subject(result)) text += subject_text(group, options);
  return text + reproduce_text(options);
}

}  // namespace gauntlet
