#include "commands/plan/text.hpp"

#include "commands/plan/table.hpp"
#include "commands/plan/words.hpp"
#include "report/levers/levers.hpp"
#include "report/style.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

/// What the intervals of runs with the parameters as given cover.
std::string_view covers(const PlanResult& result) {
  return drawn(result.uncertainty) != nullptr ? "parameters as given" : kIntervalCovers;
}

std::string requirements(const PlanResult& result, const ReportOptions& options) {
  std::string text = heading(options, result.finish_by_s ? "Requirements" : "Resources") + size_table(result);
  if (const Uncertainty* given = drawn(result.uncertainty))
    text += wrapped(fmt::format(
        "Times, shares and costs include parameter uncertainty: {} runs over {} draws of the parameters.{}",
        count_text(static_cast<double>(given->runs())), given->draws,
        result.finish_by_s ? " The row \"parameters as given\" does not." : ""));
  if (!result.enough) return text;
  const Uncertainty* enough = drawn(result.enough_uncertainty);
  if (enough != nullptr)
    text += wrapped(
        "Enough: the fewest GPUs that meet the date with parameter uncertainty, and a margin of everything "
        "else.");
  else
    text += wrapped(fmt::format(
        "Enough: each resource at the minimum that still meets the date, one after the "
        "other, GPUs first. The "
        "runs that chose it meet the date with a standard error to spare. The column uses {} others.",
        count_text(result.enough->by_date.runs)));
  const bool priced = result.facts.has_price();
  const Statistics PlanOutcome::*cost = priced ? &PlanOutcome::cost : &PlanOutcome::gpu_hours;
  const std::optional<double> given = (result.as_given.*cost).mean, less = (result.enough.value().*cost).mean;
  if (given && less && *less > *given)
    text += wrapped(fmt::format(
        "Enough takes more {} than as given: it is the fewest GPUs that meet the date, not the "
        "lowest {}{}.",
        priced ? "money" : "GPU-hours", priced ? "cost" : "number of GPU-hours",
        result.enough->size.gpus < result.as_given.size.gpus ? ", and fewer GPUs train for longer" : ""));
  if (result.misses())
    text += wrapped("In these runs it is not enough: run the plan again with more --replicas.");
  return text;
}

constexpr std::string_view kWhyUnknown =
    " Unknown: a time without a value, because runs never complete the work.";

bool has_unknown(const std::vector<Purchase>& bought) {
  return std::any_of(bought.begin(), bought.end(),
                     [](const Purchase& each) { return !each.p95.by || !each.mean.by; });
}

std::string one_more(const PlanResult& result, const ReportOptions& options) {
  const bool priced = result.facts.has_price();
  const auto than = [&](const char* what, const std::vector<Purchase>& bought) -> std::string {
    if (bought.empty()) return "";
    return heading(options, fmt::format("Effect of one more, from {} (95% intervals of paired runs, {})",
                                        what, covers(result))) +
           purchase_table(bought, result.finish_by_s.has_value(), priced ? result.facts.currency : "") +
           (has_unknown(bought) ? wrapped(std::string(kWhyUnknown.substr(1))) : "");
  };
  return than("the scenario as given", result.one_more) + than("what is enough", result.enough_one_more);
}

std::string tornado(const PlanResult& result, const ReportOptions& options) {
  if (result.tornado.bars.empty()) return "";
  std::string cut;
  for (const Sensitivity& bar : result.tornado.bars)
    if (!bar.cut.empty()) cut += wrapped(fmt::format("{}: {}.", bar.path, bar.cut));
  const bool unknown = std::any_of(result.tornado.bars.begin(), result.tornado.bars.end(),
                                   [](const auto& bar) { return !bar.at_low.by || !bar.at_high.by; });
  return heading(
             options,
             fmt::format("Sensitivity of the {}, as given: one parameter at a time at its 5% and 95% value",
                         result.tornado.target == "finish.p50" ? "median finish" : "ETTR")) +
         tornado_table(result.tornado) +
         wrapped(fmt::format("Changes over {} paired runs, {}.{}", count_text(result.tornado.replicas),
                             covers(result), unknown ? kWhyUnknown : "")) +
         cut;
}

std::string levers(const PlanResult& result, const ReportOptions& options) {
  constexpr std::size_t kMost = 10;
  const std::string table = lever_table(result.levers, kMost);
  if (table.empty()) return "";
  const std::string best = best_lever_text(result.levers);
  return heading(options, "Ranking of levers, as given") + (best.empty() ? "" : wrapped(best + ".")) + table +
         lever_terms(result.levers) + lever_order(result.levers) +
         wrapped("`gauntlet rank` names all levers, also those without an effect.");
}

/// Of every plan in the tables, how many runs never complete the work.
std::string runs_never_done(const PlanResult& result) {
  const Duration after = result.facts.give_up_after;
  std::string text;
  const auto add = [&](const char* which, const PlanOutcome& of, const Uncertainty* unknown) {
    const UncertainMetric* hours = unknown != nullptr ? unknown->find("gpu_hours") : nullptr;
    const FinishTimes& finish = unknown != nullptr ? unknown->finish : of.finish;
    const std::uint64_t gave_up = hours != nullptr ? hours->gave_up : of.gpu_hours.gave_up;
    const std::string line = never_text(finish.never, gave_up, finish.runs, after);
    if (!line.empty()) text += wrapped(fmt::format("{}, {}.", which, line));
  };
  add("As given", result.as_given, drawn(result.uncertainty));
  if (result.enough) add("With what is enough", *result.enough, drawn(result.enough_uncertainty));
  if (result.best) add("With the best tried", *result.best, drawn(result.best_uncertainty));
  if (!text.empty())
    text += wrapped("Such a run counts as later than all others. Its cost is what it took until it ended.");
  return text;
}

std::string finish(const PlanResult& result, const ReportOptions& options) {
  std::string text = heading(options, "Finish of the work") + finish_table(result) + runs_never_done(result);
  if (drawn(result.uncertainty) != nullptr)
    text += wrapped(
        "These times include parameter uncertainty. In parentheses: 95% intervals of the scatter of draws "
        "and "
        "runs.");
  else if (!result.as_given.finish.ci95.empty())
    text += wrapped(fmt::format("In parentheses: 95% intervals, {}.", kIntervalCovers));
  if (result.start)
    text += wrapped(fmt::format("Dates count from the beginning of {}.", to_text(*result.start)));
  return text;
}

std::string uncertainty_sentence(const char* which, const Uncertainty& of, const PlanResult& result) {
  return wrapped(fmt::format("{}, {} of runs are done by {}: {}.", which,
                             share_text(of.share_by_date, of.share_ci95), deadline_text(result),
                             finish_text(of.finish, date_unit(result))));
}

std::string uncertainty(const PlanResult& result, const ReportOptions& options) {
  if (!result.uncertainty) return "";
  const Uncertainty& given = *result.uncertainty;
  std::string text =
      heading(options, fmt::format("Parameter uncertainty: {} {}, {}, {} per draw", given.parameters.size(),
                                   given.parameters.size() == 1 ? "parameter" : "parameters",
                                   counted(given.draws, "draw"), counted(given.replicas_each, "run")));
  if (given.draws == 0)
    return text + wrapped(
                      "No parameter is uncertain: the scenario has no rate that is a count, and no "
                      "study.uncertain.");
  if (result.finish_by_s) {
    text += uncertainty_sentence("As given", given, result);
    if (result.enough_uncertainty)
      text += uncertainty_sentence("With what is enough", *result.enough_uncertainty, result);
    text += wrapped(
        "These shares include the uncertainty of the parameters. Their intervals cover only the scatter of "
        "draws "
        "and runs.");
  }
  return text +
         wrapped(
             "The interval of a mean with parameter uncertainty contains the mean at the true parameters.") +
         uncertainty_table(given, result.facts.currency);
}

std::string sources(const PlanResult& result, const ReportOptions& options) {
  const Uncertainty* given = drawn(result.uncertainty);
  if (given == nullptr || (!given->finish_variance && given->finish.never == 0)) return "";
  const std::string title =
      heading(options, "Sources of uncertainty of the finish, as given, by share of its variance");
  if (!given->finish_variance)
    return title +
           wrapped(fmt::format("Unknown: {} of {} never complete the work, so the finish has no variance.",
                               count_text(static_cast<double>(given->finish.never)),
                               counted(static_cast<double>(given->finish.runs), "run")));
  std::string cut;
  for (const UncertainParameter& parameter : given->parameters)
    if (!parameter.cut.empty()) cut += wrapped(fmt::format("{}: {}.", parameter.path, parameter.cut));
  return title + source_table(*given) + cut +
         wrapped(
             "Shares of the variance of one run's finish, with 95% intervals of the scatter of draws and "
             "runs.");
}

std::string missed(const PlanResult& result) {
  if (!result.best) return result.interrupted ? "; interrupted before the requirements were known." : ".";
  const std::string text = "; no number of GPUs that was tried is enough",
                    gpus = counted(static_cast<double>(result.best->size.gpus), "GPU");
  if (!result.best_by_s)
    return text + fmt::format(": with {}, the best one, too many runs never finish.", gpus);
  const std::string nearest = time_text(*result.best_by_s);
  const double late = *result.best_by_s - *result.finish_by_s;
  if (late <= 0)
    return text + fmt::format(
                      " for certain: with {} it would be {}, which may be chance; run the plan again with "
                      "more --replicas.",
                      gpus, nearest);
  return text + fmt::format(". The nearest date is {}, {} later, with {}.", nearest, time_text(late), gpus);
}

/// "within 48.5 days", "by 2027-03-04 (48.5 days)".
std::string when_text(double at, const PlanResult& result) {
  if (!result.start) return "within " + time_text(at);
  return fmt::format("by {} ({})", to_text(day_after(*result.start, at)), time_text(at));
}

/// "within 60 days", "by 2027-03-15 (60 days)", "within 6.4 days (on 2027-01-21)".
std::string deadline(const PlanResult& result) {
  if (!result.start) return "within " + deadline_text(result);
  if (!has_last_day(result))
    return fmt::format("within {} (on {})", deadline_text(result),
                       to_text(day_after(*result.start, *result.finish_by_s)));
  return fmt::format("by {} ({})", deadline_text(result), time_text(*result.finish_by_s));
}

constexpr std::string_view kFewerThan90 = "and fewer than 90% ever do";

/// " As given, half of the runs finish by 2027-03-04, 90% by 2027-03-20.": of a plan with a start and parameter uncertainty.
std::string dates(const PlanResult& result) {
  const Uncertainty* given = drawn(result.uncertainty);
  if (given == nullptr || !result.start || !given->finish.at(50)) return "";
  const auto by = [&](double at) { return "by " + to_text(day_after(*result.start, at)); };
  const std::optional<double> most = given->finish.at(90);
  return fmt::format(" As given, half of the runs finish {}, {}.", by(*given->finish.at(50)),
                     most ? "90% " + by(*most) : std::string(kFewerThan90));
}

/// The answer to a plan without a date.
std::string when_line(const PlanResult& result) {
  if (result.as_given.finish.percentiles.empty() && result.replicas == 0)
    return "No run is complete, so there is no answer.";
  const Uncertainty* given = drawn(result.uncertainty);
  const FinishTimes& finish = given != nullptr ? given->finish : result.as_given.finish;
  const std::string plan = fmt::format("As given ({}),", size_text(result.as_given.size)),
                    work = tokens_text(result.tokens);
  const std::string_view kind = given != nullptr ? kWithParameters : "parameters as given";
  const std::optional<double> half = finish.at(50), most = finish.at(90);
  if (!half) return fmt::format("{} fewer than half of the runs finish {} ({}).", plan, work, kind);
  return fmt::format("{} half of the runs finish {} {}, {} ({}).", plan, work, when_text(*half, result),
                     most ? "90% " + when_text(*most, result) : std::string(kFewerThan90), kind);
}

}  // namespace

std::string answer_line(const PlanResult& result) {
  if (!result.finish_by_s) return when_line(result);
  const auto share_of = [](const PlanOutcome& of, const Uncertainty* unknown) {
    return unknown != nullptr ? share_text(unknown->share_by_date, unknown->share_ci95)
                              : share_text(of.by_date);
  };
  if (!result.as_given.by_date.value()) return "No run is complete, so there is no answer.";
  const Uncertainty *given = drawn(result.uncertainty), *enough = drawn(result.enough_uncertainty);
  const std::string kind =
      given != nullptr ? fmt::format("{}; 95% interval of that share over draws and runs", kWithParameters)
                       : fmt::format("95% interval, {}", kIntervalCovers);
  const std::string text =
      fmt::format("As given ({}), {} of runs finish {} {} ({}); the requirement is {:g}%",
                  size_text(result.as_given.size), share_of(result.as_given, given),
                  tokens_text(result.tokens), deadline(result), kind, 100 * result.confidence);
  if (!result.enough) return text + missed(result) + dates(result);
  const bool same = enough == nullptr && result.enough->size == result.as_given.size;
  const std::optional<Interval>& sure = enough != nullptr ? enough->share_ci95 : result.enough->by_date.ci95;
  const bool certain = sure && sure->low >= result.confidence;
  const std::string share = share_of(*result.enough, enough), sureness = certain ? "" : "probably ";
  if (result.too_few) {
    const std::uint32_t count = enough != nullptr ? enough->draws : result.enough->by_date.runs;
    const std::string of =
        enough != nullptr ? counted(count, "draw") + " of the parameters" : counted(count, "run");
    const std::string remedy = enough != nullptr ? ""
                                                 : fmt::format(" Run the plan again with --replicas {}.",
                                                               runs_that_show(result.confidence));
    return fmt::format("{}. Whether {} are enough is not known: {}; {} {} too few to show {:g}%.{}{}", text,
                       size_text(result.enough->size, result.as_given.size), share, of,
                       count == 1 ? "is" : "are", 100 * result.confidence, remedy, dates(result));
  }
  if (result.misses())
    return fmt::format("{}. The nearest that was found, {}, misses it in these runs: {}.{}", text,
                       size_text(result.enough->size, result.as_given.size), share, dates(result));
  if (same) return fmt::format("{}. This is the minimum that {}meets the date: {}.", text, sureness, share);
  return fmt::format("{}. {} would {}be enough: {}.{}", text,
                     size_text(result.enough->size, result.as_given.size), sureness, share, dates(result));
}

std::string text_report(const PlanResult& result, const ReportOptions& options) {
  const std::string answer = wrapped(answer_line(result));
  std::string text = headline(options, answer);
  if (result.interrupted) text += wrapped(std::string(kInterrupted));
  text += wrapped(fmt::format("{}; {}; seed {}; gauntlet {}. {}", result.facts.name, runs_text(result),
                              result.facts.seed, result.facts.version, what_intervals_cover(result)));
  text += fault_files_text(options);
  if (const std::string warning = replay_warning(result.facts); !warning.empty()) text += wrapped(warning);
  text += requirements(result, options) + finish(result, options) + one_more(result, options) +
          levers(result, options) + sources(result, options) + tornado(result, options) +
          uncertainty(result, options);
  if (!result.notes.empty()) text += heading(options, "Assumptions");
  for (const std::string& note : result.notes) text += wrapped(note);
  return text + reproduce_text(options);
}

}  // namespace gauntlet
