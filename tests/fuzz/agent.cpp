// Messages between a driver and its agents, as protobuf has them: what is read, sent again, arrives as the same.
#include "real/agent/wire_private.hpp"
#include "tests/fuzz/fuzz.hpp"

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  receive<agent::ToAgent>(bytes);
  receive<agent::FromAgent>(bytes);
  // What a trainer prints and what a file is called may hold any bytes.
  arrives_as_sent<agent::FromAgent>(
      AgentMessage(AgentRankLine{.run = 1, .rank = 0, .line = std::string(bytes)}));
  arrives_as_sent<agent::ToAgent>(DriverMessage(
      DriverStartRanks{.order = OrderId{1}, .run = 1, .ranks = {0}, .arguments = {std::string(bytes)}}));
  return 0;
}
