#include "models/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

class Page {
 public:
  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    text_ += fmt::format(form, std::forward<Args>(args)...);
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
  }
  std::string done() { return std::move(text_); }

 private:
  std::string text_;
};

// 16384 as "16,384".
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3;) text.insert(end -= 3, 1, ',');
  return text;
}

std::string bytes(Bandwidth bandwidth) { return fmt::format("{:.4g} GB/s", bandwidth.value / 1e9); }
std::string bits(Bandwidth bandwidth) {
  const double gigabits = bandwidth.value * 8 / 1e9;
  return gigabits < 1e4 ? fmt::format("{:.4g} Gb/s", gigabits) : fmt::format("{:.4g} Tb/s", gigabits / 1e3);
}

std::string introduction(const FabricShape& shape) {
  switch (shape.kind) {
    case FabricKind::clos:
      return "Clos: the NICs of a host are under one ToR switch.";
    case FabricKind::fat_tree:
      return "Fat tree: the NICs of a host are under one ToR switch.";
    case FabricKind::rail_optimised:
      break;
  }
  return fmt::format("Rail-optimised: NIC r of {} host{} is under the ToR switch of rail r, one of {}.",
                     shape.hosts_per_group, shape.hosts_per_group == 1 ? "" : "s", shape.tors_per_group);
}

void describe_parts(Page& page, const Topology& topology) {
  const FabricShape& s = topology.shape();
  const std::uint32_t of_tor = s.hosts_per_group * s.nics_per_host / s.tors_per_group;
  page.line("{:<22}{:>9}   {}", "", "number", "links of each, one direction");
  page.line("{:<22}{:>9}   {} GPUs, {} NICs", "hosts", grouped(s.hosts), s.gpus_per_host, s.nics_per_host);
  page.line("{:<22}{:>9}   NVLink {}, PCIe {}", "GPUs", grouped(s.gpus()), bytes(s.nvlink), bytes(s.pcie));
  page.line("{:<22}{:>9}   {}", "NICs", grouped(s.nics()), bits(s.nic));
  page.line(
      "{:<22}{:>9}   {} x {} down{}", "ToR switches", grouped(s.tors()), of_tor, bits(s.nic),
      s.aggregations_per_pod > 0 ? fmt::format(", {} x {} up", s.aggregations_per_pod, bits(s.tor_up)) : "");
  if (s.aggregations_per_pod == 0)
    return page.line("{:<22}{:>9}   one ToR switch joins all", "other switches", 0);
  page.line(
      "{:<22}{:>9}   {} x {} down{}", "aggregation switches", grouped(s.aggregations()),
      s.groups_per_pod * s.tors_per_group, bits(s.tor_up),
      s.spines() > 0 ? fmt::format(", {} x {} up", s.spines_per_aggregation, bits(s.aggregation_up)) : "");
  page.line(
      "{:<22}{:>9}   {}", "spine switches", grouped(s.spines()),
      s.spines() > 0 ? fmt::format("{} x {} down", s.pods(), bits(s.aggregation_up)) : "one pod needs none");
}

void describe_bandwidth(Page& page, const Topology& topology) {
  const FabricShape& s = topology.shape();
  if (s.hosts < 2) return;
  page.line("");
  const double tor_down = s.nic.value * s.hosts_per_group * s.nics_per_host / s.tors_per_group;
  const double aggregation_down = s.tor_up.value * s.groups_per_pod * s.tors_per_group;
  std::string over;
  if (s.aggregations_per_pod > 0)
    over = fmt::format("ToR {:.3g}:1", tor_down / (s.tor_up.value * s.aggregations_per_pod));
  if (s.spines() > 0)
    over += fmt::format(", aggregation {:.3g}:1",
                        aggregation_down / (s.aggregation_up.value * s.spines_per_aggregation));
  if (!over.empty()) page.line("{:<22}{}", "oversubscription", over);
  const Bandwidth across = bisection(topology);
  page.line("{:<22}{:.4g} TB/s each way between the halves of the hosts, {:.3g}% of their NICs", "bisection",
            across.value / 1e12, 100 * (across / (s.nic * s.nics_per_host * (s.hosts / 2))));
}

void describe_domains(Page& page, const Topology& topology) {
  const FabricShape& s = topology.shape();
  const auto row = [&](std::string_view name, DomainKind kind, const std::string& loses) {
    const std::size_t most = topology.hosts_of(kind, 0).size();
    const std::size_t last = topology.hosts_of(kind, topology.domains(kind) - 1).size();
    const std::string hosts =
        last < most ? fmt::format("{} (the last: {})", grouped(most), grouped(last)) : grouped(most);
    page.line("  {:<20}{:>9}   {:<22}{}", name, grouped(topology.domains(kind)), hosts, loses);
  };
  page.line("{:<22}{:>9}   {:<22}{}", "failure domain", "number", "hosts affected", "they lose");
  row("host", DomainKind::host, "all");
  row("rack", DomainKind::rack, "power");
  row("power domain", DomainKind::power, "power");
  row("ToR switch", DomainKind::tor,
      s.tors_per_group > 1 ? fmt::format("one of {} rails", s.tors_per_group) : "the network");
  row("pod", DomainKind::pod, s.pods() > 1 ? "the other pods" : "each other");
}

void describe_path(Page& page, const Topology& topology, std::string_view name, std::uint32_t to) {
  const std::vector<LinkNumber> path = topology.path(0, to, 0, 0);
  page.line("  {:<20}{:>9}   {}", name, path.size(), grouped(topology.equal_paths(0, to)));
  std::string steps = to_text(topology.vertices()[topology.links()[path.front()].from]);
  for (const LinkNumber link : path) steps += " > " + to_text(topology.vertices()[topology.links()[link].to]);
  page.line("    {}", steps);
}

void describe_paths(Page& page, const Topology& topology) {
  const FabricShape& s = topology.shape();
  const std::uint32_t per_host = s.gpus_per_host, pod = s.hosts_per_group * s.groups_per_pod;
  if (s.gpus() < 2) return;
  page.line("{:<22}{:>9}   {}", "from GPU 0 to a GPU", "hops",
            "equal paths (traffic spreads, or a hash picks one: step --ecmp)");
  if (per_host > 1) describe_path(page, topology, "in its host", 1);
  const std::string_view rail = s.tors_per_group > 1 ? "on its rail" : "under its ToR";
  if (s.hosts_per_group > 1) describe_path(page, topology, rail, per_host);
  if (s.hosts_per_group > 1 && s.host().first_nic(per_host - 1) > 0)
    describe_path(page, topology, s.tors_per_group > 1 ? "on another rail" : "on another NIC",
                  2 * per_host - 1);
  if (s.groups_per_pod > 1) describe_path(page, topology, "in its pod", s.hosts_per_group * per_host);
  if (s.pods() > 1) describe_path(page, topology, "in another pod", pod * per_host);
}

}  // namespace

std::string to_text(const Vertex& vertex) {
  constexpr std::string_view kNames[kVertexKinds] = {"gpu", "nvswitch", "nic", "tor", "aggregation", "spine"};
  return fmt::format("{} {}", kNames[static_cast<std::size_t>(vertex.kind)], vertex.index);
}

std::string to_text(const Topology& topology) {
  Page page;
  page.line("{}\n", introduction(topology.shape()));
  describe_parts(page, topology);
  describe_bandwidth(page, topology);
  page.line("");
  describe_domains(page, topology);
  page.line("");
  describe_paths(page, topology);
  return page.done();
}

}  // namespace gauntlet
