// What surrounds the job: telemetry, repair, people, money.
#include "config/checks/uncertain.hpp"
#include "config/describe.hpp"
#include "config/fields/laws.hpp"
#include "config/fields/types.hpp"
#include "core/currency.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::int64_t kMostTechnicians = 10'000'000;

/// Names of signals, stored as which of all of them are carried.
Type carried_signals(std::vector<bool>& into) {
  std::vector<std::string> unused;
  const std::vector<std::string> known(kSignalNames.begin(), kSignalNames.end());
  Type type = names(unused, known, "a signal");
  type.read = [&into, known](const Place& place) {
    std::vector<std::string> chosen;
    names(chosen, known, "a signal").read(place);
    for (std::size_t i = 0; i < known.size(); ++i)
      into[i] = std::find(chosen.begin(), chosen.end(), known[i]) != chosen.end();
  };
  return type;
}

std::string every_signal() {
  std::string out;
  for (const std::string_view name : kSignalNames)
    out += (out.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  return "[" + out + "]";
}

void describe(Fields& fields, ManualRepair& manual) {
  fields.field("needed", probability(manual.needed),
               "share of the hosts that go on to a person after the automatic repair");
  fields.field("time", law(manual.time), Fallback::optional(),
               "time of one host in a person's hands; needed where any goes there");
  fields.field("crew", whole_number(manual.crew, {0, kMostTechnicians}),
               "technicians, as above; 0: always enough");
  fields.field("silent_failure", probability(manual.silent_failure),
               "share of the hosts that a person sends back no better than before");
  describe_source(fields);
  fields.check([&](const Place& place) {
    if (manual.needed.value > 0 && !place.given("time") && place.all_sound("needed", "time"))
      place.mistake_at("time", "is missing, and needed sends hosts to manual repair",
                       "write time = \"2d\", or needed = 0.0");
  });
}

}  // namespace

void describe(Fields& fields, Telemetry& telemetry) {
  fields.field("heartbeat_period", duration(telemetry.heartbeat_period, Sign::positive),
               Fallback::value("\"10s\""), "time between two heartbeats of a host");
  fields.field("heartbeat_jitter", duration(telemetry.heartbeat_jitter, Sign::not_negative),
               "a heartbeat comes up to so much later; below the period");
  telemetry.exit_delay = kForever;
  fields.field(
      "exit_delay", duration(telemetry.exit_delay, Sign::not_negative), Fallback::optional(),
      "the driver hears of a rank's exit so long after it, or with the next heartbeat where that is sooner; "
      "without this key, with the next heartbeat (MegaScale: heartbeats have the status of processes)");
  fields.field(
      "gap_mtbf", duration(telemetry.gap_mtbf, Sign::not_negative),
      "mean time between gaps of one host: heartbeats are lost for a while though it is well; 0s: never");
  fields.field("gap_duration", law(telemetry.gap_duration), "duration of a gap in the heartbeats");
  fields.field("delay", duration(telemetry.delay, Sign::not_negative), Fallback::value("\"1s\""),
               "delay of log lines, timings and traffic on their way to the driver (assumption)");
  fields.field(
      "clock_error", duration(telemetry.clock_error, Sign::not_negative), Fallback::value("\"10ms\""),
      "the time by which a host's clock may be off, either way (assumption: NTP within a data centre)");
  fields.field("noise", number(telemetry.noise, {0, 0.5, false}), Fallback::value("0.02"),
               "share by which timings and traffic may be off, either way (assumption)");
  fields.field("traffic_interval", duration(telemetry.traffic_interval, Sign::positive),
               "time between samples of traffic (MegaScale: seconds)");
  fields.field(
      "blip_mtbf", duration(telemetry.blip_mtbf, Sign::not_negative),
      "mean time between blips of one host: its timings read wrong for a while though it is well; 0s: never");
  fields.field("blip_factor", number(telemetry.blip_factor, {0, 1e6, true}), Fallback::value("1.5"),
               "factor by which wrong timings are too long");
  fields.field("blip_duration", law(telemetry.blip_duration), "duration of such wrong timings");
  fields.field("abort_hop", duration(telemetry.abort_hop, Sign::not_negative), Fallback::value("\"1s\""),
               "time from the abort of a rank to that of the ranks that talk with it (assumption)");
  fields.field("signals", carried_signals(telemetry.carries), Fallback::value(every_signal()),
               "what agents report at all");
  describe_source(fields);
  fields.check([&](const Place& place) {
    if (place.all_sound("heartbeat_period", "heartbeat_jitter") &&
        telemetry.heartbeat_jitter >= telemetry.heartbeat_period)
      place.mistake_at("heartbeat_jitter",
                       "is not below the period of " + to_text(telemetry.heartbeat_period),
                       "heartbeats would overtake each other");
  });
}

namespace {

/// What is found in burn-in is repaired again: some hosts must come back.
void check_repairs_end(const Place& place, const RepairShop& repair) {
  if (!place.all_sound("silent_failure", "manual", "burn_in", "burn_in_finds")) return;
  const double by_hand = repair.manual.needed.value;
  const double silent =
      (1 - by_hand) * repair.silent_failure.value + by_hand * repair.manual.silent_failure.value;
  if (repair.burn_in == Duration::zero() && repair.burn_in_finds.value != 1)
    place.warning_at("burn_in_finds", "is given, and nothing is tested",
                     "write burn_in = \"1h\", or leave it out");
  if (repair.burn_in > Duration::zero() && silent * repair.burn_in_finds.value >= 1)
    place.mistake_at("silent_failure",
                     "and manual.silent_failure let no repair hold, and burn_in_finds sends every host back",
                     "a host comes back only where one of them is below 1");
  else if (silent >= 1)
    place.warning_at("silent_failure",
                     "and manual.silent_failure let no repair hold: hosts come back with their faults",
                     "write less than 1, such as 0.2");
}

}  // namespace

void describe(Fields& fields, RepairShop& repair) {
  fields.field("time", law(repair.time), Fallback::optional(),
               "time of one host in automatic repair; needed where a fault's remedy is repair");
  fields.field(
      "crew", whole_number(repair.crew, {0, kMostTechnicians}),
      "technicians, each with one host at a time; others wait, first come first served; 0: always enough");
  fields.field("silent_failure", probability(repair.silent_failure),
               "share of the hosts that come back from automatic repair no better than before");
  repair.by_cause.clear();
  fields.entries(
      "by_cause",
      [&](Fields& f, const std::string&) {
        Law time = Law::constant(0);
        f.field("time", law(time), Fallback::required("\"30min\""),
                "repair time of a host that this fault broke");
        repair.by_cause.emplace_back(FaultKindId{}, std::move(time));
      },
      "times in place of `time`, fault by fault");
  fields.table(
      "manual", [&](Fields& f) { describe(f, repair.manual); }, "a person repairs what that could not");
  fields.field("burn_in", duration(repair.burn_in, Sign::not_negative),
               "the time for which a repaired host is tested before it is back");
  fields.field(
      "burn_in_finds", probability(repair.burn_in_finds),
      "share of the hosts still faulty after repair that the burn-in finds; they are repaired again");
  describe_source(fields);
  fields.check([&](const Place& place) { check_repairs_end(place, repair); });
}

void describe(Fields& fields, People& people) {
  fields.field("response", law(people.response), "time until a person who was asked has found the culprit");
  fields.field(
      "notice", law(people.notice), Fallback::value("\"30min\""),
      "time until a person sees unasked that the job stands still, or that no start succeeds (assumption)");
  describe_source(fields);
}

namespace {

/// The one currency of all amounts above zero; nothing costs as much in any. Where there is none: as the amounts of zero say.
void find_currency(const Place& place, Cost& cost) {
  constexpr std::array<std::string_view, 3> kAmounts = {"gpu_hour", "idle_gpu_hour", "tb_month"};
  std::optional<Place> first;  // of an amount above zero
  cost.currency = kDefaultCurrency;
  for (const std::string_view key : kAmounts) {
    const auto held = place.find(key);
    if (!held || held->value().string() == nullptr) continue;
    const std::optional<Price> price = parse_price(*held->value().string()).value;
    if (!price || price->currency.empty()) continue;
    if (price->amount.value > 0 && first && price->currency != cost.currency)
      return place.mistake_at(key,
                              "is in " + price->currency + ", and " + first->path() + " is in " +
                                  cost.currency + " (" + first->value().at.text() + ")",
                              "write all amounts of a scenario in one currency; no exchange rates are known");
    if (!first && (price->amount.value > 0 || held->value().at.written())) cost.currency = price->currency;
    if (!first && price->amount.value > 0) first = held;
  }
  // An amount that nobody wrote is shown in the currency of the others.
  for (const std::string_view key : kAmounts)
    if (const auto held = place.find(key); held && !held->value().at.written())
      held->value().data = to_text(Price{{}, cost.currency});
}

}  // namespace

void describe(Fields& fields, Cost& cost) {
  fields.field("gpu_hour", amount(cost.gpu_hour, Sign::not_negative),
               "price of an hour of every GPU of the job while its hosts are held, and of the spares' unless "
               "idle_gpu_hour says; the "
               "place of one that left for good (policies.retire) stays leased");
  Money idle;
  fields.field("idle_gpu_hour", amount(idle, Sign::not_negative), Fallback::optional(),
               "price of an hour of every GPU that stands by, those of spares.pool left out");
  fields.field(
      "tb_month", amount(cost.tb_month, Sign::not_negative),
      "price of the last checkpoints that storage keeps (storage.keep_last): 10^12 bytes for 30 days");
  describe_source(fields);
  fields.check([&](const Place& place) {
    cost.idle_gpu_hour.reset();
    if (place.find("idle_gpu_hour")) cost.idle_gpu_hour = idle;
    if (place.all_sound("gpu_hour", "idle_gpu_hour", "tb_month")) find_currency(place, cost);
  });
}

void describe(Fields& fields, StudyDefaults& study) {
  fields.field("replicas", whole_number(study.replicas, {1, kMostReplicas}),
               "random runs, unless the command line says otherwise");
  fields.field("seed", whole_number(study.seed, {0, std::numeric_limits<std::int64_t>::max()}),
               "the seed of all randomness");
  fields.field("uncertain", uncertain_fields(study.uncertain), Fallback::value("[]"),
               "fields that are not known: path, and low to high for the central 90% of a lognormal, or of "
               "shape normal, uniform or log-t");
  fields.field(
      "step_time_error", flag(study.step_time_error),
      "`plan --uncertainty` draws job.step_time_factor from the errors of the step model on published "
      "steps; false: a modelled step time is exact");
  describe_source(fields);
}

void describe_source(Fields& fields) {
  fields.field("source", note(), Fallback::optional(), "where these numbers come from");
}

}  // namespace gauntlet
