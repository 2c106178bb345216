// Tests that look for broken hosts, and which faults they find.
#include "config/describe.hpp"
#include "config/fault_models.hpp"
#include "config/fields/types.hpp"
#include "config/toml/nearest.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

void is_unknown(const Place& place, const std::string& name, const Origin& at, const World& world) {
  std::vector<std::string> faults;
  for (const FaultKind& fault : world.faults) faults.push_back(fault.name);
  const auto model = nearest_name(name, faults) ? std::nullopt : nearest_name(name, fault_model_names(at));
  place.mistake_of_key(
      name, "is not a fault of this scenario",
      model ? "did you mean the fault model \"" + *model + "\"?" : suggest_names(name, faults));
}

/// { fault or fault model = probability } as a probability for each fault kind. What is said of a fault goes before what is
/// said of its model; models of which the scenario has no fault may be named. Shown are the faults alone.
Type detects(std::vector<Probability>& into, const World& world, FaultModels& models) {
  return {
      [] {
        return R"({"type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}})";
      },
      [&into, &world, &models](const Place& place) {
        Value::Table* written = place.value().table();
        if (written == nullptr) return wrong_type(place, "a table such as { faulty_gpu = 0.9 }");
        Value::Table by_fault;
        for (const auto& [name, value] : *written) {
          const auto names = [&, &name = name](const FaultKind& each) {
            return each.name == name || (each.model == name && !written->contains(each.name));
          };
          const bool known = std::any_of(world.faults.begin(), world.faults.end(), names);
          if (!known && !models.has(name, value.at)) {
            is_unknown(place, name, value.at, world);
            continue;
          }
          const auto p = read_number(*place.find(name), {0, 1, false});
          if (!p) continue;
          for (std::size_t k = 0; k < world.faults.size(); ++k) {
            if (!names(world.faults[k])) continue;
            into[k] = Probability{*p};
            by_fault.emplace(world.faults[k].name, value);
          }
        }
        if (place.sound("")) *written = std::move(by_fault);
      }};
}

}  // namespace

void describe(Fields& fields, ProbeKind& probe, const World& world, FaultModels& models) {
  probe.detects.assign(world.faults.size(), Probability{0});
  fields.field("time", duration(probe.time, Sign::not_negative), Fallback::required("\"1min\""),
               "time to run once, on all hosts in parallel; with at_once, on those of one turn");
  fields.field("at_once", whole_number(probe.at_once, {0, 1'000'000}),
               "groups of hosts that run it in one turn, the others later; 0: all of them");
  fields.field("group", whole_number(probe.group, {1, 1'000'000}),
               "hosts that run it together, neighbours in the job: it fails for all of them or none");
  fields.field("false_positive", probability(probe.false_positive), "for each healthy group and run");
  fields.field("detects", detects(probe.detects, world, models), Fallback::value("{}"),
               "the probability, for each fault kind or fault model");
  fields.field("source", text(probe.source), Fallback::optional(), "where these numbers come from");
}

}  // namespace gauntlet
