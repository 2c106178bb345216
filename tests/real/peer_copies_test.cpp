// Copies in the memory of other hosts: sent, held, and given back over loopback.
#include "real/trainer/peer_copies.hpp"

#include "real/checkpoint/host_memory.hpp"
#include "real/checkpointer/copy_server.hpp"
#include "real/checkpointer/host_copies.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace gauntlet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr JobIdentity kPeerJob{.seed = 5, .pp = 1, .dp = 4};
const std::string kPeerSecret = "the secret that hosts of this test know";

std::string peer_shard(std::uint32_t rank, std::int64_t step) {
  return shard_bytes({.job = kPeerJob,
                      .rank = rank,
                      .step = step,
                      .state = std::string(3'000'000, static_cast<char>('a' + step % 26))});
}

class CopiesOfPeers : public ::testing::Test {
 protected:
  bool put(std::int64_t step, StartNumber start = 1, const std::string& secret = kPeerSecret) const {
    return PeerCopies(secret, std::chrono::seconds(20))
        .put(at_, 3, {.step = step, .start = start}, peer_shard(3, step));
  }
  /// As a sender that dies, or whose bytes are damaged on the way.
  bool take(std::int64_t step, std::size_t bytes_that_come, std::size_t damaged = ~std::size_t{0}) {
    const std::string shard = peer_shard(3, step);
    return copies_.take(3, {.step = step, .start = 1}, shard.size(), [&](std::span<char> memory) {
      std::memcpy(memory.data(), shard.data(), bytes_that_come);
      if (damaged < shard.size()) memory[damaged] ^= 1;
      return bytes_that_come == shard.size();
    });
  }
  PeerCopies peers() const { return {kPeerSecret, std::chrono::seconds(20)}; }

  Scratch scratch_;
  HostCopies copies_{scratch_.path() / "staged-"};
  CopyServer server_{copies_, "127.0.0.1", kPeerSecret, std::chrono::seconds(20)};
  TcpAddress at_ = tcp_address("127.0.0.1", server_.port());
};

TEST_F(CopiesOfPeers, AreGivenBackAsTheyCame) {
  EXPECT_THAT(peers().list(at_, 3), IsEmpty());
  ASSERT_TRUE(put(10));
  ASSERT_TRUE(put(20, 2));
  const CopyKey ten{.step = 10, .start = 1}, twenty{.step = 20, .start = 2};
  EXPECT_THAT(peers().list(at_, 3), UnorderedElementsAre(ten, twenty));
  EXPECT_THAT(peers().list(at_, 2), IsEmpty());
  EXPECT_EQ(peers().get(at_, 3, ten), peer_shard(3, 10));
  EXPECT_EQ(peers().get(at_, 3, twenty), peer_shard(3, 20));
  EXPECT_FALSE(peers().get(at_, 3, {.step = 20, .start = 1})) << "of another start";
  EXPECT_FALSE(peers().get(at_, 2, ten));
  ASSERT_TRUE(put(30, 2));
  EXPECT_THAT(peers().list(at_, 3), UnorderedElementsAre(twenty, (CopyKey{.step = 30, .start = 2})));
}

TEST_F(CopiesOfPeers, OfRanksOfThatHostAreGivenToo) {
  const std::string state(1000, 's');
  LockedMemory memory(scratch_.path() / "staged-2-1");
  StagedCopy copy({.memory = memory, .state_bytes = state.size(), .start = 4});
  copy.stage(kPeerJob, 2, 50, {state});
  const CopyKey key{.step = 50, .start = 4};
  EXPECT_THAT(peers().list(at_, 2), ElementsAre(key));
  const auto shard = peers().get(at_, 2, key);
  ASSERT_TRUE(shard);
  const ReadShard read = read_shard(*shard);
  ASSERT_TRUE(read.shard) << read.why;
  EXPECT_EQ(read.shard->state, state);
}

TEST_F(CopiesOfPeers, WhoDoesNotKnowTheSecretGetsNothing) {
  ASSERT_TRUE(put(10));
  EXPECT_FALSE(put(20, 1, "the secret that other hosts would know"));
  const PeerCopies stranger("the secret that other hosts would know", std::chrono::seconds(20));
  EXPECT_THAT(stranger.list(at_, 3), IsEmpty());
  EXPECT_FALSE(stranger.get(at_, 3, {.step = 10, .start = 1}));
  EXPECT_THAT(peers().list(at_, 3), ElementsAre((CopyKey{.step = 10, .start = 1})));
}

TEST_F(CopiesOfPeers, WhereNobodyListensThereIsNothing) {
  const TcpAddress nobody = tcp_address("127.0.0.1", 1);
  EXPECT_THAT(peers().list(nobody, 3), IsEmpty());
  EXPECT_FALSE(peers().get(nobody, 3, {.step = 10, .start = 1}));
  EXPECT_FALSE(peers().put(nobody, 3, {.step = 10, .start = 1}, peer_shard(3, 10)));
}

// Against the newest complete copy as the model: it stays whatever happens to its successors.
TEST_F(CopiesOfPeers, ASenderThatDiesAnywhereCostsNoCompleteCopy) {
  ASSERT_TRUE(put(10));
  const CopyKey ten{.step = 10, .start = 1};
  const std::size_t all = peer_shard(3, 20).size();
  for (const std::size_t came : {std::size_t{0}, std::size_t{1}, kShardHeaderBytes, all / 2, all - 1}) {
    EXPECT_FALSE(take(20, came));
    EXPECT_THAT(peers().list(at_, 3), ElementsAre(ten));
    EXPECT_EQ(peers().get(at_, 3, ten), peer_shard(3, 10));
  }
  for (const std::size_t damaged : {std::size_t{0}, kShardHeaderBytes, all / 2, all - 1}) {
    EXPECT_FALSE(take(20, all, damaged));
    EXPECT_THAT(peers().list(at_, 3), ElementsAre(ten));
  }
  EXPECT_TRUE(take(20, all));
  EXPECT_FALSE(take(30, all / 2));
  EXPECT_THAT(peers().list(at_, 3), ElementsAre((CopyKey{.step = 20, .start = 1})));
}

}  // namespace
}  // namespace gauntlet
