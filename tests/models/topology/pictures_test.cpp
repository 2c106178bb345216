#include "tests/models/topology/fabrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using enum FabricKind;

class Pictures : public testing::TestWithParam<TestCluster> {};
INSTANTIATE_TEST_SUITE_P(Clusters, Pictures, testing::ValuesIn(test_clusters()),
                         [](const auto& cluster) { return cluster.param.name; });

// Every match of a pattern with one group.
std::vector<std::string> all(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    out.push_back((*match)[1]);
  return out;
}

// How many of a kind are drawn: by themselves, or as "12 WHAT" of a node.
std::uint32_t drawn(const std::string& dot, const std::string& alone, const std::string& together) {
  auto number = static_cast<std::uint32_t>(all(dot, "label=\"(" + alone + " \\d+)").size());
  for (const std::string& more : all(dot, "\\\\n(\\d+) " + together))
    number += static_cast<std::uint32_t>(std::stoul(more));
  return number;
}

TEST_P(Pictures, HaveEverythingOnce) {
  const Topology topology = GetParam().build();
  const FabricShape& shape = topology.shape();
  const std::string dot = to_dot(topology);
  EXPECT_EQ(drawn(dot, "host|nvswitch", "hosts"), shape.hosts);
  EXPECT_EQ(drawn(dot, "tor", "ToR"), shape.tors());
  EXPECT_EQ(drawn(dot, "aggregation", "aggregation"), shape.aggregations());
  EXPECT_EQ(drawn(dot, "spine", "spine"), shape.spines());
}

// Edges join nodes that are there, braces close, and the links on them are those between the drawn parts.
TEST_P(Pictures, AreWellFormed) {
  const std::string dot = to_dot(GetParam().build());
  const auto nodes = all(dot, "\n +(n\\d+) \\[");
  const std::set<std::string> known(nodes.begin(), nodes.end());
  EXPECT_EQ(known.size(), nodes.size());
  for (const std::string& end : all(dot, "(n\\d+) -- ")) EXPECT_TRUE(known.contains(end)) << end;
  for (const std::string& end : all(dot, " -- (n\\d+) ")) EXPECT_TRUE(known.contains(end)) << end;
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
  EXPECT_TRUE(dot.starts_with("graph topology {\n"));
}

TEST(Pictures, StaySmall) {
  const std::string dot =
      to_dot(TestCluster{"", 2048, 64, 8, 8, fabric_of(rail_optimised, 8, 8, 64)}.build());
  EXPECT_LT(std::count(dot.begin(), dot.end(), '\n'), 250);
  // 30 of 32 pods are one node; each spine has a link to one of its aggregation switches in each.
  EXPECT_THAT(dot, HasSubstr("1920 hosts\\n240 ToR switches\\n240 aggregation switches"));
  EXPECT_THAT(dot, HasSubstr("[label=\"30 x 3200 Gb/s\"]"));
}

TEST(Page, SaysWhatThereIs) {
  EXPECT_EQ(to_text(TestCluster{"", 2048, 64, 8, 8, fabric_of(rail_optimised, 8, 8, 64, 7)}.build()),
            R"(Rail-optimised: NIC r of 64 hosts is under the ToR switch of rail r, one of 8.

                         number   links of each, one direction
hosts                     2,048   8 GPUs, 8 NICs
GPUs                     16,384   NVLink 450 GB/s, PCIe 64 GB/s
NICs                     16,384   400 Gb/s
ToR switches                256   64 x 400 Gb/s down, 8 x 3200 Gb/s up
aggregation switches        256   8 x 3200 Gb/s down, 8 x 457.1 Gb/s up
spine switches               64   32 x 457.1 Gb/s down

oversubscription      ToR 1:1, aggregation 7:1
bisection             58.51 TB/s each way between the halves of the hosts, 14.3% of their NICs

failure domain           number   hosts affected        they lose
  host                    2,048   1                     all
  rack                      683   3 (the last: 2)       power
  power domain              342   6 (the last: 2)       power
  ToR switch                256   64                    one of 8 rails
  pod                        32   64                    the other pods

from GPU 0 to a GPU        hops   equal paths (traffic spreads, or a hash picks one: step --ecmp)
  in its host                 2   1
    gpu 0 > nvswitch 0 > gpu 1
  on its rail                 4   1
    gpu 0 > nic 0 > tor 0 > nic 8 > gpu 8
  on another rail             6   1
    gpu 0 > nic 0 > tor 0 > nic 8 > gpu 8 > nvswitch 1 > gpu 15
  in another pod              8   64
    gpu 0 > nic 0 > tor 0 > aggregation 0 > spine 0 > aggregation 8 > tor 8 > nic 512 > gpu 512
)");
}

TEST_P(Pictures, PageHasEveryCount) {
  const Topology topology = GetParam().build();
  const std::string page = to_text(topology);
  const auto count = [](std::uint32_t number) {
    return number < 1000 ? std::to_string(number)
                         : std::to_string(number / 1000) + "," + std::to_string(number % 1000);
  };
  EXPECT_THAT(page, HasSubstr(count(topology.shape().gpus())));
  EXPECT_THAT(page, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(page, testing::Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace gauntlet
