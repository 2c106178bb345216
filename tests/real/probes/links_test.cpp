// Links over loopback: what both ends measure, and who may.
#include "real/probes/host/tcp_probes.hpp"
#include "real/probes/link/link_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace gauntlet {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::SizeIs;

constexpr const char* kSecret = "0123456789abcdef0123456789abcdef";

/// A neighbour that listens on loopback.
class Links : public testing::Test {
 protected:
  ~Links() override { ends_ = true; }

  ProbedHost host(const std::string& secret = kSecret) const {
    return {.neighbours = {{.host = "127.0.0.1", .port = server_.port()}}, .secret = secret};
  }

 private:
  std::atomic<bool> ends_ = false;
  LinkServer server_{{{.host = "127.0.0.1", .port = 0}}, kSecret};
  std::jthread thread_{[this] { server_.serve([this] { return !ends_; }, [] {}); }};
};

TEST_F(Links, BandwidthIsThatOfBothDirections) {
  const ProbeSample sample = probe_tcp_bandwidth(host());
  ASSERT_THAT(sample.parts, SizeIs(2));
  EXPECT_EQ(sample.parts[0].part, "to 127.0.0.1");
  EXPECT_EQ(sample.parts[1].part, "from 127.0.0.1");
  for (const PartSample& part : sample.parts) {
    EXPECT_EQ(part.neighbour, "127.0.0.1");
    EXPECT_THAT(part.values, AllOf(SizeIs(Ge(2U)), Each(Gt(0))));
  }
}

TEST_F(Links, LoopbackLosesNothing) {
  const ProbeSample loss = probe_tcp_loss(host());
  ASSERT_THAT(loss.parts, SizeIs(1));
  EXPECT_THAT(loss.parts[0].values, testing::ElementsAre(0));
  EXPECT_THAT(loss.parts[0].remark, HasSubstr("0 segments were sent again in "));
  const ProbeSample latency = probe_tcp_latency(host());
  ASSERT_THAT(latency.parts, SizeIs(1));
  EXPECT_THAT(latency.parts[0].values, AllOf(SizeIs(10), Each(AllOf(Gt(0), Lt(5000)))));
}

TEST_F(Links, WhoHasAnotherSecretMeasuresNothing) {
  const ProbeSample sample = probe_tcp_loss(host("fedcba9876543210fedcba9876543210"));
  EXPECT_THAT(sample.unsupported, HasSubstr("has another secret"));
  EXPECT_THAT(sample.parts, IsEmpty());
  EXPECT_THAT(probe_tcp_loss(host()).parts, SizeIs(1));  // the next one is served
}

TEST(TcpProbes, WithoutANeighbourCannotLook) {
  EXPECT_THAT(probe_tcp_bandwidth({}).unsupported, HasSubstr("--pair HOST:PORT"));
}

TEST(TcpProbes, ANameThatNobodyHasSaysNothingOfTheLink) {
  const ProbedHost host{.neighbours = {{.host = "no-such-host.invalid", .port = 7500}}, .secret = kSecret};
  EXPECT_THAT(probe_tcp_loss(host).unsupported, HasSubstr("no-such-host.invalid:7500: "));
}

TEST(LinkServers, SayWhyTheyDoNotListen) {
  const LinkServer first({{.host = "127.0.0.1", .port = 0}}, kSecret);
  EXPECT_EQ(first.problem(), "");
  const LinkServer second({{.host = "127.0.0.1", .port = first.port()}}, kSecret);
  EXPECT_THAT(second.problem(), HasSubstr("Address already in use"));
}

}  // namespace
}  // namespace gauntlet
