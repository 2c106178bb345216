#include "cli/drill/page.hpp"

#include "report/sections/summary_page.hpp"
#include "report/text.hpp"
#include "score/score.hpp"
#include "shell/assumptions.hpp"
#include "study/replica.hpp"

#include <utility>

namespace gauntlet {
namespace {

/// Scored again, in parts of its wall time.
ShownRun shown_run(const DrillTask& task, const MeasuredDrill& drill) {
  ShownRun shown{.why = "What the ranks did, on real processes.", .bucket = bucket_for(drill.figures.wall)};
  ScoreFacts facts = score_facts(task.scenario.world);
  facts.bucket = shown.bucket;
  const DrillResult& result = drill.result;
  score(facts, result.logs.truth, result.logs.progress, result.record, shown.figures);
  shown.spares = spares_in_use(result.record);
  return shown;
}

}  // namespace

Page page_of(const DrillTask& task, const MeasuredDrill& drill) {
  const ReportOptions options = {.command = command_of(task.request, task.seed())};
  Page page = summary_page(drill.summary, "gauntlet drill", options);
  LossGrid losses;
  losses.add(drill.figures);
  page.sections = {lost_time_section(drill.summary, losses)};
  page.sections.push_back(drill.figures.wall > Duration::zero()
                              ? over_time_section(drill.summary.facts, shown_run(task, drill))
                              : section_without("One run over time", "No time has passed."));
  page.sections.push_back(detection_section(drill.summary));
  page.sections.push_back(cost_section(drill.summary));
  if (!drill.sections.empty()) {
    Section machines{.heading = "Ranks, hosts and clocks"};
    machines.add(
        Verbatim{.text = drill.sections.substr(drill.sections.find_first_not_of('\n')), .wraps = true});
    page.sections.push_back(std::move(machines));
  }
  Section distribution{.heading = "Distribution over drills"};
  distribution.add(Paragraph{
      "One drill has no distribution: `--repeat N --vary-seed` drills again and compares with simulations."});
  page.sections.push_back(std::move(distribution));
  page.sections.push_back(assumptions_section(task.resolved.tree, task.resolved.annotated));
  page.sections.push_back(
      text_section(text_report(drill.summary, {.command = "", .colour = Colour::never}) + drill.sections));
  return page;
}

}  // namespace gauntlet
