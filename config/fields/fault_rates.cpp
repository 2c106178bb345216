#include "config/fields/fault_rates.hpp"

#include "config/fields/laws.hpp"
#include "config/fields/rate_profile.hpp"
#include "config/fields/types.hpp"
#include "models/world/blast_radius.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::array<Choice<FaultClock>, 3> kClocks = {{
    {"always", FaultClock::always},
    {"training", FaultClock::training},
    {"start", FaultClock::start},
}};
constexpr std::array<Choice<bool>, 2> kAges = {{
    {"stationary", true},
    {"new", false},
}};

constexpr std::string_view kNeverWord = "never";
/// The mean life of what never strikes, in seconds: beyond every window by hundreds of digits, and still a number.
constexpr double kNeverSeconds = 1e300;

double per_host(ComponentKind kind, const World& world) {
  if (kind == ComponentKind::host) return 1;
  if (kind == ComponentKind::gpu) return world.hardware.gpus_per_host;
  if (kind == ComponentKind::nic) return world.hardware.nics_per_host;
  if (kind == ComponentKind::job) return 1.0 / world.inventory.job_hosts;
  return static_cast<double>(component_count(world, kind)) / world.inventory.hosts();
}

/// The mean time between failures of one component. A count over GPUs is a count over their hosts too: what fails is
/// the same, only its share differs.
double mean_life(const FaultRate& rate, ComponentKind kind, const World& world) {
  if (rate.mtbf) return *rate.mtbf;
  const Exposure& over = *rate.over;
  const double counted = per_host(over.kind, world), failing = per_host(kind, world);
  if (counted == 0 || failing == 0) return kNeverSeconds;  // this cluster has none of them
  const double components = over.components / counted * failing;
  return over.seconds * components / rate.count;
}

Type exposure(std::optional<Exposure>& into) {
  return {
      [] {
        return R"({"type": "string", "pattern": " x [0-9.]+ ?(hosts?|gpus?|nics?|racks?|tors?|aggregations?|spines?|power|jobs?)$"})";
      },
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
  return {[] { return "{\"anyOf\": [{\"const\": \"never\"}, " + duration_schema() + "]}"; },
          [&into](const Place& place) {
            constexpr std::array<std::string_view, 5> kEndless = {"inf", "+inf", "infinity", "infinite",
                                                                  "forever"};
            const std::string* text = place.value().string();
            const double* number = std::get_if<double>(&place.value().data);
            const bool endless =
                (text != nullptr && std::find(kEndless.begin(), kEndless.end(), *text) != kEndless.end()) ||
                (number != nullptr && std::isinf(*number) && *number > 0);
            if (endless)
              return place.mistake("is not a length of time",
                                   "write \"never\" for a fault that never strikes");
            into = text != nullptr && *text == kNeverWord ? kNeverSeconds : read_seconds(place);
          }};
}

/// How many failures were seen; none is not a rate.
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

void describe_count(Fields& fields, FaultRate& rate) {
  fields.field("count", failures(rate.count), Fallback::required("3"), "failures that were observed");
  fields.field(
      "over", exposure(rate.over), Fallback::required("\"30d x 128 hosts\""),
      "for how long times how many components: \"54d x 2048 hosts\", also gpus, nics, tors, jobs ...");
  fields.field("source", note(), Fallback::optional(), "where these numbers come from");
}

/// A law's name or table; its mean comes from the fault's rate, so it is made once both are known.
Type shape() {
  return {[] { return "{\"anyOf\": [{\"type\": \"string\"}, " + law_schema() + "]}"; }, [](const Place&) {},
          true};
}

using Trace = std::vector<std::pair<Time, std::uint32_t>>;

Type trace(Trace& into) {
  return {
      [] {
        return R"({"type": "array", "items": {"type": "object", "required": ["at", "component"], "properties": {"at": )" +
               duration_schema() + R"(, "component": {"type": "integer", "minimum": 0}}}})";
      },
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

/// A law that says how often by itself. The default does not: it has no mean of its own.
bool says_law(const Place& place) {
  const auto law = place.find("law");
  return law && (law->value().string() == nullptr || *law->value().string() != "exponential");
}

/// Switched off, whatever else is said of how often, on whichever clock.
bool strikes_never(const Place& place, const FaultRate& rate) {
  return place.given("mtbf") && rate.mtbf == kNeverSeconds;
}

/// On the clock `start` a chance says how often, and nothing else does.
void check_chance(const Place& place, const FaultKind& fault, const FaultRate& rate) {
  const bool at_start = fault.clock == FaultClock::start;
  if (!at_start && place.given("chance") && place.all_sound("clock", "chance"))
    return place.mistake_at("chance", "is given, and the clock is not start",
                            "write clock = \"start\", or a rate or mtbf in its place");
  if (!at_start || !place.all_sound("clock", "chance")) return;
  if (strikes_never(place, rate)) return;
  const auto says = [&](std::string_view name) {
    if (name == "law") return says_law(place);
    return name == "rate_factor" ? rate.factor != 1 : place.given(name);
  };
  for (const std::string_view name : {"rate", "mtbf", "rate_factor", "law", "trace"})
    if (says(name))
      return place.mistake_at(name, "is given, and the clock is start", "chance = 1e-5 says how often");
  if (!place.given("chance"))
    return place.mistake_at("chance", "is missing, and the clock is start",
                            "write chance = 1e-5, the probability for one component at one start of the job");
  if (!stops_job(fault.effect) && place.sound("effect"))
    place.mistake_at("effect", "is neither crash nor hang, and the clock is start",
                     "what strikes at a start makes it fail: effect = \"crash\" or \"hang\"");
}

/// A rate that is known, written as a count over its unit of time, is taken for all that was ever seen.
void warn_of_short_exposure(const Place& place, const FaultKind& fault, const FaultRate& rate) {
  constexpr double kDay = 86'400, kShort = 7 * kDay;
  constexpr double kMany = 100;  // so many say the rate to a sixth
  constexpr double kLow = 0.05, kHigh = 0.95;
  if (!place.find("rate") || !place.all_sound("rate", "law", "component", "rate_factor") || !rate.over)
    return;
  if (rate.over->seconds >= kShort || rate.count >= kMany) return;
  if (fault.life.mean() >= kNeverSeconds) return;  // this cluster has none of the components
  const auto rounded = [](double value) { return number_toml(std::nearbyint(100 * value) / 100); };
  const auto times = [&](double p) { return rounded(expected_count(rate.count, p) / rate.count); };
  place.warning_at(
      "rate.over",
      "is short, and the failures in it are taken for all that were ever observed: plan "
      "--uncertainty draws the rate from " +
          times(kLow) + " to " + times(kHigh) + " times this one (5% and 95%)",
      "write the whole time that was observed and its count; for a rate that is known, mtbf = \"" +
          rounded(fault.life.mean() * rate.factor / kDay) + "d\" in its place");
}

/// A law that is said with `law`, and with `rate` or `mtbf` for its mean.
void read_life(const Place& place, FaultKind& fault, const FaultRate& how_often, const World& world) {
  const bool rate = place.find("rate").has_value(), mtbf = place.find("mtbf").has_value();
  if (rate && mtbf) return place.mistake_at("mtbf", "is given together with rate", "leave one of them out");
  if (!fault.trace.empty()) {
    if (rate || mtbf) place.mistake_at("trace", "is given together with a rate", "leave one of them out");
    return;
  }
  if ((mtbf && how_often.mtbf == kNeverSeconds) || !says_how_often(place, fault)) {  // of whatever shape
    fault.life = Law::exponential(kNeverSeconds);
    return;
  }
  const auto law = place.find("law");
  if (!law || !place.all_sound("rate", "mtbf", "component", "law", "rate_factor")) return;
  const bool by_itself = rate || mtbf;
  if (!by_itself && !says_law(place)) {  // prevalence alone
    fault.life = Law::exponential(kNeverSeconds);
    return;
  }
  const auto form = read_law_shape(*law, by_itself);
  if (!form) return;
  std::optional<double> mean;
  if (by_itself) {
    if (!place.mistakes().sound("cluster") || !place.mistakes().sound("spares")) return;
    mean = mean_life(how_often, fault.component, world);
  }
  fault.life = make_law(*form, mean);
  if (how_often.factor != 1 && fault.life.mean() < kNeverSeconds)
    fault.life = fault.life.scaled(1 / how_often.factor);
}

}  // namespace

void describe_rate(Fields& fields, FaultKind& fault, FaultRate& rate) {
  fields.inline_table(
      "rate", [&](Fields& f) { describe_count(f, rate); },
      "how often it strikes, as a count over an exposure");
  fields.field("mtbf", mean_life_type(rate.mtbf), Fallback::optional(),
               "how often it strikes: mean life of one component; never: not at all");
  fields.field("rate_factor", number(rate.factor, {1e-6, 1e6, false}),
               "multiplier of the rate; below 1 for better parts");
  fields.field("law", shape(), Fallback::value("\"exponential\""),
               "distribution of the time between failures of one component; its mean comes from rate or mtbf "
               "if one is given");
  fields.field("trace", trace(fault.trace), Fallback::optional(),
               "onsets and components, in place of a distribution");
  fields.field("age", choice<bool>(fault.stationary_ages, kAges, "an age"),
               "stationary: components are in mid-life at the start; new: all are new");
}

void describe_prevalence(Fields& fields, FaultKind& fault) {
  fields.field("prevalence", probability(fault.prevalence),
               "share of the components that have it from the beginning");
}

void describe_clock(Fields& fields, FaultKind& fault) {
  fields.field("clock", choice<FaultClock>(fault.clock, kClocks, "a clock"),
               "always: strikes every powered host, spares too; training: only the job's while it trains; "
               "start: when the job starts");
}

void describe_chance(Fields& fields, FaultKind& fault) {
  fields.field(
      "chance", probability(fault.chance), Fallback::optional(),
      "clock start: the probability for one component at one start of the job; mtbf = \"never\": none");
}

bool says_how_often(const Place& place, const FaultKind& fault) {
  const bool written = place.find("rate") || place.find("mtbf") || says_law(place) || place.find("trace");
  return written || fault.prevalence.value > 0 || fault.clock == FaultClock::start;
}

void rate_is_missing(const Place& place) {
  place.mistake_at("rate", "is missing",
                   "write rate = { count = 3, over = \"30d x 128 hosts\" }, mtbf = \"300h\" or \"never\"");
}

void set_life(const Place& place, FaultKind& fault, const FaultRate& rate, const World& world) {
  check_chance(place, fault, rate);
  if (fault.clock == FaultClock::start) {
    fault.life = Law::exponential(kNeverSeconds);
    if (strikes_never(place, rate)) fault.chance = Probability{0};
  } else {
    read_life(place, fault, rate, world);
    warn_of_short_exposure(place, fault, rate);
  }
  check_profile(place, fault, world);
}

}  // namespace gauntlet
