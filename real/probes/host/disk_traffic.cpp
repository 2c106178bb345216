#include "real/probes/host/disk_traffic.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>

namespace gauntlet {
namespace {

// Whatever the disk: https://docs.kernel.org/block/stat.html
constexpr std::uint64_t kSector = 512;
// Assumption: others that move less than a tenth of the probe's bytes do not change its rate.
constexpr double kHardlyUsed = 0.1;

}  // namespace

std::optional<std::uint64_t> disk_bytes(const std::string& root, const std::string& directory) {
  struct stat found {};
  if (::stat(directory.c_str(), &found) != 0) return std::nullopt;
  std::string device = fmt::format("{}/sys/dev/block/{}:{}", root, major(found.st_dev), minor(found.st_dev));
  // Other partitions of a disk share it.
  if (std::ifstream(device + "/partition")) device += "/..";
  std::ifstream file(device + "/stat");
  std::uint64_t operations = 0, merged = 0, read = 0, time = 0, written = 0;
  if (!(file >> operations >> merged >> read >> time >> operations >> merged >> written)) return std::nullopt;
  return kSector * (read + written);
}

std::string why_shared(std::uint64_t own, std::uint64_t all) {
  const std::uint64_t others = all > own ? all - own : 0;
  if (static_cast<double>(others) <= kHardlyUsed * static_cast<double>(own)) return {};
  return fmt::format(
      "the disk moved {} MB for others beside the {} MB of the probe; repeat it while nothing else uses it",
      others / 1'000'000, own / 1'000'000);
}

}  // namespace gauntlet
