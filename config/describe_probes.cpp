// Tests that look for broken hosts, and which faults they find.
#include "config/describe.hpp"
#include "config/nearest.hpp"
#include "config/types.hpp"
#include "models/fault/registry.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// { fault or fault model = probability } as a probability for each fault kind. What is said of a fault goes before what is
/// said of its model; models of which the scenario has no fault may be named.
Type detects(std::vector<Probability>& into, const World& world) {
  return {R"({"type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}})",
          [&into, &world](const Place& place) {
            if (place.value().table() == nullptr)
              return wrong_type(place, "a table such as { faulty_gpu = 0.9 }");
            std::vector<std::string> faults, models;
            for (const FaultKind& fault : world.faults) faults.push_back(fault.name);
            for (const FaultModel& model : fault_models()) models.emplace_back(model.name);
            const auto named = [](const std::vector<std::string>& names, const std::string& name) {
              return std::find(names.begin(), names.end(), name) != names.end();
            };
            for (const auto& [name, value] : *place.value().table()) {
              const bool fault = named(faults, name);
              if (!fault && !named(models, name)) {
                const auto model = nearest_name(name, faults) ? std::nullopt : nearest_name(name, models);
                place.mistake_of_key(
                    name, "is not a fault of this scenario",
                    model ? "did you mean the fault model \"" + *model + "\"?" : suggest_names(name, faults));
                continue;
              }
              const auto p = read_number(*place.find(name), {0, 1, false});
              if (!p) continue;
              for (std::size_t k = 0; k < world.faults.size(); ++k) {
                const FaultKind& each = world.faults[k];
                const bool of_model = each.model == name && !place.value().table()->contains(each.name);
                if (each.name == name || of_model) into[k] = Probability{*p};
              }
            }
          }};
}

}  // namespace

void describe(Fields& fields, ProbeKind& probe, const World& world) {
  probe.detects.assign(world.faults.size(), Probability{0});
  fields.field("time", duration(probe.time, Sign::not_negative), Fallback::required("\"1min\""),
               "to run once, on all hosts in parallel");
  fields.field("group", whole_number(probe.group, {1, 1'000'000}), Fallback::value("1"),
               "hosts that run it together, neighbours in the job: it fails for all of them or none");
  fields.field("false_positive", probability(probe.false_positive), Fallback::value("0.0"),
               "for each healthy group and run");
  fields.field("detects", detects(probe.detects, world), Fallback::value("{}"),
               "the probability, for each fault kind or fault model");
  fields.field("source", text(probe.source), Fallback::optional(), "where these numbers come from");
}

}  // namespace gauntlet
