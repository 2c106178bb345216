// Probes by CUDA, with a program in the place of gauntlet-cuda-probe; and that program itself, on a machine that may have no GPU.
#include "real/probes/host/cuda_probes.hpp"

#include "real/probes/cuda/sample.hpp"
#include "real/probes/isolated.hpp"
#include "real/probes/sample_json.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

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

}  // namespace
}  // namespace gauntlet
