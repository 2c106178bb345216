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
// As those who log them write them: the kernel, NCCL, PyTorch, Python.
constexpr std::array<UsualLine, 8> kUsual = {
    {{"collective_timeout", R"(Watchdog caught collective operation timeout)",
      "Watchdog caught collective operation timeout"},
     {"nccl_error", R"(NCCL WARN|NCCL error|ncclSystemError|ncclInternalError|ncclRemoteError)", "NCCL WARN"},
     {"exception", R"(^Traceback \(most recent call last\):)", "Traceback (most recent call last):"},
     {"oom", R"(Out of memory: Killed process|invoked oom-killer)", "Out of memory: Killed process"},
     {"disk_full", R"(No space left on device)", "No space left on device"},
     {"io_error", R"(\bI/O error\b|Input/output error)", "I/O error"},
     {"nic_down", R"(\b[Ll]ink (is )?[Dd]own\b)", "Link is Down"},
     {"kernel_panic", R"(Kernel panic - not syncing)", "Kernel panic - not syncing"}}};
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
