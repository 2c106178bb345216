// Messages between the ranks of a study: what is read, written again, reads as the same.
#include "study/mpi/messages.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace gauntlet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<Message> message = decode(text_of(data, size));
  if (!message) return 0;
  const std::string written = encode(*message);
  ensure(written.size() <= size, "nobody writes a message longer than it must be");
  const std::optional<Message> again = decode(written);
  ensure(again.has_value(), "what is written is a message");
  ensure(again->index() == message->index() && encode(*again) == written, "it is the same message");
  return 0;
}
