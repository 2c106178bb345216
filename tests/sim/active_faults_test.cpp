// The faults that are there, against a list of all of them in the order in which they struck.
#include "sim/faults/active_faults.hpp"

#include "core/random/stream.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint32_t kActiveHosts = 30;

World three_kinds() {
  World world = one_fault_world(kActiveHosts, Law::exponential(1));
  FaultKind slow = world.faults[0], bug = world.faults[0];
  slow.name = "slow";
  slow.effect = Effect::slow;
  bug.name = "bug";
  bug.remedy = Remedy::restart;
  world.faults.push_back(slow);
  world.faults.push_back(bug);
  return world;
}

/// What ActiveFaults must say, by looking at all.
struct ListOfFaults {
  std::vector<ActiveFault> all;
  std::set<std::uint32_t> in_job;

  std::uint32_t job_hosts(const HostRange& hosts) const {
    std::uint32_t count = 0;
    for (std::uint32_t host : in_job) count += hosts.contains(HostId{host}) ? 1 : 0;
    return count;
  }
  template <class Wanted>
  std::vector<FaultRef> refs(const Wanted& wanted) const {
    std::vector<FaultRef> out;
    for (const ActiveFault& fault : all)
      if (wanted(fault)) out.push_back(fault.ref);
    return out;
  }
};

TEST(ActiveFaults, SayWhatAListOfAllWouldSay) {
  const World world = three_kinds();
  Stream draw(Seed{.study = 21}, stream_name("active_faults"));
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(draw.below(n)); };
  ActiveFaults faults(world);
  ListOfFaults model;
  for (std::uint32_t host = 0; host < kActiveHosts / 2; ++host) model.in_job.insert(host);
  Time now = kStart;
  for (int i = 0; i < 3'000; ++i) {
    now += Duration(below(2));  // some strike at once
    if (below(3) == 0) {
      const HostId host{below(kActiveHosts)};
      if (model.in_job.erase(host.value) > 0) {
        faults.host_left(host);
      } else {
        model.in_job.insert(host.value);
        faults.host_joined(host);
      }
    }
    if (!model.all.empty() && below(5) < 2) {
      const auto gone = model.all.begin() + below(model.all.size());
      faults.erase(gone->ref);
      EXPECT_EQ(faults.find(gone->ref), nullptr);
      model.all.erase(gone);
    }
    const ComponentId component{below(6) == 0 ? ComponentKind::rack : ComponentKind::host,
                                below(kActiveHosts)};
    const HostRange hosts{HostId{component.index}, component.kind == ComponentKind::rack ? 1 + below(9) : 1};
    const FaultKindId kind{below(3)};
    const bool had = std::ranges::any_of(
        model.all, [&](const ActiveFault& each) { return each.kind == kind && each.component == component; });
    ASSERT_EQ(faults.has(kind, component, hosts), had) << "step " << i;
    if (!had) {
      const ActiveFault added = faults.add({.kind = kind,
                                            .component = component,
                                            .hosts = hosts,
                                            .heal = {},
                                            .grow = {},
                                            .line = {},
                                            .struck = now,
                                            .job_hosts = model.job_hosts(hosts)});
      model.all.push_back(added);
    }
    const HostId host{below(kActiveHosts)};
    const auto of_host = model.refs([&](const ActiveFault& each) { return each.hosts.contains(host); });
    const std::span<const FaultRef> found = faults.of(host);
    ASSERT_EQ(std::vector(found.begin(), found.end()), of_host);
    ASSERT_EQ(faults.first_of(host), of_host.empty() ? FaultRef{} : of_host.front());
    const auto on_job = [&](const ActiveFault& each) { return model.job_hosts(each.hosts) > 0; };
    ASSERT_EQ(faults.on_job(Concern::slows),
              model.refs([&](const ActiveFault& each) { return each.kind.value == 1 && on_job(each); }));
    ASSERT_EQ(faults.on_job(Concern::holds),
              model.refs([&](const ActiveFault& each) { return each.kind.value != 1 && on_job(each); }));
    ASSERT_EQ(faults.struck_at(now), model.refs([&](const ActiveFault& each) { return each.struck == now; }));
  }
}

}  // namespace
}  // namespace gauntlet
