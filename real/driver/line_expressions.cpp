#include "real/driver/line_expressions.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kXid = "xid_";

// As those who log them write them: the kernel, NCCL, PyTorch, Python.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kUsual = {
    {{"collective_timeout", R"(Watchdog caught collective operation timeout)"},
     {"nccl_error", R"(NCCL WARN|NCCL error|ncclSystemError|ncclInternalError|ncclRemoteError)"},
     {"exception", R"(^Traceback \(most recent call last\):)"},
     {"oom", R"(Out of memory: Killed process|invoked oom-killer)"},
     {"disk_full", R"(No space left on device)"},
     {"io_error", R"(\bI/O error\b|Input/output error)"},
     {"nic_down", R"(\b[Ll]ink (is )?[Dd]own\b)"},
     {"kernel_panic", R"(Kernel panic - not syncing)"}}};

std::string usual_expression(std::string_view name) {
  // "NVRM: Xid (PCI:0000:3b:00): 79, pid=...": https://docs.nvidia.com/deploy/xid-errors/
  if (name.starts_with(kXid))
    return R"(NVRM: Xid \([^)]*\): )" + std::string(name.substr(kXid.size())) + R"(\b)";
  const auto found =
      std::find_if(kUsual.begin(), kUsual.end(), [&](const auto& usual) { return usual.first == name; });
  return found == kUsual.end() ? "" : std::string(found->second);
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

}  // namespace gauntlet
