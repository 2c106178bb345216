#include "real/lab/plan.hpp"

#include "models/topology/topology.hpp"

#include <algorithm>
#include <filesystem>

namespace gauntlet {
namespace {

// RFC 2544, appendix C.2.2: 198.18.0.0/15 is for tests of devices, and no network that a rank wants to reach has it.
constexpr const char* kManagementNetwork = "198.18.0.";
constexpr std::array<const char*, kDataInterfaces> kDataNetworks = {"198.19.0.", "198.19.1."};
constexpr std::uint32_t kDriverNumber = 1;
constexpr std::uint32_t kFirstHostNumber = 2;
constexpr std::int64_t kLeastQuotaUs = 1'000;  // the kernel's own bound

std::string id_of(const std::string& directory) {
  const std::string name = std::filesystem::path(directory).filename().string();
  return name.substr(name.rfind('-') + 1);
}

/// The ToR switch that a NIC of a host is connected to.
std::uint32_t tor_of(const Topology& topology, std::uint32_t host, std::uint32_t interface) {
  const std::uint32_t nics = topology.nics_per_host();
  const auto nic = topology.find(VertexKind::nic, host * nics + interface % nics);
  for (const LinkNumber number : topology.links_at(*nic)) {
    const Link& link = topology.links()[number];
    for (const VertexNumber end : {link.from, link.to}) {
      const Vertex& vertex = topology.vertices()[end];
      if (vertex.kind == VertexKind::tor) return vertex.index;
    }
  }
  return 0;  // a fabric of one switch
}

}  // namespace

std::optional<Problem> plan_lab(const World& world, const std::string& directory, unsigned cores,
                                LabPlan& out) {
  const std::uint32_t hosts = world.inventory.hosts();
  if (hosts > kMostLabHosts)
    return Problem{.what = "--launch lab",
                   .why = "has addresses for " + std::to_string(kMostLabHosts) +
                          " hosts, and the scenario has " + std::to_string(hosts),
                   .suggestion = "drill fewer hosts, or write --launch local"};
  const Topology topology(hosts, world.inventory.hosts_per_tor, world.hardware, world.fabric);
  out = {.cgroup = kLabGroupPrefix + id_of(directory),
         .driver_address = kManagementNetwork + std::to_string(kDriverNumber),
         .tors = {},
         .hosts = {}};
  const double share = kLabShareOfCores * cores / hosts;
  const auto quota = static_cast<std::int64_t>(share * static_cast<double>(kQuotaPeriodUs));
  for (std::uint32_t h = 0; h < hosts; ++h) {
    const std::string last = std::to_string(kFirstHostNumber + h), prefix = "h" + std::to_string(h);
    LabHost host = {.number = h,
                    .name = "host-" + std::to_string(h),
                    .management = {.name = "mgmt0",
                                   .port = prefix + "m",
                                   .bridge = kManagementBridge,
                                   .address = kManagementNetwork + last},
                    .data = {},
                    .clock_offset = world.drill.clock_spread * (h + 1) / hosts,
                    .quota_us = std::max(quota, kLeastQuotaUs)};
    for (std::uint32_t i = 0; i < kDataInterfaces; ++i) {
      const std::string bridge = "tor" + std::to_string(tor_of(topology, h, i));
      if (std::find(out.tors.begin(), out.tors.end(), bridge) == out.tors.end()) out.tors.push_back(bridge);
      host.data[i] = {.name = data_interface(i),
                      .port = prefix + "d" + std::to_string(i),
                      .bridge = bridge,
                      .address = kDataNetworks[i] + last};
    }
    out.hosts.push_back(std::move(host));
  }
  return std::nullopt;
}

std::vector<std::uint32_t> interfaces_below(const World& world, std::uint32_t host, std::uint32_t tor) {
  const Topology topology(world.inventory.hosts(), world.inventory.hosts_per_tor, world.hardware,
                          world.fabric);
  std::vector<std::uint32_t> below;
  for (std::uint32_t i = 0; i < kDataInterfaces; ++i)
    if (tor_of(topology, host, i) == tor) below.push_back(i);
  return below;
}

std::string network_commands(const LabPlan& plan, const std::vector<std::string>& namespaces) {
  std::string text = "link set lo up\n";
  const auto bridge = [&](const std::string& name) {
    text += "link add " + name + " type bridge stp_state 0 forward_delay 0\nlink set " + name + " up\n";
  };
  bridge(kManagementBridge);
  bridge(kSpineBridge);
  text += "addr add " + plan.driver_address + "/24 dev " + kManagementBridge + "\n";
  for (const std::string& tor : plan.tors) {
    const std::string up = tor + "-up", down = tor + "-down";
    bridge(tor);
    text += "link add " + up + " type veth peer name " + down + "\n";
    text +=
        "link set " + up + " master " + tor + " up\nlink set " + down + " master " + kSpineBridge + " up\n";
  }
  for (std::size_t h = 0; h < plan.hosts.size(); ++h) {
    const LabHost& host = plan.hosts[h];
    for (const LabInterface* each : {&host.management, &host.data[0], &host.data[1]}) {
      text +=
          "link add " + each->port + " type veth peer name " + each->name + " netns " + namespaces[h] + "\n";
      text += "link set " + each->port + " master " + each->bridge + " up\n";
    }
  }
  return text;
}

std::string network_commands(const LabHost& host) {
  std::string text = "link set lo up\n";
  // Without IPv6 addresses of its own an interface sends nothing that nobody asked for, and its counters are the traffic of the job.
  for (const LabInterface* each : {&host.management, &host.data[0], &host.data[1]})
    text += "link set " + each->name + " addrgenmode none\naddr add " + each->address + "/24 dev " +
            each->name + "\nlink set " + each->name + " up\n";
  return text;
}

}  // namespace gauntlet
