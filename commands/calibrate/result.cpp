#include "commands/calibrate/result.hpp"

#include "core/quantity.hpp"

#include <fmt/format.h>

namespace gauntlet {

std::string size_text(const KeySample& sample, double size) {
  if (sample.grows == Grows::with_bytes) return to_text(Bytes{size});
  return fmt::format("{:g} host{}", size, size == 1 ? "" : "s");
}

std::string line_text(const CalibratedKey& key) {
  if (!key.value.line) return "";
  const SizeLine& line = *key.value.line;
  const bool bytes = key.sample.grows == Grows::with_bytes;
  const double unit = bytes ? 1e9 : 1;  // of a size: bytes are many
  return fmt::format("t = {:.4g} s + {:.4g} s x {}, measured from {} to {}", line.at_zero,
                     line.per_unit * unit, bytes ? "GB" : "hosts", size_text(key.sample, line.least),
                     size_text(key.sample, line.most));
}

}  // namespace gauntlet
