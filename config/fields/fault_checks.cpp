#include "config/fields/fault_checks.hpp"

#include "config/fields/fault_rates.hpp"
#include "config/fields/laws.hpp"
#include "config/fields/reserved_names.hpp"
#include "config/fields/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

std::string_view in_words(ComponentKind kind) {
  switch (kind) {
    case ComponentKind::job:
      return "the job";
    case ComponentKind::host:
      return "a host";
    case ComponentKind::gpu:
      return "a GPU";
    case ComponentKind::nic:
      return "a NIC";
    case ComponentKind::rack:
      return "a rack";
    case ComponentKind::tor:
      return "a ToR switch";
    case ComponentKind::aggregation:
      return "an aggregation switch";
    case ComponentKind::spine:
      return "a spine switch";
    case ComponentKind::power:
      return "a power domain";
  }
  return "";
}

bool computes(ComponentKind kind) { return kind == ComponentKind::host || kind == ComponentKind::gpu; }

bool carries_traffic(ComponentKind kind) {
  return kind == ComponentKind::host || kind == ComponentKind::nic || kind == ComponentKind::tor ||
         kind == ComponentKind::aggregation || kind == ComponentKind::spine;
}

/// Whether the component can suffer the effect.
void check_component(const Place& place, const FaultKind& fault) {
  if (!place.all_sound("effect", "component")) return;
  const std::string who = "is " + std::string(in_words(fault.component));
  const auto mistake = [&](std::string_view why, std::string_view suggestion) {
    place.mistake_at("component", who + std::string(why), std::string(suggestion));
  };
  const bool job = fault.component == ComponentKind::job;
  if (fault.effect == Effect::slow && fault.component == ComponentKind::nic)
    return mistake(", which computes nothing that could be slow",
                   "effect = \"degrade\", or component = \"host\" or \"gpu\"");
  if (fault.effect == Effect::slow && !computes(fault.component))
    return mistake(
        job ? ", all of whose ranks would be slow alike" : ", which computes nothing that could be slow",
        "component = \"host\" or \"gpu\"");
  if (fault.effect == Effect::degrade && fault.component == ComponentKind::gpu)
    return mistake(", which has no bandwidth to lose", "component = \"nic\", or \"host\" for all its NICs");
  if (fault.effect == Effect::degrade && !carries_traffic(fault.component))
    return mistake(
        ", which has no bandwidth to lose",
        "component = \"nic\", \"host\" for all its NICs, or a switch: \"tor\", \"aggregation\", \"spine\"");
  if (fault.effect == Effect::corrupt && !computes(fault.component) && !job)
    return mistake(", which computes nothing that could be wrong",
                   "component = \"gpu\", \"host\" or \"job\"");
  if (is_stop_request(fault.effect) && !job)
    return mistake(", and it is the job that is to stop", "component = \"job\"");
  if (fault.same_step && !job && place.sound("same_step"))
    return place.mistake_at("same_step", "is given, and the component " + who, "component = \"job\"");
  if (job && fault.symptoms.heartbeat_lost && place.sound("heartbeat_lost"))
    return place.mistake_at("heartbeat_lost", "is given, and the job has no agent of its own",
                            "leave it out");
  if (job && fault.remedy == Remedy::repair && !is_stop_request(fault.effect) && place.sound("remedy"))
    place.mistake_at("remedy", "is the repair of a host, and the component is the job",
                     "remedy = \"restart\" or \"person\"");
}

/// Whether what it tampers with is the component's, and ends where it lasts.
void check_tampering(const Place& place, const FaultKind& fault) {
  if (fault.tampers == Tampering::nothing || !place.sound("tampers")) return;
  if (fault.effect != Effect::none)
    return place.mistake_at("tampers", "is given, and the effect is not none", "effect = \"none\"");
  if (!place.sound("component")) return;
  const bool checkpoint = fault.tampers == Tampering::checkpoint;
  if (checkpoint != (fault.component == ComponentKind::job) ||
      (!checkpoint && fault.component != ComponentKind::host))
    return place.mistake_at("tampers",
                            checkpoint ? "is of the checkpoints of the job" : "is of the agent of a host",
                            checkpoint ? "component = \"job\"" : "component = \"host\"");
  const bool lasts = !checkpoint && fault.tampers != Tampering::clock;
  if (lasts && !fault.heals_after && place.sound("heals_after"))
    place.mistake_at("heals_after", "is missing", "write how long it lasts: heals_after = \"3s\"");
  if (!lasts && fault.heals_after && place.sound("heals_after"))
    place.mistake_at("heals_after", "is given, and what it did stays", "leave it out");
}

/// Whether the effect has the size and the symptoms that are given.
void check_effect(const Place& place, const FaultKind& fault) {
  if (!place.sound("effect")) return;
  const bool by_factor = fault.effect == Effect::slow || fault.effect == Effect::degrade;
  if (by_factor && fault.factor <= 1 && place.sound("factor"))
    place.mistake_at("factor", "is not above 1",
                     "a slow host takes `factor` times as long, a degraded NIC carries 1/`factor`");
  if (fault.segment != Segment::all && fault.effect != Effect::slow && place.sound("segment"))
    place.mistake_at("segment", "is given, and the effect is not slow", "leave it out");
  if (fault.grows_every > Duration::zero() && fault.effect != Effect::slow && place.sound("grows_every"))
    place.mistake_at("grows_every", "is given, and the effect is not slow", "leave it out");
  if (fault.same_step && !stops_job(fault.effect) && place.sound("same_step"))
    place.mistake_at("same_step", "is given, and the effect is neither crash nor hang", "leave it out");
  if (fault.halts_storage && fault.effect != Effect::stall && place.sound("halts_storage"))
    place.mistake_at("halts_storage", "is given, and the effect is not stall", "leave it out");
  check_tampering(place, fault);
  if (fault.effect == Effect::stall && !fault.heals_after && place.sound("heals_after"))
    place.mistake_at("heals_after", "is missing", "a stall is a pause that heals: heals_after = \"3s\"");
  if (is_stop_request(fault.effect) && !fault.heals_after && place.sound("heals_after"))
    place.mistake_at("heals_after", "is missing",
                     fault.effect == Effect::planned
                         ? "a planned stop lasts as long as people want: heals_after = \"10min\""
                         : "hosts come back from the job that takes them: heals_after = \"6h\"");
  const bool domain = fault.component == ComponentKind::rack || fault.component == ComponentKind::tor ||
                      fault.component == ComponentKind::aggregation ||
                      fault.component == ComponentKind::spine || fault.component == ComponentKind::power;
  const bool lasts = fault.effect != Effect::none && !is_stop_request(fault.effect);
  if (domain && lasts && fault.remedy == Remedy::repair && !fault.heals_after &&
      place.all_sound("heals_after", "component", "remedy"))
    place.mistake_at("heals_after", "is missing, and the repair of a host does not mend a failure domain",
                     "heals_after = \"70min\", or remedy = \"restart\" or \"person\"");
  if (fault.symptoms.exit_code != 1 && fault.effect != Effect::crash && place.sound("exit_code"))
    place.mistake_at("exit_code", "is given, and the effect is not crash", "leave it out");
  if (fault.symptoms.exit_code == kAbortedByWatchdog && place.sound("exit_code"))
    place.mistake_at("exit_code", "is that of ranks which waited for the culprit",
                     "choose another, such as 1");
  const bool goes_on = fault.effect == Effect::slow || fault.effect == Effect::degrade ||
                       fault.effect == Effect::corrupt || fault.effect == Effect::none;
  if (fault.symptoms.loss != 0 && !goes_on && place.sound("loss"))
    place.mistake_at("loss", "is given, and no step completes while it lasts",
                     "effect = \"corrupt\" or \"none\"");
}

// --- what follows ----------------------------------------------------------------------------------------------------

std::vector<std::string> names_of(const World& world) {
  std::vector<std::string> names;
  for (const FaultKind& fault : world.faults) names.push_back(fault.name);
  return names;
}

/// The fault that stands for a model after `fault`: itself where it is one, else the first that can; none where the scenario
/// has none.
std::optional<std::uint32_t> fault_of_model(const World& world, const FaultKind& fault,
                                            std::string_view model) {
  const auto& faults = world.faults;
  const auto fits = [&](const FaultKind& other) {
    return other.model == model && other.component == fault.component;
  };
  const auto found = fits(fault) ? std::find_if(faults.begin(), faults.end(),
                                                [&](const FaultKind& other) { return &other == &fault; })
                                 : std::find_if(faults.begin(), faults.end(), fits);
  if (found == faults.end()) return {};
  return static_cast<std::uint32_t>(found - faults.begin());
}

/// The fault of this scenario that is named at `place`, a table of what follows on `fault`.
std::optional<std::uint32_t> named_follower(const Place& place, const World& world, const FaultKind& fault) {
  const std::vector<std::string> known = names_of(world);
  const auto index = read_name(place, known, "a fault of this scenario");
  if (!index) return {};
  const FaultKind& follower = world.faults[*index];
  if (follower.component == fault.component) return static_cast<std::uint32_t>(*index);
  place.mistake("is a fault of " + std::string(in_words(follower.component)) + ", and what follows strikes " +
                    std::string(in_words(fault.component)) + " again",
                "name a fault with component = that of faults." + fault.name);
  return {};
}

/// The fault that stands for the model that follows. A scenario without such a fault has forgotten it if it says itself what
/// follows, else it may not want it.
std::optional<std::uint32_t> follower_of_model(const Place& place, const World& world,
                                               const FaultKind& fault) {
  const auto named = place.find("followed_by.model");
  const std::string* model = named ? named->value().string() : nullptr;
  if (model == nullptr) return {};
  const auto index = fault_of_model(world, fault, *model);
  if (index) return index;
  if (place.given("followed_by"))
    place.mistake_at("followed_by.fault",
                     "is missing, and no fault of this scenario is of the model \"" + *model + "\"",
                     "name one of its faults");
  else
    place.warning_at("model",
                     "leads to \"" + *model + "\" with probability " +
                         number_toml(fault.followed_by->probability.value) +
                         ", and no fault of this scenario is of that model and component",
                     "nothing follows here; to have it, add a fault of that model, which needs no rate");
  return {};
}

/// What follows on `fault`, by its name in this scenario.
void connect_follower(const Place& place, const World& world, FaultKind& fault) {
  const auto named = place.find("followed_by.fault");
  const auto index = named ? named_follower(*named, world, fault) : follower_of_model(place, world, fault);
  if (!index) {
    fault.followed_by.reset();
    if (!place.given("followed_by")) place.value().table()->erase("followed_by");
    return;
  }
  fault.followed_by->kind = FaultKindId{*index};
  Value::Table& table = *place.value().find("followed_by")->table();
  table.erase("model");
  if (named) return;
  const Origin computed{.kind = Origin::Kind::computed, .file = nullptr};
  table.emplace("fault", Value{world.faults[*index].name, computed, computed, false});
}

/// Without its model, a fault has no line of the model that it takes back with `log = ""`.
void forget_model(const Place& place) {
  place.value().table()->erase("model");
  const auto log = place.find("log");
  if (log && log->value().string() != nullptr && log->value().string()->empty())
    place.value().table()->erase("log");
}

/// A circle in which each surely leads to the next would have no end.
void check_circles(const Place& root, const World& world) {
  for (std::uint32_t first = 0; first < world.faults.size(); ++first) {
    std::string circle = world.faults[first].name;
    std::uint32_t at = first;
    for (std::size_t steps = 0; steps < world.faults.size(); ++steps) {
      const auto& next = world.faults[at].followed_by;
      if (!next || next->probability.value < 1) break;
      at = next->kind.value;
      circle += ", " + world.faults[at].name;
      if (at < first) break;  // said of that one
      if (at != first) continue;
      root.mistake_at("faults." + world.faults[first].name + ".followed_by.probability",
                      "is circular and never ends: " + circle, "write a probability below 1 in it");
      break;
    }
  }
}

}  // namespace

void describe_follower(Fields& fields, FollowedBy& follower) {
  fields.field("fault", note(), Fallback::optional(), "a fault of this scenario");
  fields.field("model", note(), Fallback::optional(),
               "or a fault model: the first fault of this scenario that has it and is of the same component");
  fields.field("probability", probability(follower.probability), Fallback::required("0.3"),
               "probability that the other fault follows");
  fields.field("after", law(follower.after), "time until the other fault follows");
  fields.check([](const Place& place) {
    if (!place.find("fault") && !place.find("model"))
      place.mistake_at("fault", "is missing", "write fault = \"gpu_lost\"");
  });
}

void check_fault(const Place& place, const FaultKind& fault) {
  const auto& reserved = kCausesThatAreNoFault;
  if (std::find(reserved.begin(), reserved.end(), fault.name) != reserved.end())
    place.mistake("has the name of a cause of lost time that is not a fault", "choose another name");
  check_effect(place, fault);
  check_component(place, fault);
  if (fault.stationary_ages && fault.trace.empty() && std::isinf(fault.life.mean()) &&
      place.all_sound("law", "age"))
    place.mistake_at("law", "has an infinite mean, so there is no middle of a life to start in",
                     "set age = \"new\"");
}

void connect_faults(const Place& root, World& world) {
  std::vector<bool> follows(world.faults.size());
  for (FaultKind& fault : world.faults) {
    const auto place = root.find("faults." + fault.name);
    if (!place || !place->all_sound("model", "component", "followed_by")) continue;
    if (fault.followed_by) connect_follower(*place, world, fault);
    if (fault.followed_by) follows[fault.followed_by->kind.value] = true;
    forget_model(*place);
  }
  check_circles(root, world);
  for (std::size_t k = 0; k < world.faults.size(); ++k) {
    const auto place = root.find("faults." + world.faults[k].name);
    if (!place || follows[k] || says_how_often(*place, world.faults[k])) continue;
    if (place->all_sound("model", "rate", "mtbf", "law", "trace")) rate_is_missing(*place);
  }
}

}  // namespace gauntlet
