// Clusters that the tests of the topology build.
#pragma once

#include "models/topology/topology.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace gauntlet {

struct TestCluster {
  std::string name;
  std::uint32_t hosts = 1, hosts_per_tor = 1, gpus = 8, nics = 8;
  Fabric fabric;

  Hardware hardware() const {
    Hardware out;
    out.gpus_per_host = gpus;
    out.nics_per_host = nics;
    out.nvlink = {900e9};
    out.nic = {50e9};
    out.pcie = {64e9};
    return out;
  }
  Topology build() const { return {hosts, hosts_per_tor, hardware(), fabric}; }
  friend std::ostream& operator<<(std::ostream& out, const TestCluster& cluster) {
    return out << cluster.name;
  }
};

inline Fabric fabric_of(FabricKind kind, std::uint32_t tors_per_pod, std::uint32_t aggregations_per_pod,
                        std::uint32_t spines, double oversubscription = 1) {
  Fabric out;
  out.kind = kind;
  out.tors_per_pod = tors_per_pod;
  out.aggregations_per_pod = aggregations_per_pod;
  out.spines = spines;
  out.oversubscription = oversubscription;
  out.hosts_per_rack = 3;
  out.racks_per_power_domain = 2;
  return out;
}

/// Of every kind, full and with a rest in every level, with as many NICs as GPUs, fewer and more.
inline std::vector<TestCluster> test_clusters() {
  using enum FabricKind;
  return {
      {"clos_even", 32, 4, 8, 8, fabric_of(clos, 2, 4, 8, 2)},
      {"clos_with_rests", 37, 4, 8, 4, fabric_of(clos, 3, 4, 11)},
      {"clos_one_pod", 6, 2, 4, 4, fabric_of(clos, 8, 2, 1)},
      {"clos_one_tor", 5, 8, 2, 5, fabric_of(clos, 8, 8, 64)},
      {"rails_even", 32, 4, 8, 8, fabric_of(rail_optimised, 16, 2, 4)},
      {"rails_with_rests", 29, 3, 8, 3, fabric_of(rail_optimised, 7, 3, 7, 4)},
      {"rails_one_group", 7, 8, 8, 8, fabric_of(rail_optimised, 8, 8, 64)},
      {"fat_tree", 24, 2, 4, 2, fabric_of(fat_tree, 3, 3, 6, 2)},
      {"single_gpus", 16, 4, 1, 1, fabric_of(fat_tree, 2, 2, 2, 3)},
      {"one_host", 1, 1, 8, 8, fabric_of(rail_optimised, 8, 8, 64)},
  };
}

}  // namespace gauntlet
