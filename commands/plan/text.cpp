#include "commands/plan/text.hpp"

#include "commands/plan/table.hpp"
#include "commands/plan/words.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

std::string painted(const ReportOptions& options, const char* code, std::string_view text) {
  if (options.colour == Colour::never) return std::string(text) + "\n";
  return fmt::format("\x1b[{}m{}\x1b[0m\n", code, text);
}

std::string heading(const ReportOptions& options, std::string_view text) {
  return "\n" + painted(options, "36", text);
}

std::string what_it_takes(const PlanResult& result, const ReportOptions& options) {
  std::string text = heading(options, "What it takes") + size_table(result);
  if (const Uncertainty* given = drawn(result.uncertainty))
    text += wrapped(
        fmt::format("Times, shares and costs include parameter uncertainty, over {} runs of {} draws of the "
                    "parameters. The row \"parameters as given\" does not.",
                    count_text(static_cast<double>(given->runs())), given->draws));
  if (!result.enough) return text;
  const Uncertainty* enough = drawn(result.enough_uncertainty);
  if (enough != nullptr)
    text += wrapped(
        "Enough: the least GPUs that meet the date with parameter uncertainty, and of the rest a margin for "
        "it.");
  else
    text += wrapped(fmt::format(
        "Enough: each at the least that still meets the date, one after the other, GPUs first. Its column is "
        "of {} runs other than those that chose it.",
        count_text(result.enough->by_date.runs)));
  const std::optional<double> share =
      enough != nullptr ? enough->share_by_date : result.enough->by_date.value();
  if (share.value_or(1) < result.confidence)
    text += wrapped("These runs say that it is not: ask again with more --replicas.");
  return text;
}

std::string one_more(const PlanResult& result, const ReportOptions& options) {
  const bool priced = result.as_given.cost.mean.has_value();
  const auto than = [&](const char* what, const std::vector<Purchase>& bought) -> std::string {
    if (bought.empty()) return "";
    return heading(options, fmt::format("What one more than {} buys (95% intervals of paired runs, {})", what,
                                        kIntervalCovers)) +
           purchase_table(bought, priced);
  };
  return than("as given", result.one_more) + than("enough", result.enough_one_more);
}

std::string tornado(const PlanResult& result, const ReportOptions& options) {
  if (result.tornado.bars.empty()) return "";
  return heading(options,
                 fmt::format("What the {} as given hangs on: one parameter at a time at its 5% and 95% value",
                             result.tornado.target == "finish.p50" ? "median finish" : "ETTR")) +
         tornado_table(result.tornado) +
         wrapped(fmt::format("Changes over {} paired runs, {}.", count_text(result.tornado.replicas),
                             kIntervalCovers));
}

std::string uncertainty_sentence(const char* which, const Uncertainty& of, const PlanResult& result) {
  return wrapped(fmt::format("{}, {} of runs are done by {}: {}.", which,
                             share_text(of.share_by_date, of.share_ci95), time_text(result.finish_by_s),
                             finish_text(of.finish, date_unit(result))));
}

std::string uncertainty(const PlanResult& result, const ReportOptions& options) {
  if (!result.uncertainty) return "";
  const Uncertainty& given = *result.uncertainty;
  std::string text = heading(
      options, fmt::format("With parameter uncertainty: {} {}, drawn {} times, {} runs of each",
                           given.parameters.size(), given.parameters.size() == 1 ? "parameter" : "parameters",
                           given.draws, given.replicas_each));
  if (given.draws == 0)
    return text +
           wrapped("The scenario knows everything: it has no rate that is a count, and no study.uncertain.");
  text += uncertainty_sentence("As given", given, result);
  if (result.enough_uncertainty)
    text += uncertainty_sentence("With what is enough", *result.enough_uncertainty, result);
  return text +
         wrapped(
             "The parameters are in these shares; their intervals are of the draws and runs alone. An "
             "interval of a mean with parameter uncertainty is where the mean at the true parameters is.") +
         uncertainty_table(given);
}

std::string missed(const PlanResult& result) {
  if (!result.best) return result.interrupted ? "; interrupted before what it takes was known." : ".";
  const std::string text = "; no number of GPUs that was tried is enough",
                    gpus = counted(static_cast<double>(result.best->size.gpus), "GPU");
  if (!result.best_by_s) return text + fmt::format(": with {}, the best, so many never finish.", gpus);
  const std::string nearest = time_text(*result.best_by_s);
  const double late = *result.best_by_s - result.finish_by_s;
  if (late <= 0)
    return text +
           fmt::format(
               " for certain: with {} it would be {}, which may be luck; ask again with more --replicas.",
               gpus, nearest);
  return text + fmt::format(". The nearest date is {}, {} later, with {}.", nearest, time_text(late), gpus);
}

}  // namespace

std::string answer_line(const PlanResult& result) {
  const auto share_of = [](const PlanOutcome& of, const Uncertainty* unknown) {
    return unknown != nullptr ? share_text(unknown->share_by_date, unknown->share_ci95)
                              : share_text(of.by_date);
  };
  if (!result.as_given.by_date.value()) return "No run was done: there is nothing to say.";
  const Uncertainty *given = drawn(result.uncertainty), *enough = drawn(result.enough_uncertainty);
  const std::string kind =
      given != nullptr ? fmt::format("{}; 95% interval of that share, {}", kWithParameters, kIntervalCovers)
                       : fmt::format("95% interval, {}", kIntervalCovers);
  const std::string text =
      fmt::format("As given ({}), {} of runs finish {} within {} ({}); {:g}% asked",
                  size_text(result.as_given.size), share_of(result.as_given, given),
                  tokens_text(result.tokens), time_text(result.finish_by_s), kind, 100 * result.confidence);
  if (!result.enough) return text + missed(result);
  const bool same = enough == nullptr && result.enough->size == result.as_given.size;
  const std::optional<Interval>& sure = enough != nullptr ? enough->share_ci95 : result.enough->by_date.ci95;
  const bool certain = sure && sure->low >= result.confidence;
  return fmt::format("{}. {} would {}be enough: {}.", text,
                     same ? "Nothing less" : size_text(result.enough->size), certain ? "" : "probably ",
                     share_of(*result.enough, enough));
}

std::string text_report(const PlanResult& result, const ReportOptions& options) {
  const std::string answer = wrapped(answer_line(result));
  std::string text = painted(options, "1", std::string_view(answer).substr(0, answer.size() - 1));
  text += wrapped(
      fmt::format("{}; {} runs of each variant; seed {}; gauntlet {}. Intervals are 95%, {} unless they "
                  "say otherwise: the scenario's rates and times are taken as known.",
                  result.facts.name, count_text(result.replicas), result.facts.seed, result.facts.version,
                  kIntervalCovers));
  text += fault_files_text(options);
  if (const std::string warning = replay_warning(result.facts); !warning.empty()) text += wrapped(warning);
  text += what_it_takes(result, options) + one_more(result, options) + tornado(result, options) +
          uncertainty(result, options);
  if (!result.notes.empty()) text += heading(options, "Taken for granted");
  for (const std::string& note : result.notes) text += wrapped(note);
  if (!options.command.empty()) text += "\nAgain: " + options.command + "\n";
  return text;
}

}  // namespace gauntlet
