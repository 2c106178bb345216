// The description of a scenario, one function for each part of it. Binding to structs happens here and nowhere else.
//
// The order of the parts is the order in which they are shown, and in which they are read: a part may use what the
// parts before it have filled in.
#pragma once

#include "config/fields/fields.hpp"
#include "config/fields/scenario_parts.hpp"
#include "models/world/probe_measure.hpp"

#include <string>
#include <vector>

namespace gauntlet {

class FaultModels;

/// All of it. `name`: what the scenario is called unless it says so itself; `models`: those that it may name.
void describe(Fields& fields, Scenario& scenario, const std::string& name, FaultModels& models);
/// The same for a visitor that reads nothing.
void describe(Fields& fields, Scenario& scenario);

/// The log lines that every world has: those of ranks that wait for the culprit.
std::vector<std::string> patterns_of_victims();

void describe(Fields& fields, Hardware& hardware);
void describe(Fields& fields, Transformer& model);
void describe_cluster(Fields& fields, World& world);
void describe_spares(Fields& fields, World& world);
void describe_job(Fields& fields, World& world);
void describe(Fields& fields, StorageModel& storage);
void describe(Fields& fields, Telemetry& telemetry);
void describe(Fields& fields, RepairShop& repair);
void describe(Fields& fields, People& people);
void describe(Fields& fields, ScriptedAction& action);
/// Names of log lines join `world.patterns`.
void describe_drill(Fields& fields, World& world);
void describe(Fields& fields, Cost& cost);
/// One fault kind. Its pattern joins `world.patterns`.
void describe(Fields& fields, FaultKind& fault, World& world);
/// A file of the catalogue's fault models.
void describe_fault_model(Fields& fields, FaultKind& fault, World& world);
/// One probe; `world.faults` are the kinds that it may detect, and `models` those that it may name.
void describe(Fields& fields, ProbeKind& probe, const World& world, FaultModels& models);
/// How a probe is carried out on a real host; beside the fields of the probe.
void describe(Fields& fields, ProbeMeasure& measure);
/// The detectors by default are those that its telemetry can serve.
/// `custom`: policies that may be named beside the shipped ones; may be null.
void describe(Fields& fields, PolicyNames& policies, const CustomPolicies* custom, const World& world);
void describe(Fields& fields, DetectionConstants& detection, const World& world);
void describe(Fields& fields, DiagnosisConstants& diagnosis, const World& world);
/// Its defaults are computed from the world: what a planner would expect of it. `policy`: its name.
void describe(Fields& fields, CheckpointConstants& checkpoint, const std::string& policy, const World& world);
void describe(Fields& fields, RecoveryConstants& recovery, const World& world);
void describe(Fields& fields, RetirementConstants& retirement);
void describe(Fields& fields, StudyDefaults& study);

/// Every part accepts one: where its numbers come from. For people.
void describe_source(Fields& fields);

}  // namespace gauntlet
