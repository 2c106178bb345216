#include "config/checks/checks.hpp"
#include "config/checks/uncertain.hpp"
#include "config/describe.hpp"
#include "config/fault_models.hpp"
#include "config/fields/fault_checks.hpp"
#include "config/fields/types.hpp"
#include "config/inherited_faults.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kCollectiveTimeoutLine = "collective_timeout";
constexpr std::string_view kPeerLostLine = "peer_lost";

std::string toml_text(const std::string& text) { return to_toml(Value{text, {}, {}, false}); }

/// `extends` is gone from the tree once it has been followed (config/assemble.hpp).
Type paths() {
  return {[] { return R"({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})"; },
          [](const Place&) {}};
}

}  // namespace

std::vector<std::string> patterns_of_victims() {
  return {std::string(kCollectiveTimeoutLine), std::string(kPeerLostLine)};
}

void describe(Fields& fields, Scenario& scenario) {
  FaultModels shipped("");
  describe(fields, scenario, "", shipped);
}

void describe(Fields& fields, Scenario& scenario, const std::string& name, FaultModels& models) {
  World& world = scenario.world;
  PolicyConstants& policies = scenario.policies;
  world.patterns = patterns_of_victims();
  world.faults.clear();
  world.probes.clear();

  fields.field("extends", paths(), Fallback::optional(),
               "scenarios that this one changes: a path, or a list of them");
  bool inherit_faults = true;  // followed by config/assemble.cpp, as `extends` is
  fields.field(
      kInheritFaults, flag(inherit_faults), Fallback::optional(),
      "false: what goes wrong in the scenarios that it extends does not go wrong here; its own faults do");
  fields.field("name", text(world.name), Fallback::computed([&] { return toml_text(name); }),
               "name of the scenario");
  fields.field("question", text(world.question), "the question that the scenario asks");
  fields.table(
      "cluster", [&](Fields& f) { describe_cluster(f, world); }, "the machines");
  fields.table(
      "spares", [&](Fields& f) { describe_spares(f, world); }, "the machines that stand by");
  fields.table(
      "job", [&](Fields& f) { describe_job(f, world); }, "the training job");
  fields.table(
      "storage", [&](Fields& f) { describe(f, world.storage); }, "where checkpoints go");
  fields.table(
      "telemetry", [&](Fields& f) { describe(f, world.telemetry); }, "what agents send");
  fields.table(
      "repair", [&](Fields& f) { describe(f, world.repair); }, "what happens to an evicted host");
  fields.table(
      "people", [&](Fields& f) { describe(f, world.people); }, "who can be asked");
  world.operators.clear();
  fields.entries(
      "operators",
      [&](Fields& f, const std::string& entry) {
        ScriptedAction action;
        action.name = entry;
        describe(f, action);
        world.operators.push_back(std::move(action));
      },
      "what operators do, action by action");
  fields.table(
      "cost", [&](Fields& f) { describe(f, world.cost); }, "what it costs");
  fields.table(
      "drill", [&](Fields& f) { describe_drill(f, world); }, "what a drill on real processes is allowed");
  fields.entries(
      "faults",
      [&](Fields& f, const std::string& entry) {
        FaultKind fault;
        fault.name = entry;
        describe(f, fault, world);
        world.faults.push_back(std::move(fault));
      },
      "what goes wrong, kind by kind");
  fields.entries(
      "probes",
      [&](Fields& f, const std::string& entry) {
        ProbeKind probe;
        probe.name = entry;
        describe(f, probe, world, models);
        ProbeMeasure measure;  // of real hosts: config/host_suite.hpp
        describe(f, measure);
        world.probes.push_back(std::move(probe));
      },
      "tests that look for broken hosts");
  fields.table(
      "policies", [&](Fields& f) { describe(f, policies.names, policies.custom.get(), world); },
      "the policies under study");
  fields.table(
      "detection", [&](Fields& f) { describe(f, policies.detection, world); }, "constants of the detectors");
  fields.table(
      "diagnosis", [&](Fields& f) { describe(f, policies.diagnosis, world); }, "constants of the diagnosis");
  fields.table(
      "checkpoint", [&](Fields& f) { describe(f, policies.checkpoint, policies.names.checkpoint, world); },
      "constants of the checkpoint policy");
  fields.table(
      "recovery", [&](Fields& f) { describe(f, policies.recovery, world); }, "constants of the recovery");
  fields.table(
      "retirement", [&](Fields& f) { describe(f, policies.retirement); }, "constants of policies.retire");
  fields.table(
      "study", [&](Fields& f) { describe(f, scenario.study); }, "how often to run it");
  describe_source(fields);
  fields.check([&](const Place& root) {
    connect_faults(root, world);
    connect_repairs(root, world);
    // Those of one time stay in the order of their names.
    std::stable_sort(scenario.world.operators.begin(), scenario.world.operators.end(),
                     [](const ScriptedAction& a, const ScriptedAction& b) { return a.at < b.at; });
    forget_replaced(root, scenario.study.uncertain);
    check_scenario(root, scenario);
  });
}

}  // namespace gauntlet
