// gauntlet validate: the models against what others measured, worked out or simulated.
#include "study/validate.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/shell.hpp"
#include "cli/terminal.hpp"
#include "report/policy_validation_text.hpp"
#include "report/validation_text.hpp"
#include "study/validate_policies.hpp"

#include <fmt/format.h>

#include <optional>

namespace gauntlet {

int validate_step_command(const ValidateStepRequest& request) {
  const Validated validated = validate_steps({.file = request.data, .fit = request.fit});
  if (!validated.result) {
    print_problems(validated.problems);
    return kWrongInput;
  }
  const StepValidation& result = *validated.result;
  std::string command = "gauntlet validate step";
  if (request.fit) command += " --fit";
  if (!request.data.empty()) command += " --data " + shell_word(request.data);
  const bool printed =
      print(request.json ? to_json(result)
                         : text_report(result, {.command = command, .colour = colour_of_output()}));
  return printed && result.holds() ? kSuccess : kFailed;
}

int validate_policies_command(const ValidatePoliciesRequest& request) {
  std::optional<Progress> progress;
  if (!request.quiet && shows_progress()) progress.emplace();
  PolicyQuestion question{.seed = request.seed,
                          .quick = request.quick,
                          .only = request.only,
                          .threads = request.threads,
                          .stop = &stop_on_interrupt()};
  if (progress)
    question.progress = [&](std::uint32_t done, std::uint64_t left) { progress->add(done, left); };
  const PolicyValidation result = validate_policies(question);
  progress.reset();
  if (result.checks.empty() && !result.interrupted) {
    complain(
        fmt::format("no check has \"{}\" in its name; \"gauntlet validate policies --quick\" shows the names",
                    request.only));
    return kWrongInput;
  }
  std::string command = fmt::format("gauntlet validate policies --seed {}", request.seed);
  if (request.quick) command += " --quick";
  if (!request.only.empty()) command += " --only " + shell_word(request.only);
  const bool printed =
      print(request.json ? to_json(result)
                         : text_report(result, {.command = command, .colour = colour_of_output()}));
  if (result.interrupted) return kSignalBase + interrupting_signal();
  return printed && result.holds() ? kSuccess : kFailed;
}

}  // namespace gauntlet
