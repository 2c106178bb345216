// gauntlet validate: the models against what others measured, worked out or simulated.
#include "commands/validate/command.hpp"

#include "commands/validate/coverage/coverage.hpp"
#include "commands/validate/coverage/text.hpp"
#include "commands/validate/policies/text.hpp"
#include "commands/validate/policies/validate_policies.hpp"
#include "commands/validate/step/text.hpp"
#include "commands/validate/step/validate.hpp"
#include "config/fields/scenario_parts.hpp"
#include "report/units.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/interrupt.hpp"
#include "shell/progress.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace gauntlet {
namespace {

struct ValidateStepRequest {
  std::string data;  // a table of published steps; empty: that of the project
  bool fit = false;  // find the constants again, too
  bool json = false;
};

struct ValidatePoliciesRequest {
  std::uint64_t seed = 1;
  bool quick = false;  // as few replicas as the tests run
  std::string only;    // checks whose subject holds this; empty: all
  std::uint32_t threads = default_threads();
  bool quiet = false;
  bool json = false;
};

struct ValidateCoverageRequest {
  std::uint64_t seed = 1;
  std::uint32_t replicas = 20, repetitions = 400;
  std::string only;  // scenarios whose name holds this; empty: all
  std::uint32_t threads = default_threads();
  bool markdown = false;
  bool quiet = false;
  bool json = false;
};

int validate_step_command(const ValidateStepRequest& request) {
  const Validated validated = validate_steps({.file = request.data, .fit = request.fit});
  if (!validated.result) return wrong_input(validated.problems);
  const StepValidation& result = *validated.result;
  const std::string command =
      CommandLine("gauntlet validate step").flag("--fit", request.fit).option("--data", request.data).text();
  const std::string report = text_report(result, {.command = command, .colour = colour_of_output()});
  const std::string json = to_json(result);
  const bool printed = print_answer({.report = report, .json = json}, request.json);
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
  const std::string command = CommandLine("gauntlet validate policies")
                                  .number("--seed", std::optional(request.seed))
                                  .flag("--quick", request.quick)
                                  .option("--only", request.only)
                                  .text();
  const std::string report = text_report(result, {.command = command, .colour = colour_of_output()});
  const std::string json = to_json(result);
  const bool printed = print_answer({.report = report, .json = json}, request.json);
  if (result.interrupted) return kSignalBase + interrupting_signal();
  return printed && result.holds() ? kSuccess : kFailed;
}

int validate_coverage_command(const ValidateCoverageRequest& request) {
  const double all = static_cast<double>(request.replicas) * request.repetitions;
  if (all > kMostReplicas) {
    complain(fmt::format("--replicas times --repetitions makes {} replicas of a scenario; {} at most",
                         count_text(all), count_text(kMostReplicas)));
    return kWrongInput;
  }
  std::optional<Progress> progress;
  if (!request.quiet && shows_progress()) progress.emplace();
  CoverageQuestion question{.seed = request.seed,
                            .replicas = request.replicas,
                            .repetitions = request.repetitions,
                            .only = request.only,
                            .threads = request.threads,
                            .stop = &stop_on_interrupt()};
  if (progress)
    question.progress = [&](std::uint32_t done, std::uint64_t left) { progress->add(done, left); };
  const CoverageResult result = cover(question);
  progress.reset();
  if (result.scenarios.empty() && !result.interrupted) {
    complain(fmt::format("no shipped scenario has \"{}\" in its name", request.only));
    return kWrongInput;
  }
  const std::string command = CommandLine("gauntlet validate coverage")
                                  .number("--seed", std::optional(request.seed))
                                  .number("--replicas", std::optional(request.replicas))
                                  .number("--repetitions", std::optional(request.repetitions))
                                  .option("--only", request.only)
                                  .text();
  const std::string report = request.markdown
                                 ? markdown(result)
                                 : text_report(result, {.command = command, .colour = colour_of_output()});
  const bool printed = print_answer({.report = report, .json = to_json(result)}, request.json);
  if (result.interrupted) return kSignalBase + interrupting_signal();
  return printed && result.holds() ? kSuccess : kFailed;
}

void add_validate_coverage(Command& validate) {
  const auto request = std::make_shared<ValidateCoverageRequest>();
  Command coverage = validate.subcommand(
      "coverage",
      "Count how often the 95% intervals of the shipped scenarios hold the true value, also those of plan "
      "--uncertainty",
      "  gauntlet validate coverage\n"
      "  gauntlet validate coverage --only tiny-8 --replicas 100\n"
      "  gauntlet validate coverage --markdown");
  coverage.value("--seed", request->seed, "Seed of all randomness")
      .type_name("S")
      .between(std::uint64_t{0}, kLargestSeed)
      .shows_default();
  coverage.value("--replicas", request->replicas, "Replicas of a repetition")
      .type_name("N")
      .between(std::uint32_t{5}, std::uint32_t{10'000})
      .shows_default();
  coverage
      .value("--repetitions", request->repetitions,
             "Repetitions, each with replicas of its own; a tenth as many of plan --uncertainty")
      .type_name("N")
      .between(kFewestJudged, std::uint32_t{10'000})
      .shows_default();
  coverage.value("--only", request->only, "Only scenarios with this text in their name").type_name("TEXT");
  coverage.flag("--markdown", request->markdown, "Print the table as docs/validation.md has it");
  add_threads(coverage, request->threads, "Threads; the results do not depend on them");
  add_quiet(coverage, request->quiet);
  add_json(coverage, request->json);
  coverage.runs([request] { return validate_coverage_command(*request); });
}

void add_validate_step(Command& validate) {
  const auto request = std::make_shared<ValidateStepRequest>();
  Command step = validate.subcommand("step", "Compare the step model with published step times",
                                     "  gauntlet validate step\n"
                                     "  gauntlet validate step --json > validation.json\n"
                                     "  gauntlet validate step --data models/calibration/published.csv");
  step.value("--data", request->data, "Use these rows instead of models/calibration/published.csv")
      .type_name("FILE");
  step.flag("--fit", request->fit, "Also fit the constants of every software stack again");
  add_json(step, request->json);
  step.runs([request] { return validate_step_command(*request); });
}

void add_validate_policies(Command& validate) {
  const auto request = std::make_shared<ValidatePoliciesRequest>();
  Command policies = validate.subcommand(
      "policies", "Compare policies and simulator with closed forms and with other simulators",
      "  gauntlet validate policies\n"
      "  gauntlet validate policies --quick --seed 3\n"
      "  gauntlet validate policies --only spares --json > spares.json");
  policies.value("--seed", request->seed, "Seed of all randomness")
      .type_name("S")
      .between(std::uint64_t{0}, kLargestSeed)
      .shows_default();
  policies.flag("--quick", request->quick, "Run as few replicas as the tests: seconds, not minutes");
  policies.value("--only", request->only, "Only checks with this text in their name: spares, crosscheck, ...")
      .type_name("TEXT");
  add_threads(policies, request->threads, "Threads; the results do not depend on them");
  add_quiet(policies, request->quiet);
  add_json(policies, request->json);
  policies.runs([request] { return validate_policies_command(*request); });
}

void add_validate_options(Command& validate) {
  validate.requires_subcommand();
  add_validate_step(validate);
  add_validate_policies(validate);
  add_validate_coverage(validate);
}

}  // namespace

void add_validate(Program& program) {
  program.command("validate",
                  "Compare the models with published measurements, closed forms and other simulators",
                  "  gauntlet validate step\n"
                  "  gauntlet validate policies\n"
                  "  gauntlet validate coverage",
                  add_validate_options);
}

}  // namespace gauntlet
