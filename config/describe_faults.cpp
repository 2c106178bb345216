// What can go wrong: one kind of fault, and the models that know kinds of faults by name.
#include "config/describe.hpp"
#include "config/fault_models.hpp"
#include "config/fields/fault_checks.hpp"
#include "config/fields/fault_rates.hpp"
#include "config/fields/laws.hpp"
#include "config/fields/rate_profile.hpp"
#include "config/fields/types.hpp"
#include "core/component.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// The job last.
constexpr auto kComponents = [] {
  std::array<Choice<ComponentKind>, kComponentNames.size()> choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::size_t kind = (i + 1) % choices.size();
    choices[i] = {kComponentNames[kind], static_cast<ComponentKind>(kind)};
  }
  return choices;
}();
constexpr std::array<Choice<Effect>, 9> kEffects = {{
    {"crash", Effect::crash},
    {"hang", Effect::hang},
    {"slow", Effect::slow},
    {"stall", Effect::stall},
    {"corrupt", Effect::corrupt},
    {"degrade", Effect::degrade},
    {"none", Effect::none},
    {"planned", Effect::planned},
    {"preempt", Effect::preempt},
}};
constexpr std::array<Choice<Segment>, 4> kSegments = {{
    {"all", Segment::all},
    {"forward", Segment::forward},
    {"backward", Segment::backward},
    {"optimizer", Segment::optimizer},
}};
constexpr std::array<Choice<Tampering>, 6> kTamperings = {{
    {"nothing", Tampering::nothing},
    {"checkpoint", Tampering::checkpoint},
    {"clock", Tampering::clock},
    {"late_heartbeats", Tampering::late_heartbeats},
    {"repeated_heartbeats", Tampering::repeated_heartbeats},
    {"partition", Tampering::partition},
}};
constexpr std::array<Choice<Remedy>, 3> kRemedies = {{
    {"restart", Remedy::restart},
    {"repair", Remedy::repair},
    {"person", Remedy::person},
}};
constexpr std::array<Choice<Severity>, 4> kSeverities = {{
    {"info", Severity::info},
    {"warning", Severity::warning},
    {"error", Severity::error},
    {"fatal", Severity::fatal},
}};

/// The values of the model lie below those of the fault (config/fault_models.hpp).
Type model_name(std::string& into) {
  Type type = text(into);
  type.folder = kFaultModels;
  return type;
}

/// A log line's name joins the patterns of the world.
Type pattern(FaultKind& fault, World& world) {
  return {[] { return "{\"type\": \"string\"}"; },
          [&fault, &world](const Place& place) {
            const std::string* text = read_text(place, "the name of a log line");
            if (text == nullptr) return;
            std::optional<PatternId>& into = fault.symptoms.log;
            into.reset();
            if (text->empty()) {
              if (fault.model.empty())
                place.mistake("is not a name", "leave `log` out where nothing is logged");
              return;
            }
            if (key_to_toml(*text) != *text)
              return place.mistake("is not a plain name", "use letters, digits, _ and -");
            auto& patterns = world.patterns;
            const auto found = std::find(patterns.begin(), patterns.end(), *text);
            if (found - patterns.begin() < kVictimsPatterns)
              return place.mistake("is a line of those who wait for the culprit", "choose another name");
            into = PatternId{static_cast<std::uint32_t>(found - patterns.begin())};
            if (found == patterns.end()) patterns.push_back(*text);
          }};
}

Type loss(double& into) {
  Type type = number(into, {0, 1e6, false});
  type.schema = [] {
    return R"({"anyOf": [{"const": "nan"}, {"type": "number", "minimum": 0, "maximum": 1e6}]})";
  };
  type.read = [&into, read = std::move(type.read)](const Place& place) {
    const std::string* text = place.value().string();
    const double* number = std::get_if<double>(&place.value().data);
    if ((text != nullptr && *text == "nan") || (number != nullptr && std::isnan(*number)))
      into = std::numeric_limits<double>::quiet_NaN();
    else if (text != nullptr)
      place.mistake("is not a number", "write 12.0 or \"nan\"");
    else
      read(place);
  };
  return type;
}

/// A law that may be absent, as a state of its own.
Type optional_law(std::optional<Law>& into) {
  Law unused = Law::constant(0);
  return {law(unused).schema,
          [&into](const Place& place) {
            Law given = Law::constant(0);
            law(given).read(place);
            if (place.sound("")) into = given;
          },
          true};
}

void describe_component(Fields& fields, FaultKind& fault) {
  fields.field("component", choice<ComponentKind>(fault.component, kComponents, "a kind of component"),
               Fallback::required("\"host\""),
               "what fails; a rack, power domain or switch takes all of its hosts with it");
}

void describe_effect(Fields& fields, FaultKind& fault) {
  fields.field("effect", choice<Effect>(fault.effect, kEffects, "an effect"), Fallback::required("\"crash\""),
               "what it does to the culprit");
  fields.field("factor", number(fault.factor, {1, 1e9, false}),
               "slow: times as long; degrade: bandwidth divided by it");
  fields.field("grows_every", duration(fault.grows_every, Sign::not_negative),
               "slow: `factor` once more after each such time; 0s: it stays as it is");
  fields.field("segment", choice<Segment>(fault.segment, kSegments, "a segment of a step"),
               "slow: the compute that takes so long");
  fields.field("same_step", flag(fault.same_step),
               "crash, hang of the job: it returns whenever the step is reached at which it struck");
  fields.field("halts_storage", flag(fault.halts_storage),
               "stall: checkpoints that are being written or loaded wait as well");
  fields.field("tampers", choice<Tampering>(fault.tampers, kTamperings, "what is tampered with"),
               "none: what it does to checkpoints, clocks or heartbeats while the job trains on");
  fields.field("heals_after", optional_law(fault.heals_after), Fallback::optional(),
               "time until it ends by itself");
  fields.field("remedy", choice<Remedy>(fault.remedy, kRemedies, "a remedy"),
               "what ends it otherwise: restart of the job's processes, repair of the host, or a person");
}

void describe_symptoms(Fields& fields, FaultKind& fault, World& world) {
  Symptoms& symptoms = fault.symptoms;
  fields.field("heartbeat_lost", flag(symptoms.heartbeat_lost), "whether the host's agent is gone with it");
  fields.field("log", pattern(fault, world), Fallback::optional(), "the line that the culprit logs");
  fields.field("severity", choice<Severity>(symptoms.severity, kSeverities, "a severity"),
               "severity of the line");
  fields.field("log_probability", probability(symptoms.log_probability), "probability that it logs the line");
  fields.field("log_delay", law(symptoms.log_delay), "time from the onset to the line");
  fields.field("loss", loss(symptoms.loss),
               "loss of the job while it lasts: robust standard deviations above its running median, or nan; "
               "0: unmoved");
  fields.field("exit_code", whole_number(symptoms.exit_code, {1, 255}), "crash: of the culprit's process");
}

void describe_consequences(Fields& fields, FaultKind& fault) {
  fields.inline_table(
      "followed_by", [&](Fields& f) { describe_follower(f, fault.followed_by.emplace()); },
      "what it leads to on the same component, from its end or else its onset on: itself again, or worse");
  fields.field("source", text(fault.source), Fallback::optional(), "where these numbers come from");
}

}  // namespace

void describe(Fields& fields, FaultKind& fault, World& world) {
  FaultRate rate;
  fields.alternatives({"rate", "mtbf", "trace"});
  fields.field("model", model_name(fault.model), Fallback::optional(),
               "a fault that is known by name: all that is not said here is the model's, but how often");
  describe_component(fields, fault);
  describe_rate(fields, fault, rate);
  describe_profile(fields, fault.profile);
  describe_prevalence(fields, fault);
  describe_clock(fields, fault);
  describe_chance(fields, fault);
  describe_effect(fields, fault);
  describe_symptoms(fields, fault, world);
  describe_consequences(fields, fault);
  fields.check([&](const Place& place) {
    if (!place.sound("model")) return;
    set_life(place, fault, rate, world);
    check_fault(place, fault);
  });
}

void describe_fault_model(Fields& fields, FaultKind& fault, World& world) {
  std::string area, summary;
  fields.field("area", text(area), Fallback::optional(),
               "gpu, network, host or software, for the list of models");
  fields.field("summary", text(summary), Fallback::optional(), "one line, for the list of models");
  describe_component(fields, fault);
  describe_profile(fields, fault.profile);
  describe_clock(fields, fault);
  describe_effect(fields, fault);
  describe_symptoms(fields, fault, world);
  describe_consequences(fields, fault);
  fields.check([&](const Place& place) { check_fault(place, fault); });
}

}  // namespace gauntlet
