// What the kernel says, on machines of a test's own.
#include "real/probes/host/kernel_probes.hpp"

#include "real/probes/host/configuration.hpp"
#include "real/probes/host/counters.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// A root directory of a test's own.
class FakeRoot {
 public:
  ProbedHost host() const { return {.root = scratch_.path().string()}; }
  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = scratch_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    put_bytes(file, text + "\n");
  }
  void put_link(const std::string& link, int errors, int carrier_changes) {
    put("sys/class/net/" + link + "/statistics/rx_errors", std::to_string(errors));
    put("sys/class/net/" + link + "/statistics/tx_errors", "0");
    put("sys/class/net/" + link + "/carrier_changes", std::to_string(carrier_changes));
  }

 private:
  Scratch scratch_;
};

const ProbeMetric kErrors{.unit = "errors", .better = Better::lower};
const ProbeThreshold kNone{.at_most = 0, .breach = Breach::degraded};

TEST(HostCounters, GrowSinceTheLastLookAndBeginAgainAtZero) {
  EXPECT_EQ(growth({{"a", 7}, {"b", 3}, {"new", 9}}, {{"a", "5"}, {"b", "100"}, {"gone", "1"}}),
            (Counters{{"a", 2}, {"b", 3}}));
}

TEST(LinkProbes, NameTheLinkThatFlapped) {
  FakeRoot root;
  root.put_link("eth0", 4, 2);
  root.put_link("eth1", 0, 9);
  ProbedHost host = root.host();
  host.earlier = {{"eth0 rx_errors", "4"}, {"eth0 tx_errors", "0"}, {"eth0 carrier_changes", "2"},
                  {"eth1 rx_errors", "0"}, {"eth1 tx_errors", "0"}, {"eth1 carrier_changes", "3"}};
  const ProbeSample sample = probe_link_errors(host);
  const ProbeFinding finding = judge("link_errors", kErrors, sample, kNone);
  EXPECT_EQ(finding.verdict, ProbeVerdict::degraded);
  EXPECT_EQ(finding.part, "eth1");
  EXPECT_EQ(finding.metric->median, 6);
  EXPECT_THAT(finding.why, HasSubstr("eth1 carrier_changes: 6 more"));
  EXPECT_THAT(sample.facts, Contains(Pair("eth1 carrier_changes", "9")));
  host.earlier["eth1 carrier_changes"] = "9";
  EXPECT_EQ(judge("link_errors", kErrors, probe_link_errors(host), kNone).verdict, ProbeVerdict::pass);
}

// Virtual links change their carriers whenever a container starts.
TEST(LinkProbes, LookAtHardwareWhereThereIsAny) {
  FakeRoot root;
  root.put_link("veth7", 0, 5);
  root.put_link("eth0", 0, 1);
  ProbedHost host = root.host();
  host.earlier = {{"veth7 carrier_changes", "0"}, {"eth0 carrier_changes", "1"}};
  EXPECT_EQ(judge("link_errors", kErrors, probe_link_errors(host), kNone).part, "veth7");
  root.put("sys/class/net/eth0/device/vendor", "0x15b3");
  EXPECT_EQ(judge("link_errors", kErrors, probe_link_errors(host), kNone).verdict, ProbeVerdict::pass);
}

TEST(LinkProbes, WithoutALinkCannotLook) {
  FakeRoot root;
  EXPECT_THAT(probe_link_errors(root.host()).unsupported, HasSubstr("no network interface"));
  root.put_link("lo", 9, 9);
  EXPECT_THAT(probe_link_errors(root.host()).unsupported, HasSubstr("no network interface"));
}

TEST(CompactionProbe, CountsStalls) {
  FakeRoot root;
  EXPECT_THAT(probe_compaction(root.host()).unsupported, HasSubstr("no compaction"));
  root.put("proc/vmstat", "nr_free_pages 5\ncompact_stall 12\ncompact_fail 1");
  ProbedHost host = root.host();
  host.earlier = {{"compact_stall", "10"}};
  EXPECT_EQ(probe_compaction(host).parts.at(0).values.at(0), 2);
}

TEST(KernelLog, FindsWhatIsBroken) {
  const std::string records =
      "6,1,100,-;eth0: link becomes ready\n SUBSYSTEM=net\n"
      "2,2,200,-;mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5\n"
      "4,3,300,-;NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus\n"
      "3,4,400,-;INFO: task jbd2:1234 blocked for more than 120 seconds.\n"
      "3,5,500,-;I/O error, dev nvme0n1, sector 42\n"
      "6,6,600,-;nvme nvme0: 64/0/0 default/read/poll queues\n";
  EXPECT_EQ(bad_records(records).size(), 4U);
  EXPECT_THAT(bad_records(records).front(), HasSubstr("Machine Check"));
  FakeRoot root;
  root.put("dev/kmsg", records);
  const ProbeFinding finding =
      judge("kernel_log", {"lines", Better::lower}, probe_kernel_log(root.host()), kNone);
  EXPECT_EQ(finding.verdict, ProbeVerdict::degraded);
  EXPECT_THAT(finding.why, HasSubstr("the last of them: I/O error, dev nvme0n1"));
  EXPECT_THAT(probe_kernel_log({.root = "/none"}).unsupported, HasSubstr("/none/dev/kmsg: No such file"));
}

TEST(ClockProbe, PassesNoClockThatNobodySynchronises) {
  const ProbeThreshold line{.at_most = 1000};
  EXPECT_EQ(
      judge("clock", {"ms", Better::lower}, clock_sample({.synchronised = true, .max_error_ms = 20}), line)
          .verdict,
      ProbeVerdict::pass);
  EXPECT_EQ(
      judge("clock", {"ms", Better::lower}, clock_sample({.synchronised = true, .max_error_ms = 2000}), line)
          .verdict,
      ProbeVerdict::fail);
  EXPECT_EQ(judge("clock", {"ms", Better::lower}, clock_sample({.synchronised = false}), line).verdict,
            ProbeVerdict::unsupported);
}

TEST(Configuration, IsThatOfTheHardware) {
  FakeRoot root;
  EXPECT_THAT(probe_configuration(root.host()).unsupported, HasSubstr("neither"));
  root.put("sys/class/net/eth0/mtu", "9000");
  root.put("sys/class/net/eth0/device/current_link_width", "8");
  root.put("sys/class/net/veth1/mtu", "1500");
  root.put("sys/class/infiniband/mlx5_0/fw_ver", "28.39");
  root.put("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)");
  root.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
  EXPECT_THAT(probe_configuration(root.host()).facts,
              ElementsAre(Pair("governor", "performance"), Pair("eth0 mtu", "9000"),
                          Pair("eth0 current_link_width", "8"), Pair("mlx5_0 firmware", "28.39"),
                          Pair("mlx5_0 port 1 rate", "400 Gb/sec (4X NDR)")));
}

}  // namespace
}  // namespace gauntlet
