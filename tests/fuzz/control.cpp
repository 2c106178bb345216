// What an operator asks of a driver, and what that answers, as protobuf has them: what passes, sent again, arrives as the same.
#include "real/control/control_wire_private.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>

using namespace gauntlet;

namespace {

void ask(std::string_view bytes) {
  control::Request wire;
  std::string why;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  const auto asked = from_wire(wire, why);
  ensure(asked.has_value() == why.empty(), "a refusal has a reason");
  if (!asked) return;
  ensure(problem_of_reason(asked->reason).empty(), "terminals and logs can show the reason");
  const std::string sent = to_wire(*asked).SerializeAsString();
  ensure(wire.ParseFromString(sent), "what is sent can be received");
  const auto again = from_wire(wire, why);
  ensure(again && to_wire(*again).SerializeAsString() == sent, "it arrives as the same request");
}

void answer(std::string_view bytes) {
  control::Reply wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  const auto reply = from_wire(wire);
  if (!reply) return;
  for (const auto& row : reply->rows)
    ensure(row.size() >= 2 && row.size() == reply->rows.front().size(), "the rows are a table");
  const std::string sent = to_wire(*reply).SerializeAsString();
  ensure(wire.ParseFromString(sent), "what is sent can be received");
  const auto again = from_wire(wire);
  ensure(again && to_wire(*again).SerializeAsString() == sent, "it arrives as the same answer");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  ask(bytes);
  answer(bytes);
  return 0;
}
