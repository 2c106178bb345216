#include "report/worlds/result.hpp"
#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace gauntlet {
namespace {

constexpr std::array<const char*, 3> kWorldUnits = {"share", "s", "count"};  // by WorldUnit
constexpr std::array<const char*, 4> kWorldPer = {"time", "run", "incident", "fault"};

Json figure_json(const WorldFigure& figure) {
  Json json;
  json["fault"] = figure.fault.empty() ? Json(nullptr) : Json(figure.fault);
  json["name"] = figure.name;
  json["unit"] = kWorldUnits[static_cast<std::size_t>(figure.unit)];
  json["per"] = kWorldPer[static_cast<std::size_t>(figure.per)];
  json["measured"] = json_of(figure.measured);
  json["simulated"] = json_of(figure.simulated);
  json["difference"] = json_of(figure.of.difference);
  json["se"] = json_of(figure.of.se);
  json["ci95"] = json_of(figure.of.ci95);
  return json;
}

Json decisions_json(const Decisions& decisions) {
  Json json;
  json["same"] = decisions.same;
  json["measured_alone"] = decisions.left_alone;
  json["simulated_alone"] = decisions.right_alone;
  Json& first = json["first_difference"] = nullptr;
  if (!decisions.first) return json;
  first = Json::object();
  first["side"] = decisions.first->side;
  first["decision"] = decisions.first->decision;
  first["at_s"] = to_seconds(decisions.first->at - kStart);
  first["after"] = decisions.first->observation;
  return json;
}

Json world_json(const Figures& figures) {
  Json json;
  json["gave_up"] = figures.ending == Ending::gave_up;
  json["wall_s"] = to_seconds(figures.wall);
  json["incidents"] = figures.incidents.size();
  Json& phases = json["phases_s"] = Json::object();
  for (std::size_t phase = 0; phase < kPhases; ++phase)
    phases[kPhaseNames[phase]] = to_seconds(figures.phases[phase]);
  return json;
}

Json pair_json(const DrillPair& pair) {
  Json json;
  json["drill"] = pair.number;
  json["seed"] = pair.seed;
  json["measured"] = world_json(pair.measured);
  json["simulated"] = world_json(pair.simulated);
  json["decisions"] = decisions_json(pair.decisions);
  return json;
}

}  // namespace

std::string to_json(const RepeatedDrills& drills, const std::string& command) {
  Json json;
  json["command"] = command;
  json["version"] = drills.version;
  json["scenario"] = drills.scenario;
  json["repeat"] = drills.asked;
  json["vary_seed"] = drills.vary_seed;
  json["interrupted"] = drills.interrupted;
  json["interval"] = "95%, Student's t over pairs of a drill and its simulation";
  json["n"] = drills.pairs.size();
  Json& figures = json["figures"] = Json::array();
  if (!drills.pairs.empty())
    for (const WorldFigure& figure : compare_worlds(drills.pairs, drills.faults))
      figures.push_back(figure_json(figure));
  Json& pairs = json["drills"] = Json::array();
  for (const DrillPair& pair : drills.pairs) pairs.push_back(pair_json(pair));
  Json& failed = json["failed"] = Json::array();
  for (const FailedDrill& each : drills.failed)
    failed.push_back({{"drill", each.number}, {"seed", each.seed}, {"why", each.why}});
  return document(json);
}

}  // namespace gauntlet
