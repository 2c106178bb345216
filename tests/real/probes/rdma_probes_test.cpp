// Ports of RDMA devices as /sys describes them.
#include "real/probes/host/rdma_probes.hpp"

#include "real/probes/judge.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace gauntlet {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

class Ports {
 public:
  ProbedHost host() const { return {.root = scratch_.path().string()}; }
  void put(const std::string& device, const std::string& file, const std::string& text) {
    const std::filesystem::path path = scratch_.path() / "sys/class/infiniband" / device / file;
    std::filesystem::create_directories(path.parent_path());
    put_bytes(path, text + "\n");
  }
  void put_port(const std::string& device, int port, const std::string& rate, bool active = true) {
    const std::string folder = "ports/" + std::to_string(port) + "/";
    put(device, "board_id", "MT_0000000838");
    put(device, folder + "state", active ? "4: ACTIVE" : "1: DOWN");
    put(device, folder + "phys_state", active ? "5: LinkUp" : "2: Polling");
    put(device, folder + "rate", rate);
    put(device, folder + "counters/link_downed", "3");
    put(device, folder + "counters/port_rcv_errors", "0");
  }

 private:
  Scratch scratch_;
};

const ProbeMetric kPortRate{.unit = "Gbit/s", .better = Better::higher};
const ProbeThreshold kAsPeers{.of_peers = 1};
const ProbeMetric kPortErrors{.unit = "errors", .better = Better::lower};
const ProbeThreshold kNoPortError{.at_most = 0, .breach = Breach::degraded};

ProbeFinding judge_ports(const Ports& ports) {
  return judge("rdma_ports", kPortRate, probe_rdma_ports(ports.host()), kAsPeers);
}

TEST(RdmaProbes, WithoutADeviceAreUnsupported) {
  const Ports none;
  EXPECT_THAT(probe_rdma_ports(none.host()).unsupported, HasSubstr("no RDMA device"));
  EXPECT_THAT(probe_rdma_errors(none.host()).unsupported, HasSubstr("no RDMA device"));
  EXPECT_THAT(probe_rdma_retries(none.host()).unsupported, HasSubstr("no RDMA device"));
}

TEST(RdmaProbes, NameThePortThatIsSlowerThanItsPeers) {
  Ports ports;
  for (const char* device : {"mlx5_0", "mlx5_1", "mlx5_2"}) ports.put_port(device, 1, "400 Gb/sec (4X NDR)");
  EXPECT_EQ(judge_ports(ports).verdict, ProbeVerdict::pass);
  ports.put_port("mlx5_1", 1, "200 Gb/sec (4X HDR)");
  const ProbeFinding finding = judge_ports(ports);
  EXPECT_EQ(finding.verdict, ProbeVerdict::degraded);
  EXPECT_EQ(finding.part, "mlx5_1:1");
  EXPECT_EQ(finding.metric->median, 200);
}

TEST(RdmaProbes, NameThePortThatIsDownWhereItsPeersAreNot) {
  Ports ports;
  for (const char* device : {"mlx5_0", "mlx5_1", "mlx5_2"}) {
    ports.put_port(device, 1, "400 Gb/sec (4X NDR)");
    ports.put_port(device, 2, "10 Gb/sec (4X SDR)", false);  // no cable in any
  }
  EXPECT_EQ(judge_ports(ports).verdict, ProbeVerdict::pass);
  ports.put_port("mlx5_2", 1, "10 Gb/sec (4X SDR)", false);
  const ProbeFinding finding = judge_ports(ports);
  EXPECT_EQ(finding.part, "mlx5_2:1");
  EXPECT_EQ(finding.metric->median, 0);
  EXPECT_THAT(finding.why, HasSubstr("state 1: DOWN, physical state 2: Polling"));
}

TEST(RdmaProbes, PortsWithoutPeersAreNotJudgedAndNoneActiveSaysNothing) {
  Ports ports;
  ports.put_port("mlx5_0", 1, "400 Gb/sec (4X NDR)");
  EXPECT_EQ(judge_ports(ports).verdict, ProbeVerdict::unjudged);
  ports.put_port("mlx5_0", 1, "10 Gb/sec (4X SDR)", false);
  ports.put_port("mlx5_1", 1, "10 Gb/sec (4X SDR)", false);
  const ProbeFinding finding = judge_ports(ports);
  EXPECT_EQ(finding.verdict, ProbeVerdict::inconclusive);
  EXPECT_THAT(finding.why, HasSubstr("no port is active: state 1: DOWN"));
}

TEST(RdmaProbes, ReadEveryCounter) {
  const auto counted = [](const std::string& file, const auto& probe) {
    Ports ports;
    ports.put("mlx5_0", "ports/1/" + file, "1");
    ProbedHost host = ports.host();
    host.earlier = {{"mlx5_0:1 " + std::filesystem::path(file).filename().string(), "0"}};
    const ProbeSample sample = probe(host);
    return sample.parts.empty() ? 0.0 : sample.parts[0].values.at(0);
  };
  for (const char* file : {"counters/link_downed", "counters/link_error_recovery", "counters/port_rcv_errors",
                           "counters/local_link_integrity_errors", "counters/port_xmit_discards",
                           "counters/excessive_buffer_overrun_errors"})
    EXPECT_EQ(counted(file, probe_rdma_errors), 1) << file;
  for (const char* file : {"hw_counters/packet_seq_err", "hw_counters/local_ack_timeout_err",
                           "hw_counters/out_of_sequence", "hw_counters/rnr_nak_retry_err"})
    EXPECT_EQ(counted(file, probe_rdma_retries), 1) << file;
}

TEST(RdmaProbes, CountWhatCameSinceTheLastLook) {
  Ports ports;
  ports.put_port("mlx5_0", 1, "400 Gb/sec (4X NDR)");
  ports.put_port("mlx5_1", 1, "400 Gb/sec (4X NDR)");
  ProbedHost host = ports.host();
  host.earlier = {{"mlx5_0:1 link_downed", "3"},
                  {"mlx5_0:1 port_rcv_errors", "0"},
                  {"mlx5_1:1 link_downed", "1"},
                  {"mlx5_1:1 port_rcv_errors", "0"}};
  const ProbeSample sample = probe_rdma_errors(host);
  const ProbeFinding finding = judge("rdma_errors", kPortErrors, sample, kNoPortError);
  EXPECT_EQ(finding.verdict, ProbeVerdict::degraded);
  EXPECT_EQ(finding.part, "mlx5_1:1");
  EXPECT_THAT(finding.why, HasSubstr("link_downed: 2 more"));
  EXPECT_THAT(sample.facts, Contains(Pair("mlx5_0:1 link_downed", "3")));
}

TEST(RdmaProbes, ADriverThatDoesNotCountIsUnsupported) {
  Ports ports;
  ports.put_port("rxe0", 1, "2.5 Gb/sec (1X SDR)");
  EXPECT_THAT(probe_rdma_retries(ports.host()).unsupported, HasSubstr("does not count this"));
}

}  // namespace
}  // namespace gauntlet
