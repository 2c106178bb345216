#include "cli/drill_sections.hpp"

#include "cli/clock_section.hpp"
#include "report/step_times.hpp"

namespace gauntlet {
namespace {

/// The damaged checkpoints of a drill. The figures do not show them: a lost checkpoint appears only as recomputed steps.
std::string checkpoint_section(const DrillResult& result) {
  if (result.checkpoint_warnings.empty()) return "";
  std::string text = "\nCheckpoints\n";
  for (const std::string& warning : result.checkpoint_warnings) text += "  warning: " + warning + "\n";
  return text;
}

/// Faults that the plan has and the truth has not.
std::string missed_section(const DrillResult& result) {
  if (result.missed_faults.empty()) return "";
  std::string text = "\nFaults that were not injected\n";
  for (const std::string& fault : result.missed_faults) text += "  " + fault + "\n";
  return text;
}

/// Who took part in the drill by `gauntlet ctl`, and why. The figures show what became of it.
std::string operator_section(const DrillResult& result) {
  if (result.operator_actions.empty()) return "";
  std::string text = "\nOperators\n";
  for (const std::string& action : result.operator_actions) text += "  " + action + "\n";
  return text;
}

/// What became of evicted hosts where the drill ran.
std::string host_section(const DrillResult& result) {
  if (result.host_remarks.empty()) return "";
  std::string text = "\nHosts\n";
  for (const std::string& remark : result.host_remarks) text += "  " + remark + "\n";
  return text;
}

}  // namespace

std::string drill_sections(const DrillResult& result, const PolicyConstants& policies) {
  const std::string failed = text_of(result.failed_ranks);
  return (failed.empty() ? "" : "\n" + failed) + checkpoint_section(result) + missed_section(result) +
         operator_section(result) + host_section(result) +
         step_times_section(undisturbed_steps(result.logs.progress, result.logs.truth),
                            policies.detection.mfu.lasting) +
         clock_section(result.clock_accuracy);
}

}  // namespace gauntlet
