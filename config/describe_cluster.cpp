#include "config/describe.hpp"
#include "config/types.hpp"

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

void describe_cluster(Fields& fields, World& world) {
  fields.field("hosts", whole_number(world.inventory.job_hosts, {1, kMostHosts}), Fallback::required("128"),
               "hosts that carry the job");
  fields.catalogue(
      "hardware", "hardware", [&](Fields& f) { describe(f, world.hardware); },
      "the host type: a name in the catalogue, or its figures");
  fields.field("hosts_per_tor", whole_number(world.inventory.hosts_per_tor, {1, kMostHosts}),
               Fallback::value("1"), "consecutive hosts under one top-of-rack switch");
  describe_source(fields);
  fields.check([&](const Place&) { world.inventory.gpus_per_host = world.hardware.gpus_per_host; });
}

void describe_spares(Fields& fields, World& world) {
  fields.field("count", whole_number(world.inventory.spares, {0, kMostHosts}), Fallback::value("0"),
               "hosts that stand by, idle and powered, when the job starts");
  describe_source(fields);
}

}  // namespace gauntlet
