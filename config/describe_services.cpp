// What surrounds the job: storage, telemetry, repair, people, money.
#include "config/describe.hpp"
#include "config/laws.hpp"
#include "config/types.hpp"
#include "config/uncertain.hpp"

#include <algorithm>
#include <array>
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

constexpr std::array<Choice<CheckpointMode>, 2> kModes = {{
    {"synchronous", CheckpointMode::synchronous},
    {"two_stage", CheckpointMode::two_stage},
}};

}  // namespace

void describe(Fields& fields, StorageModel& storage) {
  fields.field(
      "mode", choice<CheckpointMode>(storage.mode, kModes, "a way to save checkpoints"),
      Fallback::value("\"two_stage\""),
      "two_stage: training waits for the copy to host memory; synchronous: until all of it is durable");
  fields.field("bytes_per_parameter", number(storage.bytes_per_parameter, {0, 1e6, true}),
               Fallback::value("14.0"),
               "of a checkpoint: bf16 weights, fp32 master weights and two optimizer moments are 14");
  fields.field("write", quantity(storage.write, Sign::positive), Fallback::optional(),
               "by all clients together");
  fields.field("read", quantity(storage.read, Sign::positive), Fallback::optional(),
               "by all clients together");
  fields.field("stall", duration(storage.stall, Sign::not_negative), Fallback::value("\"0s\""),
               "for which a checkpoint blocks training, as measured; 0s: from size and bandwidth");
  fields.field("persist", duration(storage.persist, Sign::not_negative), Fallback::value("\"0s\""),
               "from the end of the stall until durable, as measured; 0s: from size and bandwidth");
  fields.field("load", duration(storage.load, Sign::not_negative), Fallback::value("\"0s\""),
               "to load a checkpoint, as measured; 0s: from size and bandwidth");
  fields.field("free", flag(storage.free), Fallback::value("false"),
               "stall, persist and load take no time where they are 0s");
  describe_source(fields);
  fields.check([&](const Place& place) {
    if (storage.free || !place.all_sound("mode", "stall", "persist", "load", "free")) return;
    const bool two_stage = storage.mode == CheckpointMode::two_stage;
    const Duration measured = two_stage ? storage.persist : storage.stall;
    if (measured == Duration::zero() && storage.write.value == 0 && place.sound("write"))
      place.mistake_at("write", "is missing",
                       two_stage ? "write = \"1TB/s\", the measured persist, or free = true"
                                 : "write = \"1TB/s\", the measured stall, or free = true");
    if (storage.load == Duration::zero() && storage.read.value == 0 && place.sound("read"))
      place.mistake_at("read", "is missing", "read = \"1TB/s\", the measured load, or free = true");
  });
}

void describe(Fields& fields, Telemetry& telemetry) {
  fields.field("heartbeat_period", duration(telemetry.heartbeat_period, Sign::positive),
               Fallback::value("\"10s\""), "of every host's agent");
  fields.field("heartbeat_jitter", duration(telemetry.heartbeat_jitter, Sign::not_negative),
               Fallback::value("\"0s\""), "a heartbeat comes up to so much later; below the period");
  fields.field("gap_mtbf", duration(telemetry.gap_mtbf, Sign::not_negative), Fallback::value("\"0s\""),
               "of one host: heartbeats are lost for a while though it is well; 0s: never");
  fields.field("gap_duration", law(telemetry.gap_duration), Fallback::value("\"0s\""),
               "how long they are lost");
  fields.field("delay", duration(telemetry.delay, Sign::not_negative), Fallback::value("\"1s\""),
               "of log lines, timings and traffic on their way to the driver (assumption)");
  fields.field("clock_error", duration(telemetry.clock_error, Sign::not_negative),
               Fallback::value("\"10ms\""),
               "by which a host's clock may be off, either way (assumption: NTP within a data centre)");
  fields.field("noise", number(telemetry.noise, {0, 0.5, false}), Fallback::value("0.02"),
               "share by which timings and traffic may be off, either way (assumption)");
  fields.field("traffic_interval", duration(telemetry.traffic_interval, Sign::positive),
               Fallback::value("\"1s\""), "between samples of traffic (MegaScale: seconds)");
  fields.field("blip_mtbf", duration(telemetry.blip_mtbf, Sign::not_negative), Fallback::value("\"0s\""),
               "of one host: its timings read wrong for a while though it is well; 0s: never");
  fields.field("blip_factor", number(telemetry.blip_factor, {0, 1e6, true}), Fallback::value("1.5"),
               "by which they then read too long");
  fields.field("blip_duration", law(telemetry.blip_duration), Fallback::value("\"0s\""), "for how long");
  fields.field("abort_hop", duration(telemetry.abort_hop, Sign::not_negative), Fallback::value("\"1s\""),
               "from the abort of a rank to that of the ranks that talk with it (assumption)");
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

void describe(Fields& fields, RepairShop& repair) {
  fields.field("time", law(repair.time), Fallback::optional(),
               "of one host until it is back, as good as new; needed where a fault's remedy is repair");
  fields.field(
      "crew", whole_number(repair.crew, {0, kMostTechnicians}), Fallback::value("0"),
      "technicians, each with one host at a time; others wait, first come first served; 0: always enough");
  describe_source(fields);
}

void describe(Fields& fields, People& people) {
  fields.field("response", law(people.response), Fallback::value("\"0s\""),
               "until a person who was asked has found the culprit");
  fields.field("notice", law(people.notice), Fallback::value("\"30min\""),
               "until a person sees unasked that the job stands still (assumption)");
  describe_source(fields);
}

void describe(Fields& fields, Cost& cost) {
  fields.field("gpu_hour", quantity(cost.gpu_hour, Sign::not_negative), Fallback::value("\"0USD\""),
               "of every GPU held, the job's and the spares'");
  describe_source(fields);
}

void describe(Fields& fields, DrillModel& drill) {
  fields.field("inject", flag(drill.inject), Fallback::value("false"),
               "whether `gauntlet drill` may inject the faults into real processes");
  fields.field("lease", duration(drill.lease, Sign::positive), Fallback::value("\"10s\""),
               "ranks stop when their driver was not heard for so long");
  describe_source(fields);
}

void describe(Fields& fields, StudyDefaults& study) {
  fields.field("replicas", whole_number(study.replicas, {1, 1'000'000'000}), Fallback::value("200"),
               "random runs, unless the command line says otherwise");
  fields.field("seed", whole_number(study.seed, {0, std::numeric_limits<std::int64_t>::max()}),
               Fallback::value("1"), "of all randomness");
  fields.field(
      "uncertain", uncertain_fields(study.uncertain), Fallback::value("[]"),
      "fields that are not known: path, and low to high for the central 90% of a lognormal (or other shape)");
  describe_source(fields);
}

void describe_source(Fields& fields) {
  fields.field("source", note(), Fallback::optional(), "where these numbers come from");
}

}  // namespace gauntlet
