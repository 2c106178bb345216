#include "commands/plan/step_time.hpp"

#include "commands/plan/words.hpp"
#include "study/uncertainty/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet {
namespace {

/// "63.1% (55.0 to 70.2) of the variance of the finish"; empty where that is not known.
std::string share_of_factor(const Uncertainty& of) {
  if (!of.finish_variance) return "";
  for (std::size_t i = 0; i < of.parameters.size(); ++i)
    if (of.parameters[i].path == kStepTimeFactor) {
      const VarianceShare& share = of.finish_variance->unknowns[i];
      return share_text(share.value, share.ci95) + " of the variance of the finish";
    }
  return "";
}

}  // namespace

std::string step_time_note(const Scenario& scenario, const std::optional<Uncertainty>& uncertainty) {
  const bool drawn = uncertainty && uncertainty->draws > 0;
  if (scenario.world.job.step_time > Duration::zero()) {
    const auto& said = scenario.study.uncertain;
    const bool named = std::any_of(said.begin(), said.end(),
                                   [](const UncertainField& field) { return field.path == kStepTime; });
    return !uncertainty || named ? ""
                                 : "The step time is measured (job.step_time) and counts as exact: "
                                   "study.uncertain does not name it.";
  }
  if (!scenario.study.step_time_error)
    return "The step time is modelled and counts as exact (study.step_time_error = false).";
  const std::optional<StepTimeError> error = drawn_step_error(scenario);
  const auto& said = scenario.study.uncertain;
  if (uncertainty && std::any_of(said.begin(), said.end(),
                                 [](const UncertainField& field) { return field.path == kStepTime; }))
    return "The step time is modelled as given. With parameter uncertainty it is drawn as study.uncertain "
           "says of "
           "job.step_time, in place of the model.";
  if (!error) return "The step time is modelled. Its uncertainty is that of study.uncertain.";
  std::string text = "The step time is modelled. " + text_of(*error);
  if (!uncertainty) return text + " No interval of this report includes that; --uncertainty does.";
  text += fmt::format(" So {} is drawn", kStepTimeFactor);
  if (const std::string share = share_of_factor(*uncertainty); drawn && !share.empty())
    text += ", which causes " + share;
  return text + ". Give a measured step time as job.step_time, or a range of your own in study.uncertain.";
}

}  // namespace gauntlet
