// Probes that another program carries out: with a script in the place of gauntlet-cuda-probe, and gauntlet-ucx-probe itself.
#include "real/probes/host/helper_program.hpp"

#include "real/probes/cuda/sample.hpp"
#include "real/probes/host/network_cards.hpp"
#include "real/probes/isolated.hpp"
#include "real/probes/sample_json.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class CudaProbes : public testing::Test {
 protected:
  /// What a shell script in the place of the program leads to.
  ProbeSample says(const std::string& script, Duration deadline = 60s) const {
    const std::string program = (place_.path() / "program").string();
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return run_isolated([&] { return probe_by_cuda({.cuda_program = program}, "gemm_bf16"); }, deadline);
  }
  const Scratch place_;
};

TEST_F(CudaProbes, GiveWhatTheProgramMeasured) {
  const cuda::Sample measured{
      .parts = {{.part = "GPU 0", .kind = "NVIDIA \"H100\"", .values = {790.5, 1e-9}, .remark = "a\\b"}},
      .errors = {"element (1, 2) is wrong"},
      .unsupported = "",
      .inconclusive = "GPU 1: is busy\n",
      .facts = {{"GPU 0 lowest clock", "1755 MHz"}}};
  const ProbeSample sample =
      says("echo 'a library says {'; cat <<'END'\n" + to_json(measured) + "\nEND\necho '{}'");
  ASSERT_THAT(sample.parts, SizeIs(1));
  EXPECT_EQ(sample.parts[0].part, "GPU 0");
  EXPECT_EQ(sample.parts[0].kind, "NVIDIA \"H100\"");
  EXPECT_THAT(sample.parts[0].values, ElementsAre(790.5, 1e-9));
  EXPECT_EQ(sample.parts[0].remark, "a\\b");
  EXPECT_THAT(sample.errors, ElementsAre("element (1, 2) is wrong"));
  EXPECT_EQ(sample.inconclusive, "GPU 1: is busy?");  // one line, and nothing that a terminal obeys
  EXPECT_THAT(sample.facts, ElementsAre(Pair("GPU 0 lowest clock", "1755 MHz")));
}

TEST_F(CudaProbes, PassTheNameOn) {
  EXPECT_THAT(says("echo \"$# $1\" >&2; exit 3").errors,
              ElementsAre(HasSubstr("ended with 3; it last said: 1 gemm_bf16")));
}

TEST_F(CudaProbes, AreUnsupportedWithoutTheProgramOrItsLibraries) {
  EXPECT_THAT(probe_by_cuda({.cuda_program = "/none"}, "launch").unsupported,
              HasSubstr("Gauntlet was built without CUDA: there is no /none"));
  const ProbeSample sample = says("echo 'libcublasLt.so.13: cannot open shared object file' >&2; exit 127");
  EXPECT_THAT(sample.unsupported, HasSubstr("libcublasLt.so.13: cannot open shared object file"));
  EXPECT_THAT(sample.errors, IsEmpty());
}

TEST_F(CudaProbes, FailTheHostWhereTheProgramDies) {
  EXPECT_THAT(says("kill -SEGV $$").errors, ElementsAre(HasSubstr("ended with 139")));
  EXPECT_THAT(says("echo no JSON").errors, ElementsAre(HasSubstr("says nothing that can be read")));
  EXPECT_THAT(says(R"(echo '{"parts":3}')").errors,
              ElementsAre(HasSubstr("says something else than what it measured")));
  const ProbeSample killed = says("kill -KILL $$");
  EXPECT_THAT(killed.errors, IsEmpty());
  EXPECT_THAT(killed.inconclusive, HasSubstr("ended with 137"));
  EXPECT_THAT(says("").errors, ElementsAre(HasSubstr("says nothing that can be read")));
}

TEST_F(CudaProbes, EndAtTheirDeadline) {
  EXPECT_THAT(says("exec sleep 1000", 200ms).errors, ElementsAre("did not end within 200ms"));
}

TEST(UcxMesh, IsUnsupportedWithoutItsProgram) {
  EXPECT_THAT(probe_ucx_mesh({.ucx_program = "/none"}).unsupported,
              HasSubstr("Gauntlet was built without UCX: there is no /none"));
}

TEST(UcxMesh, SendsBetweenTheCardsOfThisHost) {
  const auto program = std::filesystem::path(std::getenv("GAUNTLET")).parent_path() / "gauntlet-ucx-probe";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "Gauntlet was built without UCX";
  const ProbeSample sample =
      run_isolated([&] { return probe_ucx_mesh({.ucx_program = program.string()}); }, 60s);
  EXPECT_THAT(sample.errors, IsEmpty());
  const bool by_tcp = sample.unsupported.find("its cores bound TCP within it: ") != std::string::npos;
  EXPECT_TRUE(by_tcp || sample.unsupported.empty()) << sample.unsupported;
  EXPECT_EQ(by_tcp, sample.unsupported.find(" GB/s on ") != std::string::npos) << "transfers by TCP work";
}

class NetworkCards : public testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = place_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  std::string root() const { return place_.path().string(); }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const NetworkCard& each : network_cards(root()).up)
      all.push_back(each.name +
                    (each.rdma ? " RDMA " + each.speed + " at " + std::to_string(each.node) : ""));
    return all;
  }

 private:
  const Scratch place_;
};

TEST_F(NetworkCards, AreThePortsOfRdmaDevicesOrElseTheInterfaces) {
  EXPECT_THAT(names(), IsEmpty());
  put("sys/class/net/eth0/operstate", "up");
  put("sys/class/net/eth1/operstate", "down");
  put("sys/class/net/lo/operstate", "unknown");
  EXPECT_THAT(names(), ElementsAre("eth0", "lo"));
  put("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
  EXPECT_THAT(names(), IsEmpty()) << "no interface stands in for an RDMA device";
  put("sys/class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE");
  put("sys/class/infiniband/mlx5_1/ports/1/link_layer", "InfiniBand");
  put("sys/class/infiniband/mlx5_1/ports/1/rate", "400 Gb/sec (4X NDR)");
  put("sys/class/infiniband/mlx5_1/device/numa_node", "1");
  EXPECT_THAT(names(), ElementsAre("mlx5_1:1 RDMA InfiniBand, 400 Gb/sec (4X NDR) at 1"));
  EXPECT_THAT(network_cards(root()).down, ElementsAre("mlx5_0:1"));
}

}  // namespace
}  // namespace gauntlet
