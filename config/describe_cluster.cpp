#include "config/describe.hpp"
#include "config/fields/laws.hpp"
#include "config/fields/scenario_parts.hpp"
#include "config/fields/types.hpp"
#include "policies/controller/registry.hpp"
#include "policies/spares/sizing.hpp"

#include <array>
#include <string>

namespace gauntlet {
namespace {

constexpr std::int64_t kMostPerHost = 1'000;

}  // namespace

void describe(Fields& fields, Hardware& hardware) {
  fields.field("name", text(hardware.name), Fallback::required(), "what the host type is called");
  fields.field("gpus_per_host", whole_number(hardware.gpus_per_host, {1, kMostPerHost}), "GPUs in one host");
  fields.field("nics_per_host", whole_number(hardware.nics_per_host, {1, kMostPerHost}), "NICs in one host");
  fields.field("peak", quantity(hardware.peak, Sign::positive), Fallback::required(),
               "dense bf16 rate of one GPU");
  fields.field("peak_fp8", quantity(hardware.peak_fp8, Sign::positive), Fallback::optional(),
               "dense fp8 rate of one GPU; left out where it has none");
  fields.field("multiprocessors", whole_number(hardware.multiprocessors, {1, kMostPerHost}),
               "streaming multiprocessors of one GPU; tiles of a matrix product go to them in waves");
  fields.field("memory", quantity(hardware.memory, Sign::positive), Fallback::required(),
               "memory of one GPU");
  fields.field("memory_bandwidth", quantity(hardware.memory_bandwidth, Sign::positive), Fallback::required(),
               "memory bandwidth of one GPU");
  fields.field("nvlink", quantity(hardware.nvlink, Sign::positive), Fallback::required(),
               "NVLink bandwidth of one GPU, both directions together");
  fields.field("nic", quantity(hardware.nic, Sign::positive), Fallback::required(),
               "bandwidth of one NIC, each direction");
  fields.field("pcie", quantity(hardware.pcie, Sign::positive), Fallback::required(),
               "bandwidth from one GPU to pinned host memory, each direction");
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
               "rail_optimised: NIC r of hosts_per_tor hosts under one switch; clos, fat_tree: all their "
               "NICs under one");
  fields.field("tors_per_pod", whole_number(fabric.tors_per_pod, {1, kMostHosts}),
               "ToR switches under the same aggregation switches");
  fields.field("aggregations_per_pod", whole_number(fabric.aggregations_per_pod, {1, kMostHosts}),
               "aggregation switches of a pod");
  fields.field("spines", whole_number(fabric.spines, {1, kMostHosts}), "spine switches");
  fields.field("oversubscription", number(fabric.oversubscription, {1, 1000, false}),
               "down-link over up-link bandwidth of aggregation switches; in a fat tree of ToR switches too");
  fields.field("hosts_per_rack", whole_number(fabric.hosts_per_rack, {1, kMostHosts}),
               "hosts that share a rack's power");
  fields.field("racks_per_power_domain", whole_number(fabric.racks_per_power_domain, {1, kMostHosts}),
               "racks that share a feed");
  describe_source(fields);
}

}  // namespace

void describe(Fields& fields, OtherJob& job) {
  fields.field("hosts", whole_number(job.hosts, {1, kMostHosts}), Fallback::required("64"),
               "hosts of each of these jobs; a job gets all of them at once or none");
  fields.field("priority", whole_number(job.priority, {-1'000'000, 1'000'000}), Fallback::required("1"),
               "above cluster.shared.priority: takes this job's hosts where the rest is not enough; else it "
               "runs beside "
               "this job, and begins nothing while this job waits");
  fields.field("arrives", law(job.arrives), Fallback::required("{ name = \"exponential\", mean = \"12h\" }"),
               "time between two arrivals");
  fields.field("runs", law(job.runs), Fallback::required("{ name = \"exponential\", mean = \"3h\" }"),
               "run time on all of its hosts; a preempted job continues with the rest");
  describe_source(fields);
}

void describe(Fields& fields, SharedCluster& shared) {
  fields.field(
      "hosts", whole_number(shared.hosts, {0, kMostHosts}),
      "hosts of the whole cluster, this job's and its spares among them, which are taken all at once; "
      "those that are "
      "free replace no broken host (spares.pool does); 0: it is alone");
  fields.field("priority", whole_number(shared.priority, {-1'000'000, 1'000'000}),
               "the priority of this job; the higher goes first");
  fields.field("preempt_after", duration(shared.preempt_after, Sign::not_negative),
               "a job that has run for less is not preempted (RSC-1: 2 h, https://arxiv.org/abs/2410.21680)");
  shared.jobs.clear();
  fields.entries(
      "jobs",
      [&](Fields& f, const std::string& entry) {
        OtherJob job;
        job.name = entry;
        describe(f, job);
        shared.jobs.push_back(std::move(job));
      },
      "the others, kind by kind");
  describe_source(fields);
}

void describe_cluster(Fields& fields, World& world) {
  fields.field("hosts", whole_number(world.inventory.job_hosts, {1, kMostHosts}), Fallback::required("128"),
               "hosts that carry the job");
  fields.catalogue(
      "hardware", "hardware", [&](Fields& f) { describe(f, world.hardware); },
      "the host type: a name in the catalogue, or its figures");
  fields.field("hosts_per_tor", whole_number(world.inventory.hosts_per_tor, {1, kMostHosts}),
               "consecutive hosts under one top-of-rack switch");
  fields.table(
      "network", [&](Fields& f) { describe(f, world.fabric); }, "the fabric between the hosts");
  fields.table(
      "shared", [&](Fields& f) { describe(f, world.shared); },
      "other jobs under the same scheduler, by priority, each on all its hosts or none; none is there at the "
      "start");
  describe_source(fields);
  fields.check([&](const Place&) { world.inventory.gpus_per_host = world.hardware.gpus_per_host; });
}

void describe_spares(Fields& fields, World& world) {
  std::string policy = "fixed";
  double quantile = 0.99, daily_failure = 0.0012;
  const auto sized = [&] {
    return policy == "quantile" ? spares_for_quantile(world.inventory.job_hosts, daily_failure, quantile) : 0;
  };
  // Each as it was written last: a size of one's own, or a policy that finds it.
  fields.alternatives({"count", "policy"});
  fields.field("policy", name(policy, to_strings(spares_policy_names()), "a policy for spares"),
               "fixed: as count says; quantile: enough for the failures of a day");
  fields.field("quantile", number(quantile, {0, 0.999999, true}),
               "quantile: with this probability (ByteRobust: p99, https://arxiv.org/abs/2509.16293)");
  fields.field("daily_failure", number(daily_failure, {0, 0.5, false}),
               "quantile: probability that a host fails within a day (ByteRobust, implied by its p99 sizes)");
  fields.field(
      "count", whole_number(world.inventory.spares, {0, kMostHosts}),
      Fallback::computed([&] { return std::to_string(sized()); }),
      "warm hosts, which stand by ready to join, when the job starts; cold and pool are beside them");
  SparesModel& spares = world.spares;
  fields.field("cold", whole_number(spares.cold, {0, kMostHosts}),
               "further spare hosts that are powered and not set up");
  fields.field("cold_time", law(spares.cold_time), "time to set up a cold spare host");
  fields.field("pool", whole_number(spares.pool, {0, kMostHosts}),
               "further spare hosts that serve jobs of lower priority and cost this job nothing");
  fields.field("preemption", law(spares.preemption),
               "time until a job of lower priority has given up a host");
  fields.field("selection", law(spares.selection), "time to select new hosts where no spare host is warm");
  describe_source(fields);
  fields.check([&](const Place& place) {
    const bool known = place.mistakes().none();  // hosts too
    if (known && policy == "quantile" && world.inventory.spares != sized())
      place.mistake_at("count",
                       "differs from the " + std::to_string(sized()) + " that policy = \"quantile\" gives",
                       "leave count out, or write policy = \"fixed\"");
    world.inventory.spares += spares.cold + spares.pool;
    if (spares.cold == 0 && spares.cold_time != Law::constant(0))
      place.warning_at("cold_time", "is given, and no spare is cold", "cold = 4, or leave it out");
    if (spares.pool == 0 && spares.preemption != Law::constant(0))
      place.warning_at("preemption", "is given, and there is no pool to take hosts from",
                       "pool = 100, or leave it out");
  });
}

}  // namespace gauntlet
