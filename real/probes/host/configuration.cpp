#include "real/probes/host/configuration.hpp"

#include "real/probes/host/gpu_facts.hpp"
#include "real/probes/host/machine_files.hpp"
#include "real/system/descriptor.hpp"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace gauntlet {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// A fact where the file has one.
void add_file(Facts& facts, const std::string& name, const std::string& path) {
  if (auto line = first_line(path); line && !line->empty()) facts.emplace_back(name, std::move(*line));
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

/// One answer of the driver of an interface; false where it has none.
template <class Question>
bool ask_driver(const std::string& link, Question& question) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  link.copy(request.ifr_name, sizeof request.ifr_name - 1);
  request.ifr_data = reinterpret_cast<char*>(&question);
  return socket && ::ioctl(socket.get(), SIOCETHTOOL, &request) == 0;
}

template <std::size_t n>
std::string text_in(const char (&field)[n]) {
  return std::string(field, ::strnlen(field, n));
}

void add_driver(Facts& facts, const std::string& link) {
  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  if (ask_driver(link, driver)) {
    facts.emplace_back(link + " driver", text_in(driver.driver) + " " + text_in(driver.version));
    if (const std::string firmware = text_in(driver.fw_version); !firmware.empty())
      facts.emplace_back(link + " firmware", firmware);
  }
  ethtool_pauseparam pause{};
  pause.cmd = ETHTOOL_GPAUSEPARAM;
  if (ask_driver(link, pause))
    facts.emplace_back(link + " flow control", fmt::format("rx {}, tx {}", pause.rx_pause != 0 ? "on" : "off",
                                                           pause.tx_pause != 0 ? "on" : "off"));
}

void add_links(Facts& facts, const ProbedHost& host) {
  const std::string net = host.root + "/sys/class/net/";
  for (const std::string& link : names_in(net)) {
    std::error_code error;
    // Only hardware: names of virtual interfaces differ from host to host.
    if (!std::filesystem::exists(net + link + "/device", error)) continue;
    for (const char* file : {"mtu", "speed", "duplex", "operstate"})
      add_file(facts, link + " " + file, net + link + "/" + file);
    for (const char* file : {"current_link_speed", "current_link_width", "max_link_speed", "max_link_width"})
      add_file(facts, link + " " + file, net + link + "/device/" + file);
    if (host.root.empty()) add_driver(facts, link);
  }
  const std::string infiniband = host.root + "/sys/class/infiniband/";
  for (const std::string& device : names_in(infiniband)) {
    add_file(facts, device + " firmware", infiniband + device + "/fw_ver");
    for (const std::string& port : names_in(infiniband + device + "/ports"))
      for (const char* file : {"rate", "state"})
        add_file(facts, fmt::format("{} port {} {}", device, port, file),
                 infiniband + device + "/ports/" + port + "/" + file);
  }
}

}  // namespace

ProbeSample probe_configuration(const ProbedHost& host) {
  ProbeSample sample;
  Facts& facts = sample.facts;
  add_file(facts, "kernel", host.root + "/proc/sys/kernel/osrelease");
  add_file(facts, "NVIDIA driver", host.root + "/sys/module/nvidia/version");
  add_file(facts, "BIOS", host.root + "/sys/class/dmi/id/bios_version");
  add_file(facts, "machine", host.root + "/sys/class/dmi/id/product_name");
  add_file(facts, "CPUs online", host.root + "/sys/devices/system/cpu/online");
  add_file(facts, "memory nodes", host.root + "/sys/devices/system/node/online");
  add_file(facts, "governor", host.root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  add_file(facts, "hardware threads", host.root + "/sys/devices/system/cpu/smt/control");
  add_file(facts, "transparent huge pages", host.root + "/sys/kernel/mm/transparent_hugepage/enabled");
  add_file(facts, "huge pages", host.root + "/proc/sys/vm/nr_hugepages");
  add_file(facts, "NUMA balancing", host.root + "/proc/sys/kernel/numa_balancing");
  add_file(facts, "TCP congestion control", host.root + "/proc/sys/net/ipv4/tcp_congestion_control");
  add_links(facts, host);
  for (auto& fact : gpu_facts(host.root)) facts.push_back(std::move(fact));
  if (host.root.empty())
    if (std::string nccl = nccl_version(); !nccl.empty()) facts.emplace_back("NCCL", std::move(nccl));
  if (facts.empty()) return unsupported_sample("the system describes itself in neither /proc nor /sys");
  return sample;
}

}  // namespace gauntlet
