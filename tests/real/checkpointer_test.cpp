// The checkpointer of a host, as a process: it writes what ranks have copied, whether they live or not.
#include "real/checkpoint/checkpointer_messages.hpp"
#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/host_stage_two.hpp"
#include "real/checkpoint/writer.hpp"
#include "real/runner/host_checkpointer.hpp"
#include "real/system/clock.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr JobIdentity kOneRank{.seed = 3};
constexpr JobIdentity kTwoRanks{.seed = 3, .dp = 2};

std::string state_at(std::int64_t step) { return std::string(5000, static_cast<char>('a' + step % 26)); }

/// A host with a checkpointer, and ranks on it that are objects of this process.
class Checkpointers : public ::testing::Test {
 protected:
  Checkpointers() : host_(std::getenv("GAUNTLET"), std::nullopt) {
    EXPECT_EQ(host_.open(scratch_.path()), "");
    path_ = host_.path();
  }

  /// As its agent does, until `over`.
  void serve_until(const std::function<bool()>& over) {
    const std::int64_t until_ns = monotonic_ns() + 60'000'000'000;
    while (!over() && monotonic_ns() < until_ns) {
      std::vector<pollfd> polled;
      host_.add_to(polled);
      ::poll(polled.data(), polled.size(), 5);
      host_.collect();
    }
    EXPECT_TRUE(over());
  }
  void finish() {
    serve_until([this] { return host_.finish(); });
    EXPECT_FALSE(host_.take_late());
  }

  std::string file(std::uint32_t rank, int copy = 0) const {
    return scratch_.path() / ("staged-" + std::to_string(rank) + "-" + std::to_string(copy));
  }
  RankHello hello(std::uint32_t rank, const JobIdentity& job) const {
    return {.rank = rank,
            .start = 1,
            .state_bytes = state_at(0).size(),
            .job = job,
            .directory = storage_.name(),
            .longest_wait = std::chrono::minutes(1)};
  }

  std::unique_ptr<CheckpointWriter> rank_zero(const CheckpointTier& tier,
                                              const CheckpointListener& listener) {
    auto own = std::make_unique<OwnStageTwo>(
        tier, OwnStageTwo::Settings{.longest_wait = std::chrono::minutes(1)}, listener);
    std::vector<StagedCopy::Settings> copies;
    for (int i = 0; i < 2; ++i)
      copies.push_back(
          {.memory = memories_.emplace_back(file(0, i)), .state_bytes = state_at(0).size(), .start = 1});
    return std::make_unique<CheckpointWriter>(
        std::make_unique<HostStageTwo>(
            HostStageTwo::Settings{
                .socket = path_, .copies = {file(0, 0), file(0, 1)}, .hello = hello(0, tier.job())},
            std::move(own), listener),
        tier.job(), 0, copies);
  }

  /// A rank that copies its state, asks for it to be written, and is gone.
  void copy_and_die(std::uint32_t rank, std::int64_t step, const JobIdentity& job) {
    LockedMemory memory(file(rank));
    {
      StagedCopy copy({.memory = memory, .state_bytes = state_at(step).size(), .start = 1});
      copy.stage(job, rank, step, {state_at(step)});
    }
    const Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_TRUE(send_message(socket.get(), to_text(hello(rank, job))));
    ASSERT_TRUE(send_message(socket.get(), to_text(WriteOrder{.step = step, .copy = file(rank)})));
  }

  Scratch scratch_;
  DirectoryStorage storage_{scratch_.folder("checkpoints")};
  HostCheckpointer host_;
  std::string path_;
  std::deque<LockedMemory> memories_;
};

TEST_F(Checkpointers, FinishesTheCopiesOfRanksThatAreGone) {
  const CheckpointTier tier(storage_, kTwoRanks);
  copy_and_die(1, 10, kTwoRanks);
  copy_and_die(0, 10, kTwoRanks);  // whoever asks last is still served, although no process ran yet
  EXPECT_TRUE(host_.none());
  finish();
  EXPECT_THAT(tier.survey().whole, ElementsAre(10));
  for (std::uint32_t rank = 0; rank < kTwoRanks.ranks(); ++rank)
    EXPECT_EQ(tier.load(10, rank).shard->state, state_at(10));
}

TEST_F(Checkpointers, DoesNotWaitAtTheEndForShardsOfOtherHosts) {
  const CheckpointTier tier(storage_, kTwoRanks);
  copy_and_die(0, 10, kTwoRanks);
  finish();
  EXPECT_THAT(tier.survey().unfinished, ElementsAre(10));
  EXPECT_EQ(tier.first_missing(10), 1u);
}

/// What a writer said.
struct Told {
  std::mutex mutex;
  std::vector<std::string> all;
  CheckpointListener listener() {
    const auto add = [this](const std::string& what) {
      const std::lock_guard lock(mutex);
      all.push_back(what);
    };
    return {.saved = [add](std::int64_t step) { add("saved " + std::to_string(step)); },
            .failed = [add](std::int64_t step, const Problem&) { add("failed " + std::to_string(step)); },
            .not_removed = [add](const Problem&) { add("not removed"); }};
  }
  bool has(const std::string& what) {
    const std::lock_guard lock(mutex);
    return std::find(all.begin(), all.end(), what) != all.end();
  }
};

TEST_F(Checkpointers, WritesForARankThatLivesAndIsReplacedWhenItDies) {
  const CheckpointTier tier(storage_, kOneRank);
  Told told;
  {
    const auto writer = rank_zero(tier, told.listener());
    writer->write(10, {state_at(10)});
    serve_until([&] { return told.has("saved 10"); });
    const pid_t first = host_.process();
    EXPECT_FALSE(host_.none());

    ASSERT_EQ(::kill(first, SIGSTOP), 0);
    writer->write(20, {state_at(20)});
    ASSERT_EQ(::kill(first, SIGKILL), 0);  // the rank writes that one itself, or a successor does
    serve_until([&] { return told.has("saved 20"); });
    writer->write(30, {state_at(30)});
    serve_until([&] { return told.has("saved 30"); });
    EXPECT_NE(host_.process(), first);
    EXPECT_FALSE(host_.none());
  }
  finish();
  EXPECT_THAT(told.all, ElementsAre("saved 10", "saved 20", "saved 30"));
  EXPECT_THAT(tier.survey().whole, ElementsAre(30, 20));
  EXPECT_EQ(tier.load(30, 0).shard->state, state_at(30));
}

TEST_F(Checkpointers, WhereThereIsNoneTheRankWritesItself) {
  host_.kill();
  const CheckpointTier tier(storage_, kOneRank);
  Told told;
  const auto writer = rank_zero(tier, told.listener());
  writer->write(10, {state_at(10)});
  writer->wait_until_idle();
  EXPECT_THAT(told.all, ElementsAre("saved 10"));
}

TEST_F(Checkpointers, AProgramThatIsNoneIsTriedThreeTimes) {
  HostCheckpointer broken("/bin/false", std::nullopt);
  const Scratch other;
  ASSERT_EQ(broken.open(other.path()), "");
  path_ = broken.path();
  const CheckpointTier tier(storage_, kOneRank);
  Told told;
  const auto writer = rank_zero(tier, told.listener());
  writer->write(10, {state_at(10)});
  const std::int64_t until_ns = monotonic_ns() + 60'000'000'000;
  while (!told.has("saved 10") && monotonic_ns() < until_ns) {
    std::vector<pollfd> polled;
    broken.add_to(polled);
    ::poll(polled.data(), polled.size(), 5);
    broken.collect();
  }
  EXPECT_THAT(told.all, ElementsAre("saved 10"));
  EXPECT_EQ(broken.path(), "");
}

TEST(CheckpointerMessages, AreReadAsTheyWereWritten) {
  const RankHello hello{.rank = 3,
                        .start = 7,
                        .state_bytes = 1ULL << 40,
                        .job = {.seed = ~0ULL, .pp = 2, .dp = 3, .tp = 4},
                        .directory = "/a b\"c\n",
                        .retention = {.keep = 5, .every = 6},
                        .longest_wait = std::chrono::seconds(9)};
  const auto read = parse_to_checkpointer(to_text(hello));
  ASSERT_TRUE(read);
  const auto& same = std::get<RankHello>(*read);
  EXPECT_EQ(to_text(same), to_text(hello));
  EXPECT_EQ(same.job, hello.job);
  EXPECT_EQ(same.directory, hello.directory);
  for (const Tier reach : {Tier::memory, Tier::peers, Tier::storage}) {
    const auto order = parse_to_checkpointer(to_text(WriteOrder{.step = 12, .copy = "/x", .reach = reach}));
    ASSERT_TRUE(order);
    EXPECT_EQ(std::get<WriteOrder>(*order).reach, reach);
  }
  for (const auto kind : {FromCheckpointer::Kind::saved, FromCheckpointer::Kind::failed,
                          FromCheckpointer::Kind::not_removed, FromCheckpointer::Kind::done}) {
    const auto said =
        parse_from_checkpointer(to_text(FromCheckpointer{.kind = kind, .step = 4, .why = "no space"}));
    ASSERT_TRUE(said);
    EXPECT_EQ(said->kind, kind);
  }
  for (const char* text : {"", "{}", "[]", "{\"write\": 1}", "{\"hello\": {}}", "{\"saved\": \"x\"}"}) {
    EXPECT_FALSE(parse_to_checkpointer(text)) << text;
    EXPECT_FALSE(parse_from_checkpointer(text)) << text;
  }
}

}  // namespace
}  // namespace gauntlet
