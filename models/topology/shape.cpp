#include "models/topology/shape.hpp"

#include "core/contract.hpp"

#include <algorithm>

namespace gauntlet {

FabricShape fabric_shape(std::uint32_t hosts, std::uint32_t hosts_per_tor, const Hardware& hardware,
                         const Fabric& fabric) {
  expect(hosts > 0 && hosts_per_tor > 0 && hardware.gpus_per_host > 0 && hardware.nics_per_host > 0,
         "a cluster has hosts, GPUs and NICs");
  expect(fabric.tors_per_pod > 0 && fabric.aggregations_per_pod > 0 && fabric.hosts_per_rack > 0 &&
             fabric.racks_per_power_domain > 0 && fabric.oversubscription >= 1,
         "a fabric has switches");
  const bool rails = fabric.kind == FabricKind::rail_optimised;
  FabricShape shape = {.kind = fabric.kind,
                       .hosts = hosts,
                       .gpus_per_host = hardware.gpus_per_host,
                       .nics_per_host = hardware.nics_per_host,
                       .hosts_per_group = std::min(hosts_per_tor, hosts),
                       .tors_per_group = rails ? hardware.nics_per_host : 1,
                       .hosts_per_rack = fabric.hosts_per_rack,
                       .racks_per_power_domain = fabric.racks_per_power_domain,
                       .nvlink = hardware.nvlink / 2,
                       .nic = hardware.nic};
  // `pcie` is measured to host memory. A NIC reads a GPU's memory through the PCIe switch beside both, whose lanes a host's
  // builder chose for the NIC: the link is never what binds.
  shape.pcie = std::max(hardware.pcie, hardware.nic);
  shape.groups_per_pod = std::clamp(fabric.tors_per_pod / shape.tors_per_group, 1U, shape.groups());
  if (shape.groups() == 1) return shape;

  shape.aggregations_per_pod = fabric.aggregations_per_pod;
  const double nics_of_tor = static_cast<double>(shape.hosts_per_group) * (rails ? 1 : shape.nics_per_host);
  const double at_tor = fabric.kind == FabricKind::fat_tree ? fabric.oversubscription : 1;
  shape.tor_up = shape.nic * nics_of_tor / at_tor / shape.aggregations_per_pod;
  if (shape.pods() == 1) return shape;

  shape.spines_per_aggregation = fabric.spines / fabric.aggregations_per_pod;
  const double tors_of_pod = static_cast<double>(shape.groups_per_pod) * shape.tors_per_group;
  if (shape.spines_per_aggregation > 0)
    shape.aggregation_up =
        shape.tor_up * tors_of_pod / fabric.oversubscription / shape.spines_per_aggregation;
  return shape;
}

}  // namespace gauntlet
