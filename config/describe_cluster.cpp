#include "config/describe.hpp"
#include "config/types.hpp"

#include <array>

namespace gauntlet {
namespace {

constexpr std::int64_t kMostHosts = 10'000'000;
constexpr std::int64_t kMostPerHost = 1'000;

}  // namespace

void describe(Fields& fields, Hardware& hardware) {
  fields.field("name", text(hardware.name), Fallback::required(), "what the host type is called");
  fields.field("gpus_per_host", whole_number(hardware.gpus_per_host, {1, kMostPerHost}), Fallback::value("8"),
               "GPUs in one host");
  fields.field("nics_per_host", whole_number(hardware.nics_per_host, {1, kMostPerHost}), Fallback::value("8"),
               "NICs in one host");
  fields.field("peak", quantity(hardware.peak, Sign::positive), Fallback::required(),
               "dense bf16 rate of one GPU");
  fields.field("peak_fp8", quantity(hardware.peak_fp8, Sign::positive), Fallback::optional(),
               "dense fp8 rate of one GPU; left out where it has none");
  fields.field("multiprocessors", whole_number(hardware.multiprocessors, {1, kMostPerHost}),
               Fallback::value("108"), "of one GPU; tiles of a matrix product go to them in waves");
  fields.field("memory", quantity(hardware.memory, Sign::positive), Fallback::required(), "of one GPU");
  fields.field("memory_bandwidth", quantity(hardware.memory_bandwidth, Sign::positive), Fallback::required(),
               "of one GPU");
  fields.field("nvlink", quantity(hardware.nvlink, Sign::positive), Fallback::required(),
               "of one GPU, both directions together");
  fields.field("nic", quantity(hardware.nic, Sign::positive), Fallback::required(),
               "of one NIC, each direction");
  fields.field("pcie", quantity(hardware.pcie, Sign::positive), Fallback::required(),
               "from one GPU to pinned host memory, each direction");
  describe_source(fields);
}

namespace {

constexpr std::array<Choice<FabricKind>, 3> kFabrics = {{
    {"clos", FabricKind::clos},
    {"rail_optimised", FabricKind::rail_optimised},
    {"fat_tree", FabricKind::fat_tree},
}};

void describe(Fields& fields, Fabric& fabric) {
  fields.field("kind", choice<FabricKind>(fabric.kind, kFabrics, "a kind of fabric"),
               Fallback::value("\"rail_optimised\""),
               "rail_optimised: NIC r of hosts_per_tor hosts under one switch; clos, fat_tree: all their "
               "NICs under one");
  fields.field("tors_per_pod", whole_number(fabric.tors_per_pod, {1, kMostHosts}), Fallback::value("8"),
               "ToR switches under the same aggregation switches");
  fields.field("aggregations_per_pod", whole_number(fabric.aggregations_per_pod, {1, kMostHosts}),
               Fallback::value("8"), "aggregation switches of a pod");
  fields.field("spines", whole_number(fabric.spines, {1, kMostHosts}), Fallback::value("64"),
               "spine switches");
  fields.field("oversubscription", number(fabric.oversubscription, {1, 1000, false}), Fallback::value("1.0"),
               "down-link over up-link bandwidth of aggregation switches; in a fat tree of ToR switches too");
  fields.field("hosts_per_rack", whole_number(fabric.hosts_per_rack, {1, kMostHosts}), Fallback::value("4"),
               "hosts that share a rack's power");
  fields.field("racks_per_power_domain", whole_number(fabric.racks_per_power_domain, {1, kMostHosts}),
               Fallback::value("16"), "racks that share a feed");
  describe_source(fields);
}

}  // namespace

void describe_cluster(Fields& fields, World& world) {
  fields.field("hosts", whole_number(world.inventory.job_hosts, {1, kMostHosts}), Fallback::required("128"),
               "hosts that carry the job");
  fields.catalogue(
      "hardware", "hardware", [&](Fields& f) { describe(f, world.hardware); },
      "the host type: a name in the catalogue, or its figures");
  fields.field("hosts_per_tor", whole_number(world.inventory.hosts_per_tor, {1, kMostHosts}),
               Fallback::value("1"), "consecutive hosts under one top-of-rack switch");
  fields.table(
      "network", [&](Fields& f) { describe(f, world.fabric); }, "the fabric between the hosts");
  describe_source(fields);
  fields.check([&](const Place&) { world.inventory.gpus_per_host = world.hardware.gpus_per_host; });
}

void describe_spares(Fields& fields, World& world) {
  fields.field("count", whole_number(world.inventory.spares, {0, kMostHosts}), Fallback::value("0"),
               "hosts that stand by, idle and powered, when the job starts");
  describe_source(fields);
}

}  // namespace gauntlet
