// Observations and orders: what is read is what would be written, byte for byte, and it can be shown.
#include "core/record/codec.hpp"

#include "tests/fuzz/fuzz.hpp"

#include <algorithm>

using namespace gauntlet;

namespace {

template <class Decode>
void try_it(std::string_view bytes, Decode decode) {
  std::string_view rest = bytes;
  const auto value = decode(rest);
  if (!value) return;
  ByteBuffer written;
  encode(*value, written);
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  ensure(std::equal(written.begin(), written.end(), begin, begin + (bytes.size() - rest.size())),
         "what is read is what would be written");
  ensure(to_text(*value).find('?') == std::string::npos, "everything that is read has a name");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try_it(text_of(data, size), decode_observed);
  try_it(text_of(data, size), decode_order);
  return 0;
}
