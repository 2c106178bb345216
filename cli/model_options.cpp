// The options of the commands that ask the models alone: step, topology, validate.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace gauntlet {

void add_step(CLI::App& app, StepRequest& request, int& exit_code) {
  CLI::App* step = add(app, "step", "Show how long one training step takes, and where its time goes",
                       "  gauntlet step megascale-175b-12288\n"
                       "  gauntlet step megascale-175b-12288 --degrade host:17.slow=1.10 \\\n"
                       "      --trace step.json --heatmap step.svg");
  add_scenario(*step, request.scenario);
  add_sets(*step, request.sets);
  step->add_option("--degrade", request.degrade,
                   "Make a part slower (can be repeated): host:17.slow=1.10, host:17.slow.forward=1.10, "
                   "host:17.gpu:3.slow=2, host:17.stall=2s, host:17.nic:2.degrade=4, "
                   "host:17.nic:2.degrade=lost, tor:3.degrade=2, jitter=0.02")
      ->type_name("COMPONENT.WHAT=VALUE")
      ->allow_extra_args(false);
  step->add_option("--network", request.network,
                   "The network model (default: closed-form, or max-min where switches are oversubscribed, "
                   "hashes collide or other traffic is present)")
      ->check(CLI::IsMember(step_networks()));
  step->add_option("--ecmp", request.ecmp, "How switches choose among equal paths (max-min, simgrid)")
      ->check(CLI::IsMember({"spread", "hashed"}))
      ->capture_default_str();
  step->add_option("--beside", request.beside,
                   "A transfer of another job on the same fabric; can be repeated (max-min)")
      ->type_name("host:A-host:B")
      ->allow_extra_args(false);
  step->add_option("--storm", request.storm,
                   "A restore from storage at this host to all hosts of the job (max-min)")
      ->type_name("host:A")
      ->allow_extra_args(false);
  step->add_option("--trace", request.trace, "Write a time line here, for https://ui.perfetto.dev")
      ->type_name("FILE");
  step->add_option("--heatmap", request.heatmap, "Write a map of which stage waits for which here, as SVG")
      ->type_name("FILE");
  step->add_flag("--json", request.json, "Print the result as JSON, and nothing else");
  step->callback([&] { exit_code = step_command(request); });
}

void add_topology(CLI::App& app, TopologyRequest& request, int& exit_code) {
  CLI::App* topology = add(
      app, "topology", "Show the network of a scenario's cluster: switches, bandwidths, what fails together",
      "  gauntlet topology megascale-175b-12288\n"
      "  gauntlet topology tiny-8 --set cluster.network.kind=clos\n"
      "  gauntlet topology llama3-405b-54d --dot | dot -Tsvg > network.svg");
  add_scenario(*topology, request.scenario);
  add_sets(*topology, request.sets);
  topology->add_flag("--dot", request.dot, "Print the graph for Graphviz; equal parts are drawn as one");
  topology->callback([&] { exit_code = topology_command(request); });
}

namespace {

void add_validate_step(CLI::App& validate, ValidateStepRequest& request, int& exit_code) {
  CLI::App* step = add(validate, "step", "Compare the step model with published step times",
                       "  gauntlet validate step\n"
                       "  gauntlet validate step --json > validation.json\n"
                       "  gauntlet validate step --data models/calibration/published.csv");
  step->add_option("--data", request.data, "Use these rows instead of models/calibration/published.csv")
      ->type_name("FILE");
  step->add_flag("--fit", request.fit, "Also fit the constants of every software stack again");
  step->add_flag("--json", request.json, "Print the result as JSON, and nothing else");
  step->callback([&] { exit_code = validate_step_command(request); });
}

void add_validate_policies(CLI::App& validate, ValidatePoliciesRequest& request, int& exit_code) {
  CLI::App* policies =
      add(validate, "policies", "Compare policies and simulator with closed forms and with other simulators",
          "  gauntlet validate policies\n"
          "  gauntlet validate policies --quick --seed 3\n"
          "  gauntlet validate policies --only spares --json > spares.json");
  policies->add_option("--seed", request.seed, "Seed of all randomness")
      ->type_name("S")
      ->check(CLI::Range(std::uint64_t{0}, kLargestSeed))
      ->capture_default_str();
  policies->add_flag("--quick", request.quick, "Run as few replicas as the tests: seconds, not minutes");
  policies
      ->add_option("--only", request.only,
                   "Only checks with this text in their name: spares, crosscheck, ...")
      ->type_name("TEXT");
  policies->add_option("--threads", request.threads, "Threads; the results do not depend on them")
      ->type_name("T")
      ->check(CLI::Range(1U, kMostThreads))
      ->capture_default_str();
  policies->add_flag("--quiet", request.quiet, "Show no progress");
  policies->add_flag("--json", request.json, "Print the result as JSON, and nothing else");
  policies->callback([&] { exit_code = validate_policies_command(request); });
}

}  // namespace

void add_validate(CLI::App& app, ValidateStepRequest& step, ValidatePoliciesRequest& policies,
                  int& exit_code) {
  CLI::App* validate = add(
      app, "validate", "Compare the models with published measurements, closed forms and other simulators",
      "  gauntlet validate step\n"
      "  gauntlet validate policies");
  validate->require_subcommand(1);
  add_validate_step(*validate, step, exit_code);
  add_validate_policies(*validate, policies, exit_code);
}

}  // namespace gauntlet
