#include "config/describe.hpp"
#include "config/exposure.hpp"
#include "config/laws.hpp"
#include "config/reserved_names.hpp"
#include "config/types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::array<Choice<ComponentKind>, 3> kComponents = {{
    {"host", ComponentKind::host},
    {"gpu", ComponentKind::gpu},
    {"nic", ComponentKind::nic},
}};
constexpr std::array<Choice<Effect>, 7> kEffects = {{
    {"crash", Effect::crash},
    {"hang", Effect::hang},
    {"slow", Effect::slow},
    {"stall", Effect::stall},
    {"corrupt", Effect::corrupt},
    {"degrade", Effect::degrade},
    {"none", Effect::none},
}};
constexpr std::array<Choice<FaultClock>, 2> kClocks = {{
    {"always", FaultClock::always},
    {"training", FaultClock::training},
}};
constexpr std::array<Choice<Segment>, 4> kSegments = {{
    {"all", Segment::all},
    {"forward", Segment::forward},
    {"backward", Segment::backward},
    {"optimizer", Segment::optimizer},
}};
constexpr std::array<Choice<Remedy>, 2> kRemedies = {{
    {"restart", Remedy::restart},
    {"repair", Remedy::repair},
}};
constexpr std::array<Choice<bool>, 2> kAges = {{
    {"stationary", true},
    {"new", false},
}};

/// What a scenario says of how often a component fails, before it is a law.
struct Frequency {
  double count = 0;
  std::optional<Exposure> over;
  std::optional<double> mtbf;  // seconds
};

constexpr std::string_view kNever = "never";
/// The mean life of what never strikes, in seconds: beyond every window by hundreds of digits, and still a number.
constexpr double kNeverSeconds = 1e300;

double per_host(ComponentKind kind, const Hardware& hardware) {
  if (kind == ComponentKind::gpu) return hardware.gpus_per_host;
  if (kind == ComponentKind::nic) return hardware.nics_per_host;
  return 1;
}

/// The mean time between failures of one component. A count over GPUs is a count over their hosts too: what fails is
/// the same, only its share differs.
double mean_life(const Frequency& frequency, ComponentKind kind, const Hardware& hardware) {
  if (frequency.mtbf) return *frequency.mtbf;
  const Exposure& over = *frequency.over;
  const double components = over.components / per_host(over.kind, hardware) * per_host(kind, hardware);
  return over.seconds * components / frequency.count;
}

Type exposure(std::optional<Exposure>& into) {
  return {R"({"type": "string", "pattern": " x [0-9.]+ ?(hosts?|gpus?|nics?)$"})",
          [&into](const Place& place) {
            const std::string* text = read_text(place, "an exposure such as \"54d x 2048 hosts\"");
            if (text == nullptr) return;
            auto parsed = parse_exposure(*text);
            if (!parsed.value) return place.mistake(std::move(parsed.why), std::move(parsed.suggestion));
            into = *parsed.value;
          }};
}

/// A mean life, or "never".
Type mean_life_type(std::optional<double>& into) {
  return {"{\"anyOf\": [{\"const\": \"never\"}, " + duration_schema() + "]}", [&into](const Place& place) {
            constexpr std::array<std::string_view, 5> kEndless = {"inf", "+inf", "infinity", "infinite",
                                                                  "forever"};
            const std::string* text = place.value().string();
            const double* number = std::get_if<double>(&place.value().data);
            const bool endless =
                (text != nullptr && std::find(kEndless.begin(), kEndless.end(), *text) != kEndless.end()) ||
                (number != nullptr && std::isinf(*number) && *number > 0);
            if (endless)
              return place.mistake("is no length of time", "write \"never\" for a fault that never strikes");
            into = text != nullptr && *text == kNever ? kNeverSeconds : read_seconds(place);
          }};
}

/// How many failures were seen; none is no rate.
Type failures(double& into) {
  Type type = number(into, {0, 1e18, true});
  type.read = [read = std::move(type.read)](const Place& place) {
    const auto* whole = std::get_if<std::int64_t>(&place.value().data);
    const auto* real = std::get_if<double>(&place.value().data);
    if ((whole != nullptr && *whole == 0) || (real != nullptr && *real == 0))
      return place.mistake("is not above 0", "write mtbf = \"never\" for a fault that never strikes");
    read(place);
  };
  return type;
}

void describe_rate(Fields& fields, Frequency& frequency) {
  fields.field("count", failures(frequency.count), Fallback::required("3"), "failures that were observed");
  fields.field("over", exposure(frequency.over), Fallback::required("\"30d x 128 hosts\""),
               "for how long times how many components: \"54d x 2048 hosts\", also gpus and nics");
  describe_source(fields);
}

/// A law's name or table; its mean comes from the fault's rate, so it is made once both are known.
Type shape() {
  return {"{\"anyOf\": [{\"type\": \"string\"}, " + law_schema() + "]}", [](const Place&) {}, true};
}

using Trace = std::vector<std::pair<Time, std::uint32_t>>;

Type trace(Trace& into) {
  return {
      R"({"type": "array", "items": {"type": "object", "required": ["at", "component"], "properties": {"at": )" +
          duration_schema() + R"(, "component": {"type": "integer", "minimum": 0}}}})",
      [&into](const Place& place) {
        if (place.value().array() == nullptr)
          return wrong_type(place, "a list such as [{ at = \"3h\", component = 17 }]");
        into.clear();
        for (std::size_t i = 0; i < place.value().array()->size(); ++i) {
          const Place each = element(place, i);
          if (each.value().table() == nullptr) {
            wrong_type(each, "a table such as { at = \"3h\", component = 17 }");
            continue;
          }
          const auto at = each.find("at"), component = each.find("component");
          if (!at || !component || each.value().table()->size() != 2) {
            each.mistake("is not an onset and a component", "write { at = \"3h\", component = 17 }");
            continue;
          }
          const auto onset = read_duration(*at, Sign::not_negative);
          const auto who = read_whole_number(*component, {0, std::numeric_limits<std::uint32_t>::max()});
          if (onset && who) into.emplace_back(kStart + *onset, static_cast<std::uint32_t>(*who));
        }
        std::stable_sort(into.begin(), into.end());
      }};
}

/// A log line's name joins the patterns of the world.
Type pattern(std::optional<PatternId>& into, World& world) {
  return {"{\"type\": \"string\", \"minLength\": 1}", [&into, &world](const Place& place) {
            const std::string* text = read_text(place, "the name of a log line");
            if (text == nullptr) return;
            if (text->empty()) return place.mistake("is no name", "leave `log` out where nothing is logged");
            auto& patterns = world.patterns;
            const auto found = std::find(patterns.begin(), patterns.end(), *text);
            into = PatternId{static_cast<std::uint32_t>(found - patterns.begin())};
            if (found == patterns.end()) patterns.push_back(*text);
          }};
}

/// A law that is said with `law`, and with `rate` or `mtbf` for its mean.
void set_life(const Place& place, FaultKind& fault, const Frequency& frequency, const Hardware& hardware) {
  const bool rate = place.find("rate").has_value(), mtbf = place.find("mtbf").has_value();
  if (rate && mtbf) return place.mistake_at("mtbf", "is given beside rate", "leave one of them out");
  if (!fault.trace.empty()) {
    if (rate || mtbf) place.mistake_at("trace", "is given beside a rate", "leave one of them out");
    return;
  }
  if (mtbf && frequency.mtbf == kNeverSeconds) {  // of whatever shape
    fault.life = Law::exponential(kNeverSeconds);
    return;
  }
  const auto law = place.find("law");
  if (!rate && !mtbf && !place.given("law") && place.all_sound("rate", "mtbf", "law", "trace"))
    return place.mistake_at(
        "rate", "is missing",
        "write rate = { count = 3, over = \"30d x 128 hosts\" }, mtbf = \"300h\" or \"never\"");
  if (!law || !place.all_sound("rate", "mtbf", "component", "law")) return;
  const auto form = read_law_shape(*law, rate || mtbf);
  if (!form) return;
  std::optional<double> mean;
  if (rate || mtbf) mean = mean_life(frequency, fault.component, hardware);
  fault.life = make_law(*form, mean);
}

void check_fault(const Place& place, FaultKind& fault) {
  const auto& reserved = kCausesThatAreNoFault;
  if (std::find(reserved.begin(), reserved.end(), fault.name) != reserved.end())
    place.mistake("has the name of a cause of lost time that is no fault", "choose another name");
  const bool by_factor = fault.effect == Effect::slow || fault.effect == Effect::degrade;
  if (by_factor && fault.factor <= 1 && place.all_sound("effect", "factor"))
    place.mistake_at("factor", "is not above 1",
                     "a slow host takes `factor` times as long, a degraded NIC carries 1/`factor`");
  if (fault.segment != Segment::all && fault.effect != Effect::slow && place.all_sound("effect", "segment"))
    place.mistake_at("segment", "is given, and the effect is not slow", "leave it out");
  if (fault.effect == Effect::slow && fault.component == ComponentKind::nic &&
      place.all_sound("effect", "component"))
    place.mistake_at("component", "is a NIC, which computes nothing that could be slow",
                     "effect = \"degrade\", or component = \"host\" or \"gpu\"");
  if (fault.effect == Effect::degrade && fault.component == ComponentKind::gpu &&
      place.all_sound("effect", "component"))
    place.mistake_at("component", "is a GPU, which has no bandwidth to lose",
                     "component = \"nic\", or \"host\" for all its NICs");
  if (fault.effect == Effect::stall && !fault.heals_after && place.all_sound("effect", "heals_after"))
    place.mistake_at("heals_after", "is missing", "a stall is a pause that heals: heals_after = \"3s\"");
  if (fault.stationary_ages && fault.trace.empty() && std::isinf(fault.life.mean()) &&
      place.all_sound("law", "age"))
    place.mistake_at("law", "has an infinite mean, so there is no middle of a life to start in",
                     "set age = \"new\"");
}

/// { fault = probability } as a probability for each fault kind.
Type detects(std::vector<Probability>& into, const World& world) {
  return {R"({"type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}})",
          [&into, &world](const Place& place) {
            if (place.value().table() == nullptr)
              return wrong_type(place, "a table such as { faulty_gpu = 0.9 }");
            std::vector<std::string> known;
            for (const FaultKind& fault : world.faults) known.push_back(fault.name);
            for (const auto& [name, value] : *place.value().table()) {
              const auto found = std::find(known.begin(), known.end(), name);
              if (found == known.end()) {
                place.mistake_of_key(name, "is not a fault of this scenario", suggest_names(name, known));
                continue;
              }
              if (const auto p = read_number(*place.find(name), {0, 1, false}))
                into[static_cast<std::size_t>(found - known.begin())] = Probability{*p};
            }
          }};
}

}  // namespace

void describe(Fields& fields, FaultKind& fault, World& world) {
  Frequency frequency;
  fields.alternatives({"rate", "mtbf", "trace"});
  fields.field("component", choice<ComponentKind>(fault.component, kComponents, "a kind of component"),
               Fallback::required("\"host\""), "what fails");
  fields.inline_table(
      "rate", [&](Fields& f) { describe_rate(f, frequency); }, "how often, as a count over an exposure");
  fields.field("mtbf", mean_life_type(frequency.mtbf), Fallback::optional(),
               "how often: mean life of one component; never: not at all");
  fields.field("law", shape(), Fallback::value("\"exponential\""),
               "of the life of one component; its mean comes from rate or mtbf where one is given");
  fields.field("trace", trace(fault.trace), Fallback::optional(), "onsets and components, in place of a law");
  fields.field("age", choice<bool>(fault.stationary_ages, kAges, "an age"), Fallback::value("\"stationary\""),
               "stationary: components are in mid-life at the start; new: all are new");
  fields.field("clock", choice<FaultClock>(fault.clock, kClocks, "a clock"), Fallback::value("\"always\""),
               "always: strikes every powered host, spares too; training: only the job's while it trains");
  fields.field("effect", choice<Effect>(fault.effect, kEffects, "an effect"), Fallback::required("\"crash\""),
               "what it does to the culprit");
  fields.field("factor", number(fault.factor, {1, 1e9, false}), Fallback::value("1.0"),
               "slow: times as long; degrade: bandwidth divided by it");
  fields.field("segment", choice<Segment>(fault.segment, kSegments, "a segment of a step"),
               Fallback::value("\"all\""), "slow: the compute that takes so long");
  std::optional<Law>& heals_after = fault.heals_after;
  Law heals = Law::exponential(1);
  fields.field("heals_after",
               {law(heals).schema,
                [&](const Place& place) {
                  law(heals).read(place);
                  if (place.sound("")) heals_after = heals;
                },
                true},
               Fallback::optional(), "until it ends by itself");
  fields.field("remedy", choice<Remedy>(fault.remedy, kRemedies, "a remedy"), Fallback::value("\"repair\""),
               "what ends it otherwise: restart of the job's processes, or repair of the host");
  fields.field("heartbeat_lost", flag(fault.symptoms.heartbeat_lost), Fallback::value("false"),
               "whether the host's agent is gone with it");
  fields.field("log", pattern(fault.symptoms.log, world), Fallback::optional(),
               "the line that the culprit logs");
  fields.field("log_probability", probability(fault.symptoms.log_probability), Fallback::value("1.0"),
               "that it logs the line");
  fields.field("log_delay", law(fault.symptoms.log_delay), Fallback::value("\"0s\""),
               "from the onset to the line");
  fields.field("source", text(fault.source), Fallback::optional(), "where these numbers come from");
  fields.check([&](const Place& place) {
    set_life(place, fault, frequency, world.hardware);
    check_fault(place, fault);
  });
}

void describe(Fields& fields, ProbeKind& probe, const World& world) {
  probe.detects.assign(world.faults.size(), Probability{0});
  fields.field("time", duration(probe.time, Sign::not_negative), Fallback::required("\"1min\""),
               "to run once, on all hosts in parallel");
  fields.field("false_positive", probability(probe.false_positive), Fallback::value("0.0"),
               "for each healthy host and run");
  fields.field("detects", detects(probe.detects, world), Fallback::value("{}"),
               "the probability, for each fault kind");
  fields.field("source", text(probe.source), Fallback::optional(), "where these numbers come from");
}

}  // namespace gauntlet
