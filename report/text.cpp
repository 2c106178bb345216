#include "report/text.hpp"

#include "report/advice.hpp"
#include "report/detection_table.hpp"
#include "report/gave_up.hpp"
#include "report/losses.hpp"
#include "report/metric_unit.hpp"
#include "report/style.hpp"
#include "report/tails.hpp"
#include "report/units.hpp"
#include "report/words.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kCauses = 12;  // as many are listed; the rest is summed up
constexpr double kSecondsPerHour = 3600;

class TextPage {
 public:
  explicit TextPage(Colour colour) : colour_(colour) {}

  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    std::string text = fmt::format(form, std::forward<Args>(args)...);
    text.erase(text.find_last_not_of(' ') + 1);
    text_ += text + '\n';
  }
  void gap() { text_ += '\n'; }
  /// Lines that are complete.
  void text(const std::string& lines) { text_ += lines; }
  void bold(const std::string& text) { line("{}", styled(colour_, Style::bold, text)); }
  void heading(const std::string& text) { line("{}", styled(colour_, Style::heading, text)); }
  /// Words over as many lines as they need.
  void paragraph(const std::string& text) {
    if (!text.empty()) text_ += wrapped(text);
  }
  std::string done() { return std::move(text_); }

 private:
  Colour colour_;
  std::string text_;
};

std::string interval(const Statistics& of, const Unit& unit) {
  return of.ci95 && of.sd != 0 ? "+- " + unit.number(half_width(of.ci95)) : "";
}

// How far single runs scatter; nothing where they do not, or where there are too few to say.
std::string scatter(const Statistics& of, const Unit& unit) {
  if (of.n < kFewestForInterval || (of.sd == 0 && of.gave_up == 0)) return "";
  const std::string none = of.gave_up > 0 ? "gave up" : "";
  if (!of.p5) return none;
  return of.p95         ? fmt::format("{} to {}", unit.number(*of.p5), unit.number(*of.p95))
         : none.empty() ? ""
                        : fmt::format("{} to {}", unit.number(*of.p5), none);
}

std::string note_on(const Summary& summary, const Statistics& of, std::string note) {
  if (of.n == summary.replicas) return note;
  return fmt::format("{}{}in {} of {} replicas", note, note.empty() ? "" : "; ", of.n, summary.replicas);
}

void figure(TextPage& page, const Summary& summary, const char* label, const char* metric,
            const std::function<Unit(double)>& unit_for, const std::string& note = {}) {
  const Statistics* of = summary.find(metric);
  if (of == nullptr) return;
  if (!of->mean) {
    page.line("  {:<22}{:>10}", label, "unknown");
    return;
  }
  const Unit unit = unit_for(*of->mean).fine_enough_for(half_width(of->ci95));
  page.line("  {:<22}{:>10} {:<11}{:<10} {:<20} {}", label, unit.number(*of->mean), unit.name,
            interval(*of, unit), scatter(*of, unit), note_on(summary, *of, note));
}

Unit as_percent(double) { return percent(); }
Unit as_count(double) { return {.divisor = 1, .name = "", .decimals = 1}; }
Unit as_tokens(double value) { return amount_unit(value, "tokens/s"); }
// Written out up to a hundred million; small ones with two digits that count.
Unit as_gpu_hours(double value) {
  if (value >= 1e8) return amount_unit(value, "");
  return Unit{.divisor = 1, .name = "", .decimals = value >= 1000 ? 0 : 1}.fine_enough_for(value / 20);
}

// How many of the runs something happened in: a run's own value is 0 or 1, so there is no scatter to show. The interval is not
// symmetric, so both of its ends are shown.
void share_of_runs(TextPage& page, const Summary& summary, const char* label, const char* metric) {
  const Statistics* of = summary.find(metric);
  if (of == nullptr || !of->mean) return;
  const Unit unit = percent().fine_enough_for(half_width(of->ci95));
  const std::string ends =
      of->ci95 ? fmt::format("{} to {}", unit.number(of->ci95->low), unit.number(of->ci95->high)) : "";
  page.line("  {:<22}{:>10} {:<11}{:<32}{}", label, unit.number(*of->mean), unit.name, ends, "of the runs");
}

void training(TextPage& page, const Summary& summary) {
  if (summary.replicas < kFewestForInterval) {
    page.heading(fmt::format("{:<24}{:>10}", "Training", summary.replicas == 1 ? "" : "mean"));
  } else {
    page.heading(
        fmt::format("{:<24}{:>10} {:<11}{:<11}{}", "Training", "mean", "", "(95%)", "5% to 95% of runs"));
  }
  figure(page, summary, "ETTR", "ettr", as_percent);
  figure(page, summary, "training rate", "training_rate", as_percent);
  figure(page, summary, "goodput", "goodput_tokens_per_s", as_tokens);
  figure(page, summary, "MFU", "mfu", as_percent);
  figure(page, summary, "wall time", "wall_time_s", time_unit);
  if (summary.mean("effective_corrupt_s").value_or(0) > 0)
    figure(page, summary, "corrupted training", "effective_corrupt_s", time_unit, "effective, but wrong");
}

void faults(TextPage& page, const Summary& summary) {
  page.heading("Faults per run");
  const double planned = summary.mean("planned_stops").value_or(0);
  figure(page, summary, "interruptions", "interruptions", as_count,
         planned > 0 ? as_count(planned).number(planned) + " of them planned" : "");
  if (summary.mean("preemptions").value_or(0) > 0)
    figure(page, summary, "preemptions", "preemptions", as_count, "for jobs of higher priority");
  figure(page, summary, "MTTF", "mttf_s", time_unit);
  figure(page, summary, "detection latency", "detection_latency_s", time_unit);
  figure(page, summary, "false alarms", "false_alarms", as_count);
  if (summary.mean("false_alerts").value_or(0) > 0)
    figure(page, summary, "false alerts", "false_alerts", as_count, "to a person");
  if (!summary.mean("handled_share")) return;
  figure(page, summary, "handled automatically", "handled_share", as_percent);
  figure(page, summary, "detection + diagnosis", "detection_and_diagnosis_s", time_unit);
}

// What something cost, for behind its count; empty where it cost nothing.
std::string cost_note(const Summary& summary, const char* metric) {
  const double seconds = summary.mean(metric).value_or(0);
  return seconds > 0 ? "cost " + time_text(seconds) : "";
}

void decisions(TextPage& page, const Summary& summary) {
  page.heading("Decisions per run");
  figure(page, summary, "correct evictions", "evictions.right", as_count);
  figure(page, summary, "wrong evictions", "evictions.wrong", as_count,
         cost_note(summary, "wrong_evictions_cost_s"));
  figure(page, summary, "missed faults", "missed_faults", as_count, cost_note(summary, "missed_cost_s"));
  figure(page, summary, "escalations", "asked", as_count, "to a person");
  figure(page, summary, "max spares in use", "spares.max_in_use", as_count,
         fmt::format("of {}", count_text(summary.facts.spares)));
  share_of_runs(page, summary, "waited for a spare", "spares.waited");
  if (summary.mean("replicas.shrunk").value_or(0) == 0) return;
  figure(page, summary, "smaller restarts", "replicas.shrunk", as_count);
  figure(page, summary, "min replicas", "replicas.fewest", as_count);
}

void cost(TextPage& page, const Summary& summary) {
  page.heading("Cost per run");
  figure(page, summary, "GPU-hours", "gpu_hours", as_gpu_hours, "spares included");
  const Statistics* price = summary.find("cost");
  if (!price || !price->mean) return;
  for (const auto& [label, metric] : {std::pair{"cost", "cost"},
                                      {"cost of lost time", "cost.lost"},
                                      {"per effective GPU-hour", "cost.per_effective_gpu_hour"}})
    figure(page, summary, label, metric,
           [&, &name = metric](double value) { return metric_unit(name, value, summary.facts.currency); });
}

void tails(TextPage& page, const Summary& summary) {
  std::vector<TailRow> rows;
  add_tails(rows, summary, "ettr", "ETTR");
  add_tails(rows, summary, "wall_time_s", "wall time");
  add_tails(rows, summary, "cost", "cost");
  if (rows.empty()) return;
  page.gap();
  page.text(tails_table(rows));
}

// Hours, unless the largest loss is under two of them.
Unit loss_unit(double largest) {
  const Unit unit = time_unit(largest);
  return unit.name == "days" ? Unit{.divisor = kSecondsPerHour, .name = "h", .decimals = 1} : unit;
}

void loss_table(TextPage& page, const std::vector<Loss>& losses, const char* what, const Unit& unit,
                double wall) {
  const bool times =
      std::any_of(losses.begin(), losses.end(), [](const Loss& loss) { return loss.times.has_value(); });
  page.line("  {:<28}{:>9}{:>9}  {:<26}{:>10}", what, unit.name, "of wall", "", times ? "times" : "");
  const double largest = losses.empty() ? 0 : losses.front().seconds;
  double rest = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const Loss& loss = losses[i];
    if (i >= kCauses) {
      rest += loss.seconds;
      continue;
    }
    const auto bar = static_cast<std::size_t>(std::round(24 * loss.seconds / largest));
    page.line("  {:<28}{:>9}{:>8}%  {:<26}{:>10}", loss.name, unit.number(loss.seconds),
              percent().number(loss.seconds / wall), std::string(bar, '#'),
              loss.times ? as_count(0).number(*loss.times) : "");
  }
  if (rest > 0)
    page.line("  {:<28}{:>9}{:>8}%", fmt::format("{} more", losses.size() - kCauses), unit.number(rest),
              percent().number(rest / wall));
}

void losses(TextPage& page, const Summary& summary) {
  const double wall = summary.mean("wall_time_s").value_or(0);
  const std::vector<Loss> phases = losses_by_phase(summary);
  if (phases.empty() || !(wall > 0)) return;
  page.gap();
  page.heading("Lost time per run");
  const Unit unit = loss_unit(phases.front().seconds);
  loss_table(page, phases, "by phase", unit, wall);
  page.gap();
  loss_table(page, losses_by_cause(summary), "by cause", unit, wall);
}

void detection(TextPage& page, const Summary& summary) {
  const std::string table = detection_table(summary);
  if (table.empty()) return;
  page.gap();
  page.heading("Detection per run, by fault kind");
  page.text(table);
}

std::string setting(const ScenarioFacts& facts) {
  const auto hosts = [](std::uint32_t count, const char* kind) {
    return fmt::format("{}{} host{}", count_text(count), kind, count == 1 ? "" : "s");
  };
  return fmt::format("{} GPUs in {}, {}; seed {}; gauntlet {}.", count_text(facts.gpus),
                     hosts(facts.hosts, ""), hosts(facts.spares, " spare"), facts.seed, facts.version);
}

/// To two digits: more would be chance.
std::string rounded_count(double value) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(value)) - 1));
  return count_text(std::round(value / unit) * unit);
}

std::string replicas_text(const Summary& summary) {
  if (summary.interrupted) {
    Summary whole = summary;
    whole.interrupted = false;
    return replicas_text(whole) + ", interrupted";
  }
  if (summary.only) return fmt::format("replica {} alone, so no interval", *summary.only);
  if (summary.replicas == 1) return "one replica, so no interval";
  if (summary.replicas < kFewestForInterval)
    return fmt::format("{} replicas, too few for an interval", summary.replicas);
  const Statistics* ettr = summary.find("ettr");
  std::optional<double> worth = ettr != nullptr ? plain_replicas(summary, *ettr) : std::nullopt;
  constexpr double kWorthTelling = 1.1;
  if (worth && *worth < kWorthTelling * summary.replicas) worth.reset();
  return fmt::format("95% interval, {}, {} replicas{}", kIntervalCovers, count_text(summary.replicas),
                     worth ? fmt::format(", worth {} plain ones", rounded_count(*worth)) : "");
}

// The time that no fault cost: training, the first start, checkpoints, evaluations, planned stops.
double without_faults(const Summary& summary, double wall) {
  const std::vector<std::string> causes = cause_names(summary.facts);
  for (std::uint32_t cause = 0; cause < causes.size(); ++cause)
    if (cause != kCauseStart.value && cause != kCausePlanned.value && cause != kCauseCheckpoint.value &&
        cause != kCauseEvaluation.value && cause != kCausePreempted.value)
      wall -= summary.mean("lost_s.by_cause." + causes[cause]).value_or(0);
  return wall;
}

// When the work is done, or how much of it is done in the window: what a plan is made of.
std::string plan_text(const Summary& summary) {
  const ScenarioFacts& facts = summary.facts;
  const Statistics* wall = summary.find("wall_time_s");
  const std::optional<double> steps = summary.mean("steps"), ettr = summary.mean("ettr");
  if (wall == nullptr || !wall->mean || !steps || !ettr) return "";
  // A drill that was stopped or interrupted has fewer; so has a run that gave up.
  const bool all_steps = facts.steps > 0 && *steps >= static_cast<double>(facts.steps);
  if (all_steps && facts.window == Duration::zero() && runs_that_gave_up(summary) == 0) {
    std::string text =
        fmt::format("{} {} in {} (without faults: {})", counted(static_cast<double>(facts.steps), "step"),
                    facts.steps == 1 ? "finishes" : "finish", time_text(*wall->mean),
                    time_text(without_faults(summary, *wall->mean)));
    if (wall->n >= kFewestForInterval && wall->p50 && wall->p95)
      text += fmt::format("; half of the runs within {}, 95% within {}", time_text(*wall->p50),
                          time_text(*wall->p95));
    return text + ".";
  }
  const Unit tokens = amount_unit(*steps * facts.tokens_per_step, "tokens");
  const std::string goal =
      facts.steps > 0 ? fmt::format(" of {}", count_text(static_cast<double>(facts.steps))) : "";
  return fmt::format("Completed work: {}{} steps, {} {}, {} of effective training.", count_text(*steps), goal,
                     tokens.number(*steps * facts.tokens_per_step), tokens.name,
                     time_text(*ettr * *wall->mean));
}

}  // namespace

std::string answer_line(const Summary& summary) {
  const Statistics* ettr = summary.find("ettr");
  const std::optional<double> wall = summary.mean("wall_time_s");
  if (ettr == nullptr || !ettr->mean || !wall)
    return fmt::format("{}: no time has passed, so there is no answer.", summary.facts.name);
  const Unit unit = percent().fine_enough_for(half_width(ettr->ci95));
  const std::string give_or_take = interval(*ettr, unit);
  return fmt::format("{}: effective training time was {}%{}{} of {} (ETTR; {}).", summary.facts.name,
                     unit.number(*ettr->mean), give_or_take.empty() ? "" : " ", give_or_take,
                     time_text(*wall), replicas_text(summary));
}

std::vector<std::string> setting_lines(const Summary& summary, const ReportOptions& options) {
  std::vector<std::string> lines = {plan_text(summary), summary.facts.question, setting(summary.facts)};
  for (const std::string& line : options.faults) lines.push_back(line + ".");
  lines.insert(lines.end(), options.notes.begin(), options.notes.end());
  if (const std::string missed = missed_by_few(summary.facts, summary.replicas); !missed.empty())
    lines.push_back(missed + ".");
  if (summary.replicas >= kFewestForInterval) lines.push_back(replay_warning(summary.facts));
  std::erase(lines, "");
  return lines;
}

std::string text_report(const Summary& summary, const ReportOptions& options) {
  TextPage page(options.colour);
  page.bold(answer_line(summary));
  if (const std::string line = gave_up_line(summary); !line.empty()) {
    page.bold(line);
    page.paragraph(gave_up_reason(summary));
  }
  for (const std::string& line : setting_lines(summary, options)) page.paragraph(line);
  if (const std::string why = why_text(summary); !why.empty()) {
    page.gap();
    page.paragraph(why);
  }
  page.gap();
  training(page, summary);
  faults(page, summary);
  decisions(page, summary);
  cost(page, summary);
  tails(page, summary);
  losses(page, summary);
  detection(page, summary);
  page.gap();
  if (!options.command.empty()) page.line("Reproduce with: {}", options.command);
  if (const std::string next = next_text(summary); !next.empty()) page.line("Try next: {}", next);
  return page.done();
}

}  // namespace gauntlet
