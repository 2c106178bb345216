// What can go wrong: one kind of fault, and what is known of it by the name of its model.
#include "config/describe.hpp"
#include "config/fault_checks.hpp"
#include "config/fault_defaults.hpp"
#include "config/fault_rates.hpp"
#include "config/laws.hpp"
#include "config/types.hpp"

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

constexpr std::array<Choice<ComponentKind>, 9> kComponents = {{
    {"host", ComponentKind::host},
    {"gpu", ComponentKind::gpu},
    {"nic", ComponentKind::nic},
    {"rack", ComponentKind::rack},
    {"tor", ComponentKind::tor},
    {"aggregation", ComponentKind::aggregation},
    {"spine", ComponentKind::spine},
    {"power", ComponentKind::power},
    {"job", ComponentKind::job},
}};
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

template <class E, std::size_t N>
std::string quoted_choice(const std::array<Choice<E>, N>& choices, E value) {
  for (const auto& [word, choice] : choices)
    if (choice == value) return '"' + std::string(word) + '"';
  return {};
}

/// All that is known by the model's name, to be changed by what the scenario says beside.
Type model_name(FaultKind& fault, const FaultModel*& model) {
  std::vector<std::string> known;
  for (const FaultModel& each : fault_models()) known.emplace_back(each.name);
  std::string schema = names_schema(known);
  return {std::move(schema), [&fault, &model, known = std::move(known)](const Place& place) {
            const auto index = read_name(place, known, "a fault model");
            if (!index) {
              // What the model would have given is neither missing nor wrong.
              const std::string table = place.path().substr(0, place.path().rfind('.'));
              for (const char* given : {"component", "effect", "heals_after", "factor", "chance", "rate"})
                place.mistakes().spoil(table + "." + given);
              return;
            }
            model = &fault_models()[*index];
            std::string name = std::move(fault.name);
            fault = model->kind;
            fault.name = std::move(name);
            fault.model = model->name;
          }};
}

/// A log line's name joins the patterns of the world.
Type pattern(std::optional<PatternId>& into, World& world, const ModelDefaults& defaults) {
  return {"{\"type\": \"string\"}", [&into, &world, &defaults](const Place& place) {
            const std::string* text = read_text(place, "the name of a log line");
            if (text == nullptr) return;
            into.reset();
            if (text->empty()) {
              if (defaults.model() == nullptr)
                place.mistake("is no name", "leave `log` out where nothing is logged");
              return;
            }
            auto& patterns = world.patterns;
            const auto found = std::find(patterns.begin(), patterns.end(), *text);
            if (found - patterns.begin() < kVictimsPatterns)
              return place.mistake("is a line of those who wait for the culprit", "choose another name");
            into = PatternId{static_cast<std::uint32_t>(found - patterns.begin())};
            if (found == patterns.end()) patterns.push_back(*text);
          }};
}

Type loss(double& into) {
  return {R"({"anyOf": [{"const": "nan"}, {"type": "number", "minimum": 0, "maximum": 1e6}]})",
          [&into](const Place& place) {
            const std::string* text = place.value().string();
            const double* number = std::get_if<double>(&place.value().data);
            if ((text != nullptr && *text == "nan") || (number != nullptr && std::isnan(*number))) {
              into = std::numeric_limits<double>::quiet_NaN();
            } else if (text != nullptr) {
              place.mistake("is no number", "write 12.0 or \"nan\"");
            } else if (const auto value = read_number(place, {0, 1e6, false})) {
              into = *value;
            }
          }};
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

/// What belongs to the model's effect is none of another one: a slow host that is made to crash has no segment.
Fallback of_effect(const FaultKind& fault, const ModelDefaults& defaults, Fallback without,
                   const std::function<std::string(const FaultModel&)>& toml_of) {
  const bool other = defaults.model() != nullptr && defaults.model()->kind.effect != fault.effect;
  return other ? without : defaults.or_else(std::move(without), toml_of);
}

void describe_effect(Fields& fields, FaultKind& fault, const ModelDefaults& defaults) {
  using Model = const FaultModel&;
  fields.field("effect", choice<Effect>(fault.effect, kEffects, "an effect"),
               defaults.or_else(Fallback::required("\"crash\""),
                                [](Model m) { return quoted_choice(kEffects, m.kind.effect); }),
               "what it does to the culprit");
  fields.field(
      "factor", number(fault.factor, {1, 1e9, false}),
      of_effect(fault, defaults, Fallback::value("1.0"), [](Model m) { return number_toml(m.kind.factor); }),
      "slow: times as long; degrade: bandwidth divided by it");
  fields.field("grows_every", duration(fault.grows_every, Sign::not_negative),
               of_effect(fault, defaults, Fallback::value("\"0s\""),
                         [](Model m) { return '"' + to_text(m.kind.grows_every) + '"'; }),
               "slow: `factor` once more after each such time; 0s: it stays as it is");
  fields.field("segment", choice<Segment>(fault.segment, kSegments, "a segment of a step"),
               of_effect(fault, defaults, Fallback::value("\"all\""),
                         [](Model m) { return quoted_choice(kSegments, m.kind.segment); }),
               "slow: the compute that takes so long");
  fields.field("same_step", flag(fault.same_step),
               of_effect(fault, defaults, Fallback::value("false"),
                         [](Model m) { return std::string(m.kind.same_step ? "true" : "false"); }),
               "crash, hang of the job: it returns whenever the step is reached at which it struck");
  fields.field("halts_storage", flag(fault.halts_storage),
               of_effect(fault, defaults, Fallback::value("false"),
                         [](Model m) { return std::string(m.kind.halts_storage ? "true" : "false"); }),
               "stall: checkpoints that are being written or loaded wait as well");
  fields.field("heals_after", optional_law(fault.heals_after),
               defaults.or_else(Fallback::optional(),
                                [](Model m) {
                                  return m.kind.heals_after ? law_toml(*m.kind.heals_after) : std::string();
                                }),
               "until it ends by itself");
  fields.field("remedy", choice<Remedy>(fault.remedy, kRemedies, "a remedy"),
               defaults.or_else(Fallback::value("\"repair\""),
                                [](Model m) { return quoted_choice(kRemedies, m.kind.remedy); }),
               "what ends it otherwise: restart of the job's processes, repair of the host, or a person");
}

void describe_symptoms(Fields& fields, FaultKind& fault, World& world, const ModelDefaults& defaults) {
  Symptoms& symptoms = fault.symptoms;
  using Model = const FaultModel&;
  const auto of = [](Model model) -> const Symptoms& { return model.kind.symptoms; };
  fields.field(
      "heartbeat_lost", flag(symptoms.heartbeat_lost),
      defaults.or_else(Fallback::value("false"),
                       [&](Model m) { return std::string(of(m).heartbeat_lost ? "true" : "false"); }),
      "whether the host's agent is gone with it");
  fields.field("log", pattern(symptoms.log, world, defaults),
               defaults.or_else(Fallback::optional(),
                                [](Model m) { return m.log.empty() ? m.log : '"' + m.log + '"'; }),
               "the line that the culprit logs");
  fields.field("severity", choice<Severity>(symptoms.severity, kSeverities, "a severity"),
               defaults.or_else(Fallback::value("\"error\""),
                                [&](Model m) { return quoted_choice(kSeverities, of(m).severity); }),
               "of the line");
  fields.field("log_probability", probability(symptoms.log_probability),
               defaults.or_else(Fallback::value("1.0"),
                                [&](Model m) { return number_toml(of(m).log_probability.value); }),
               "that it logs the line");
  fields.field(
      "log_delay", law(symptoms.log_delay),
      defaults.or_else(Fallback::value("\"0s\""), [&](Model m) { return law_toml(of(m).log_delay); }),
      "from the onset to the line");
  fields.field(
      "loss", loss(symptoms.loss),
      of_effect(fault, defaults, Fallback::value("0.0"), [&](Model m) { return number_toml(of(m).loss); }),
      "of the job while it lasts: robust standard deviations above its running median, or nan; 0: unmoved");
}

}  // namespace

void describe(Fields& fields, FaultKind& fault, World& world) {
  const FaultModel* model = nullptr;
  const ModelDefaults defaults(&model);
  FaultRate rate;
  fields.alternatives({"rate", "mtbf", "trace"});
  fields.field("model", model_name(fault, model), Fallback::optional(),
               "a fault that is known by name: all that is not said here is the model's, but how often");
  fields.field(
      "component", choice<ComponentKind>(fault.component, kComponents, "a kind of component"),
      defaults.or_else(Fallback::required("\"host\""),
                       [](const FaultModel& m) { return quoted_choice(kComponents, m.kind.component); }),
      "what fails; a rack, power domain or switch takes all of its hosts with it");
  describe_rate(fields, fault, rate, defaults);
  describe_effect(fields, fault, defaults);
  describe_symptoms(fields, fault, world, defaults);
  auto exit_code = static_cast<std::uint32_t>(fault.symptoms.exit_code);
  fields.field("exit_code", whole_number(exit_code, {1, 255}),
               of_effect(fault, defaults, Fallback::value("1"),
                         [](const FaultModel& m) { return std::to_string(m.kind.symptoms.exit_code); }),
               "crash: of the culprit's process");
  fields.inline_table(
      "followed_by", [&](Fields& f) { describe_follower(f, fault.followed_by.emplace(), defaults); },
      "what it leads to on the same component, from its end or else its onset on: itself again, or worse");
  fields.field(
      "source", text(fault.source),
      defaults.or_else(Fallback::optional(), [](const FaultModel& m) { return json_quoted(m.source); }),
      "where these numbers come from");
  fields.check([&](const Place& place) {
    fault.symptoms.exit_code = static_cast<int>(exit_code);
    if (!place.sound("model")) return;
    set_life(place, fault, rate, world);
    check_fault(place, fault);
  });
}

}  // namespace gauntlet
