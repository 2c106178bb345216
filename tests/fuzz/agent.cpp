// Messages between a driver and its agents, as protobuf has them: what is read, sent again, arrives as the same.
#include "real/stream/wire_private.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <limits>
#include <optional>

using namespace gauntlet;

namespace {

template <class Wire>
void arrives_as_sent(const auto& message) {
  const std::string sent = to_wire(message).SerializeAsString();
  Wire wire;
  ensure(wire.ParseFromString(sent), "what is sent can be received");
  const auto arrived = from_wire(wire);
  ensure(arrived.has_value(), "what is sent is a message");
  ensure(to_wire(*arrived).SerializeAsString() == sent, "it arrives as the same message");
}

template <class Wire>
void receive(std::string_view bytes) {
  Wire wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  if (const auto message = from_wire(wire)) arrives_as_sent<Wire>(*message);
}

/// Messages that no mutation of bytes finds soon: with observations and orders by codec within.
void send_any(FuzzedDataProvider in) {
  const auto number = [&in] { return in.ConsumeIntegral<std::int64_t>(); };
  const auto text = [&in] { return in.ConsumeRandomLengthString(); };
  const auto count = [&in] { return in.ConsumeIntegral<std::uint32_t>(); };
  HostReport report{
      .identity = {.address = text(), .pod = text()},
      .hardware = {.cpu = text(), .cores = count(), .memory_bytes = count(), .gpus = {text(), text()}},
      .nics = {},
      .ranks = {},
      .free_disk_bytes = count()};
  while (in.ConsumeBool()) report.nics.push_back({text(), count(), count()});
  while (in.ConsumeBool())
    report.ranks.push_back({.rank = count(),
                            .pid = in.ConsumeIntegral<std::int32_t>(),
                            .state = static_cast<char>(in.ConsumeIntegralInRange<int>('A', 'z')),
                            .cpu_ns = number(),
                            .memory_bytes = count(),
                            .silent_ns = number()});
  while (in.ConsumeBool())
    report.gpus.push_back({.name = text(),
                           .celsius = count(),
                           .watts = count(),
                           .megahertz = count(),
                           .percent = count(),
                           .memory_bytes = count(),
                           .processes = count(),
                           .link_bytes = count()});
  arrives_as_sent<agent::FromAgent>(
      AgentMessage(AgentHeartbeat{.number = count(),
                                  .at_ns = number(),
                                  .ranks_alive = count(),
                                  .report = in.ConsumeBool() ? std::optional(report) : std::nullopt}));
  arrives_as_sent<agent::FromAgent>(AgentMessage(
      AgentSeen{{.at = Time(Duration(number())),
                 .what = Seen{.watch = WatchId{count()},
                              .who = component(HostId{count()}),
                              .edge = in.PickValueInArray({Edge::sample, Edge::began, Edge::ended}),
                              .sensed = Time(Duration(number())),
                              .value = in.ConsumeFloatingPoint<double>(),
                              .more = 0}}}));
  arrives_as_sent<agent::FromAgent>(AgentMessage(AgentRankExited{.run = count(),
                                                                 .rank = count(),
                                                                 .code = in.ConsumeIntegral<std::int32_t>(),
                                                                 .at_ns = number(),
                                                                 .said = text(),
                                                                 .place = text(),
                                                                 .last_lines = {text(), text()}}));
  arrives_as_sent<agent::FromAgent>(AgentMessage(AgentClockReading{.asked_ns = number(), .at_ns = number()}));
  arrives_as_sent<agent::ToAgent>(DriverMessage(
      DriverWatch{{.id = OrderId{count()},
                   .what = Watch{.id = WatchId{count()},
                                 .signal = Signal::step,
                                 .who = Scope::hosts_of_stage(JobId{0}, count()),
                                 .until = Outside{.low = in.ConsumeFloatingPoint<double>(),
                                                  .high = in.ConsumeFloatingPoint<double>()}}}}));
  arrives_as_sent<agent::ToAgent>(DriverMessage(DriverTellRanks{
      .what = in.PickValueInArray({RankOrder::checkpoint, RankOrder::cadence, RankOrder::stop}),
      .steps = in.ConsumeIntegralInRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max())}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  receive<agent::ToAgent>(bytes);
  receive<agent::FromAgent>(bytes);
  send_any(FuzzedDataProvider(data, size));
  // What a trainer prints and what a file is called may hold any bytes.
  arrives_as_sent<agent::FromAgent>(
      AgentMessage(AgentRankLine{.run = 1, .rank = 0, .line = std::string(bytes)}));
  arrives_as_sent<agent::ToAgent>(DriverMessage(
      DriverStartRanks{.order = OrderId{1}, .run = 1, .ranks = {0}, .arguments = {std::string(bytes)}}));
  return 0;
}
