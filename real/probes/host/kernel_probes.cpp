#include "real/probes/host/kernel_probes.hpp"

#include "core/files/open_file.hpp"
#include "real/probes/host/counters.hpp"
#include "real/probes/host/machine_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <re2/re2.h>
#include <sys/timex.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

namespace gauntlet {
namespace {

// As the kernel and its drivers print them: machine checks and corrected errors (mce, EDAC, GHES), block devices, file systems, NICs
// that hang, hung tasks, exhausted memory of the host (not of a control group), PCIe, and NVIDIA's XIDs.
constexpr std::string_view kBadRecord =
    R"((?i)\[Hardware Error\]|EDAC .*\b[CU]E\b|I/O error, dev|Buffer I/O error|EXT4-fs error|XFS .*(Corruption|Internal error))"
    R"(|nvme.*(timeout|Abort status)|NETDEV WATCHDOG|blocked for more than \d+ seconds|^Out of memory: Killed process)"
    R"(|PCIe Bus Error|AER: .*(Fatal|Uncorrected)|NVRM: Xid|soft lockup|rcu.*detected stall)";

/// Those of hardware; where there is none, as in a container, all but loopback. Virtual ones come and go with what runs.
std::vector<std::string> interfaces(const ProbedHost& host) {
  std::vector<std::string> hardware, others;
  const std::string folder = host.root + "/sys/class/net";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "lo") continue;
    (std::filesystem::exists(entry.path() / "device", error) ? hardware : others).push_back(name);
  }
  std::vector<std::string>& out = hardware.empty() ? others : hardware;
  std::sort(out.begin(), out.end());
  return out;
}

/// `files`: of the folder of an interface.
template <std::size_t n>
ProbeSample probe_links(const ProbedHost& host, const std::array<std::string_view, n>& files) {
  const std::vector<std::string> links = interfaces(host);
  if (links.empty()) return unsupported_sample("there is no network interface but loopback");
  const auto read = [&] {
    Counters counters;
    for (const std::string& link : links)
      for (const std::string_view file : files) {
        const std::string path = fmt::format("{}/sys/class/net/{}/{}", host.root, link, file);
        const std::string_view counter =
            file.substr(file.find('/') == std::string_view::npos ? 0 : file.find('/') + 1);
        if (const auto value = whole_number_in(path))
          counters[fmt::format("{} {}", link, counter)] = static_cast<std::uint64_t>(*value);
      }
    return counters;
  };
  ProbeSample sample = sample_of_growth(
      host, read, [](const std::string& counter) { return counter.substr(0, counter.find(' ')); });
  if (sample.parts.empty())
    return unsupported_sample("the kernel counts nothing of the links in /sys/class/net");
  return sample;
}

/// Every record of the log that can be read now.
std::string records_of(Files& files, int descriptor) {
  std::string out;
  std::vector<char> record(std::size_t{1}
                           << 13);  // the kernel prints records of at most 8 KiB (CONSOLE_EXT_LOG_MAX)
  while (true) {
    const Files::Transfer got = files.read(descriptor, record);
    if (got.error == EINTR || got.error == EPIPE) continue;  // EPIPE: records were overwritten meanwhile
    if (got.error != 0 || got.bytes == 0) return out;
    out.append(record.data(), got.bytes);
  }
}

}  // namespace

ProbeSample probe_link_errors(const ProbedHost& host) {
  constexpr std::array<std::string_view, 3> kFiles = {"statistics/rx_errors", "statistics/tx_errors",
                                                      "carrier_changes"};
  return probe_links(host, kFiles);
}

ProbeSample probe_link_drops(const ProbedHost& host) {
  constexpr std::array<std::string_view, 2> kFiles = {"statistics/rx_dropped", "statistics/tx_dropped"};
  return probe_links(host, kFiles);
}

ProbeSample probe_compaction(const ProbedHost& host) {
  const auto read = [&] {
    Counters counters;
    std::istringstream lines(whole_text(host.root + "/proc/vmstat").value_or(""));
    std::string name;
    for (std::uint64_t value = 0; lines >> name >> value;)
      if (name == "compact_stall") counters[name] = value;
    return counters;
  };
  ProbeSample sample = sample_of_growth(host, read, [](const std::string&) { return ""; });
  if (sample.parts.empty()) return unsupported_sample("the kernel has no compaction (/proc/vmstat)");
  return sample;
}

std::vector<std::string> bad_records(const std::string& records) {
  static const re2::RE2 bad(re2::StringPiece(kBadRecord.data(), kBadRecord.size()), re2::RE2::Quiet);
  std::vector<std::string> out;
  std::istringstream lines(records);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t text = line.find(';');
    if (line.starts_with(' ') || text == std::string::npos) continue;  // what belongs to the record above
    if (re2::RE2::PartialMatch(line.substr(text + 1), bad)) out.push_back(line.substr(text + 1));
  }
  return out;
}

ProbeSample probe_kernel_log(const ProbedHost& host) {
  const std::string path = host.root + "/dev/kmsg";
  const OpenFile log(*host.files, path, O_RDONLY | O_NONBLOCK);
  if (log.error() != 0)
    return unsupported_sample(
        fmt::format("{}: {}{}", path, std::strerror(log.error()),
                    log.error() == EPERM || log.error() == EACCES ? "; root can read it" : ""));
  const std::vector<std::string> bad = bad_records(records_of(*host.files, log.descriptor()));
  ProbeSample sample;
  sample.parts.push_back({.part = "",
                          .kind = "",
                          .values = {static_cast<double>(bad.size())},
                          .remark = bad.empty() ? "" : "the last of them: " + bad.back()});
  return sample;
}

ProbeSample clock_sample(const KernelClock& clock) {
  if (!clock.synchronised)
    return unsupported_sample(
        "no time service told the kernel that its clock is synchronised (STA_UNSYNC): none runs, or chrony "
        "without rtcsync");
  ProbeSample sample;
  sample.parts.push_back({.part = "",
                          .kind = "",
                          .values = {clock.max_error_ms},
                          .remark = fmt::format("{:.3g} ms are still being corrected", clock.offset_ms)});
  return sample;
}

ProbeSample probe_clock(const ProbedHost&) {
  timex now{};
  const int state = ::adjtimex(&now);
  if (state < 0) return unsupported_sample(std::string("adjtimex: ") + std::strerror(errno));
  const double per_ms = (now.status & STA_NANO) != 0 ? 1e6 : 1e3;
  return clock_sample({.synchronised = state != TIME_ERROR && (now.status & STA_UNSYNC) == 0,
                       .max_error_ms = static_cast<double>(now.maxerror) / 1e3,
                       .offset_ms = static_cast<double>(now.offset) / per_ms});
}

}  // namespace gauntlet
