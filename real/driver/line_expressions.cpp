#include "real/driver/line_expressions.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kXid = "xid_";

struct UsualLine {
  std::string_view name, expression;
  std::string_view sample;  // that the expression finds
};
// As those who log them write them: the kernel, NCCL, PyTorch, Python, and the agent of what a GPU met (real/signals/gpu_watch.hpp).
constexpr std::array<UsualLine, 18> kUsual = {
    {{"collective_timeout", R"(Watchdog caught collective operation timeout)",
      "Watchdog caught collective operation timeout"},
     {"nccl_error", R"(NCCL WARN|NCCL error|ncclSystemError|ncclInternalError|ncclRemoteError)", "NCCL WARN"},
     {"exception", R"(^Traceback \(most recent call last\):)", "Traceback (most recent call last):"},
     {"oom", R"(Out of memory: Killed process|invoked oom-killer)", "Out of memory: Killed process"},
     {"disk_full", R"(No space left on device)", "No space left on device"},
     {"io_error", R"(\bI/O error\b|Input/output error)", "I/O error"},
     {"nic_down", R"(\b[Ll]ink (is )?[Dd]own\b)", "Link is Down"},
     {"kernel_panic", R"(Kernel panic - not syncing)", "Kernel panic - not syncing"},
     {"gpu_lost", R"(^GPU \d+: is lost)", "GPU 0: is lost"},
     {"gpu_silent", R"(^GPU \d+: does not answer)", "GPU 0: does not answer: Unknown Error"},
     {"gpu_ecc", R"(^GPU \d+: uncorrected errors of memory)", "GPU 0: uncorrected errors of memory: 1 more"},
     {"gpu_row_remap", R"(^GPU \d+: a row remap)", "GPU 0: a row remap failed"},
     {"gpu_slowdown", R"(^GPU \d+: slowed down)", "GPU 0: slowed down: power brake"},
     {"gpu_pcie", R"(^GPU \d+: its PCIe link has)", "GPU 0: its PCIe link has 8 of 16 lanes"},
     {"gpu_pcie_replays", R"(^GPU \d+: PCIe replays)", "GPU 0: PCIe replays: 1 more"},
     {"gpu_nvlink", R"(^GPU \d+: inactive NVLinks)", "GPU 0: inactive NVLinks: 3"},
     {"gpu_nvlink_errors", R"(^GPU \d+: NVLink errors)", "GPU 0: NVLink errors: 1 more"},
     {"gpu_driver", R"(^GPUs: the driver has not answered)", "GPUs: the driver has not answered for 30s"}}};
constexpr std::string_view kInjected = " (injected by gauntlet)";

const UsualLine* usual_line(std::string_view name) {
  const auto found =
      std::find_if(kUsual.begin(), kUsual.end(), [&](const UsualLine& usual) { return usual.name == name; });
  return found == kUsual.end() ? nullptr : &*found;
}

std::string usual_expression(std::string_view name) {
  // "NVRM: Xid (PCI:0000:3b:00): 79, pid=...": https://docs.nvidia.com/deploy/xid-errors/
  if (name.starts_with(kXid))
    return R"(NVRM: Xid \([^)]*\): )" + std::string(name.substr(kXid.size())) + R"(\b)";
  const UsualLine* usual = usual_line(name);
  return usual == nullptr ? "" : std::string(usual->expression);
}

}  // namespace

std::vector<std::string> line_expressions(const World& world) {
  std::vector<std::string> out;
  for (const std::string& name : world.patterns) {
    const auto& given = world.drill.lines;
    const auto own =
        std::find_if(given.begin(), given.end(), [&](const auto& each) { return each.first == name; });
    out.push_back(own == given.end() ? usual_expression(name) : own->second);
  }
  // Where the job's own lines say it, an agent reads it there.
  if (!world.drill.command.lines.timed_out.empty() && !out.empty()) out[kCollectiveTimeout.value].clear();
  return out;
}

std::string sample_line(std::string_view name) {
  if (name.starts_with(kXid))
    return "NVRM: Xid (PCI:0000:00:00): " + std::string(name.substr(kXid.size())) + std::string(kInjected);
  const UsualLine* usual = usual_line(name);
  return std::string(usual == nullptr ? name : usual->sample) + std::string(kInjected);
}

}  // namespace gauntlet
