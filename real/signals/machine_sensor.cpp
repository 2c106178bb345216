#include "real/signals/machine_sensor.hpp"

#include "real/signals/link_state.hpp"
#include "real/system/entries.hpp"
#include "real/system/shown.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 120;  // of hardware, in a message
constexpr std::uint64_t kRdmaUnit = 4;  // InfiniBand Architecture Specification, PortXmitData: "divided by 4"
constexpr std::size_t kRecordsAtOnce = 200;
constexpr std::uint64_t kKibi = 1024;
constexpr const char* kInterfaces = "/proc/self/net/dev";

std::string shown_name(std::string_view text) { return printable(text, kLongestName); }

/// What stands after "name :" in a file of such lines; empty where it does not.
std::string value_in(std::istream& file, std::string_view name) {
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(name)) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : shown_name(line.substr(begin));
  }
  return "";
}

std::uint32_t count_cores(const std::string& root) {
  std::ifstream file(root + "/proc/cpuinfo");
  std::uint32_t cores = 0;
  for (std::string line; std::getline(file, line);) cores += line.starts_with("processor") ? 1 : 0;
  return cores;
}

std::string first_word(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

/// By the driver, which names their models; else the display controllers on the PCI bus (class 0x03) of makers of such GPUs.
std::vector<std::string> find_gpus(const std::string& root) {
  std::vector<std::string> gpus;
  for (const fs::path& each : entries_of(root + "/proc/driver/nvidia/gpus")) {
    std::ifstream information(each / "information");
    const std::string model = value_in(information, "Model");
    gpus.push_back((model.empty() ? "NVIDIA" : model) + " at " + shown_name(each.filename().string()));
  }
  if (!gpus.empty()) return gpus;
  for (const fs::path& each : entries_of(root + "/sys/bus/pci/devices")) {
    const std::string vendor = first_word(each / "vendor");
    const char* maker = vendor == "0x10de" ? "NVIDIA" : vendor == "0x1002" ? "AMD" : nullptr;
    if (maker != nullptr && first_word(each / "class").starts_with("0x03"))
      gpus.push_back(std::string(maker) + " " + shown_name(first_word(each / "device")) + " at " +
                     shown_name(each.filename().string()));
  }
  return gpus;
}

/// The number that the text begins with, behind spaces, and takes it away; nothing where there is none.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::uint64_t number_in(const KeptFile& file) {
  std::array<char, 32> room;  // 64 bits have 20 digits
  std::string_view text = file.read(room);
  return take_number(text).value_or(0);
}

/// Each line of /proc/self/net/dev has a name, a colon and 16 numbers: proc(5).
std::vector<NicCounters> nics_in(const KeptFile& file) {
  constexpr std::size_t kSent = 8;              // the first number is the bytes received
  std::array<char, std::size_t{1} << 16> room;  // of 400 interfaces
  std::string_view text = file.read(room);
  std::vector<NicCounters> nics;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::size_t begin = std::min(line.find_first_not_of(' '), colon);
    const std::string name(line.substr(begin, colon - begin));
    line.remove_prefix(colon + 1);
    std::array<std::optional<std::uint64_t>, kSent + 1> numbers;
    for (auto& number : numbers) number = take_number(line);
    if (numbers.back()) nics.push_back({shown_name(name), *numbers.front(), *numbers.back()});
  }
  return nics;
}

}  // namespace

HostHardware read_hardware(const std::string& root) {
  std::ifstream cpu(root + "/proc/cpuinfo"), memory(root + "/proc/meminfo");
  HostHardware found{.cpu = value_in(cpu, "model name"),
                     .cores = count_cores(root),
                     .memory_bytes = 0,
                     .gpus = find_gpus(root)};
  std::istringstream total(value_in(memory, "MemTotal"));
  total >> found.memory_bytes;  // in KiB
  found.memory_bytes *= kKibi;
  return found;
}

std::vector<NicCounters> read_nics(const std::string& root) { return nics_in(KeptFile(root + kInterfaces)); }

std::vector<std::string> own_interfaces(const std::string& root) {
  std::vector<std::string> names;
  for (const NicCounters& nic : read_nics(root))
    if (nic.name != "lo") names.push_back(nic.name);
  return names;
}

bool read_process(const std::string& root, RankVitals& into) {
  std::ifstream file(root + "/proc/" + std::to_string(into.pid) + "/stat");
  std::string text;
  if (!std::getline(file, text, '\0')) return false;
  const std::size_t name_ends = text.rfind(')');  // the name may hold anything
  if (name_ends == std::string::npos) return false;
  std::istringstream rest(text.substr(name_ends + 1));
  std::string word;
  rest >> into.state;
  constexpr int kToTimes = 10, kToMemory = 8;  // proc(5): utime is field 14, stime 15, rss 24
  for (int i = 0; i < kToTimes; ++i) rest >> word;
  std::int64_t user = 0, system = 0, pages = 0;
  rest >> user >> system;
  for (int i = 0; i < kToMemory; ++i) rest >> word;
  if (!(rest >> pages)) return false;
  into.cpu_ns = (user + system) * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
  into.memory_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(pages, 0)) *
                      static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return true;
}

std::vector<std::string> find_rdma_counters(const std::string& root) {
  std::vector<std::string> files;
  for (const fs::path& device : entries_of(root + "/sys/class/infiniband")) {
    for (const fs::path& port : entries_of(device / "ports")) {
      const fs::path file = port / "counters" / "port_xmit_data";
      std::error_code ignored;
      if (fs::exists(file, ignored)) files.push_back(file.string());
    }
  }
  return files;
}

std::string text_of_kernel_record(std::string_view record) {
  const std::size_t begin = record.find(';');
  if (begin == std::string_view::npos || record.find(',') > begin) return "";
  record.remove_prefix(begin + 1);
  return std::string(record.substr(0, record.find('\n')));  // what follows is about the device
}

MachineSensor::MachineSensor(MachineSources sources)
    : sources_(std::move(sources)),
      hardware_(read_hardware(sources_.root)),
      interfaces_(sources_.root + kInterfaces) {
  if (sources_.rdma && !sources_.interfaces.empty()) {
    for (std::string& file : find_rdma_counters(sources_.root)) rdma_counters_.emplace_back(std::move(file));
  }
  if (!sources_.kernel_log.empty())
    kernel_log_ = Descriptor(::open(sources_.kernel_log.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (kernel_log_) ::lseek(kernel_log_.get(), 0, SEEK_END);  // what is in it is of the past
  if (!sources_.nvml.empty())
    gpus_ = std::make_unique<GpuWatch>(GpuWatchSetup{.library = sources_.nvml, .xids = !kernel_log_});
}

HostReport MachineSensor::report() {
  hardware_.gpus = find_gpus(sources_.root);  // one may fall off the bus
  HostReport report{.identity = sources_.identity,
                    .hardware = hardware_,
                    .nics = nics_in(interfaces_),
                    .ranks = {},
                    .free_disk_bytes = 0};
  struct statvfs disk {};
  if (::statvfs(sources_.directory.c_str(), &disk) == 0)
    report.free_disk_bytes = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (gpus_) report.gpus = gpus_->vitals();
  return report;
}

std::optional<std::uint64_t> MachineSensor::bytes_sent() {
  if (sources_.interfaces.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  if (!rdma_counters_.empty()) {
    for (const KeptFile& file : rdma_counters_) sum += kRdmaUnit * number_in(file);
    return sum;
  }
  for (const NicCounters& nic : nics_in(interfaces_)) {
    const auto& own = sources_.interfaces;
    if (std::find(own.begin(), own.end(), nic.name) != own.end()) sum += nic.sent_bytes;
  }
  return sum;
}

bool MachineSensor::links_up() const {
  return std::none_of(sources_.links.begin(), sources_.links.end(),
                      [](const std::string& link) { return link_state(link) == LinkState::down; });
}

std::vector<std::string> MachineSensor::logged_lines() {
  std::vector<std::string> lines = gpus_ ? gpus_->take_lines() : std::vector<std::string>();
  std::array<char, 8192> record;  // the kernel's longest
  for (std::size_t i = 0; kernel_log_ && i < kRecordsAtOnce; ++i) {
    const ssize_t length = ::read(kernel_log_.get(), record.data(), record.size());
    if (length < 0 && (errno == EPIPE || errno == EINTR)) continue;  // some were overwritten unread
    if (length < 0 && errno != EAGAIN) kernel_log_.reset();
    if (length <= 0) break;
    std::string text = text_of_kernel_record({record.data(), static_cast<std::size_t>(length)});
    if (!text.empty()) lines.push_back(std::move(text));
  }
  return lines;
}

void MachineSensor::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({.fd = kernel_log_ ? kernel_log_.get() : -1, .events = POLLIN, .revents = 0});
  polled.push_back({.fd = gpus_ ? gpus_->descriptor() : -1, .events = POLLIN, .revents = 0});
}

}  // namespace gauntlet
