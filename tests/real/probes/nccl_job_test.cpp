// A running job as the RAS of its NCCL tells it: answers of NCCL 2.28.9 on two ranks of one host, and jobs that a test makes up.
#include "real/probes/host/nccl_job.hpp"

#include "real/probes/judge.hpp"
#include "tests/real/scratch.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::string recorded(const std::string& name) {
  return bytes_of("tests/real/probes/nccl_ras/" + name + ".json");
}

const ProbeMetric kRanks{.unit = "ranks", .better = Better::lower};
const ProbeThreshold kNoBadRank{.at_most = 0, .breach = Breach::degraded};

ProbeFinding judge_job(const RasStatus& first, const RasStatus& last, const std::set<std::string>& own) {
  return judge("nccl_job", kRanks, sample_of_job(first, last, own), kNoBadRank);
}

/// A rank of process and host `number` that entered so many all-reduces.
RasRank rank_of(std::int64_t number, std::uint64_t entered) {
  return {.rank = number,
          .host = "10.0.0." + std::to_string(number),
          .pid = 100 + number,
          .gpu = 0,
          .missing = false,
          .error = "",
          .counts = {{"AllReduce", entered}}};
}
RasCommunicator communicator_of(const std::string& name,
                                const std::vector<std::pair<std::int64_t, std::uint64_t>>& ranks) {
  RasCommunicator communicator{.name = name, .ranks = {}};
  for (const auto& [number, entered] : ranks) communicator.ranks.push_back(rank_of(number, entered));
  return communicator;
}

TEST(NcclRas, ReadsTheAnswerOfAHealthyJob) {
  const RasAnswer answer = parse_ras_status(recorded("healthy"));
  ASSERT_TRUE(answer.status) << answer.why_not;
  EXPECT_EQ(answer.status->nccl, "2.28.9");
  ASSERT_EQ(answer.status->communicators.size(), 1U);
  const RasCommunicator& communicator = answer.status->communicators[0];
  EXPECT_EQ(communicator.name, "0x1c59486a8e09591e:0xd6344160182ed91f:0x5527bf1b8194db35");
  ASSERT_EQ(communicator.ranks.size(), 2U);
  EXPECT_EQ(communicator.ranks[1].pid, 1914);
  EXPECT_EQ(communicator.ranks[1].counts.at("AllReduce"), 179U);
  EXPECT_EQ(judge_job(*answer.status, *answer.status, {"127.0.0.1"}).verdict, ProbeVerdict::pass);
}

// Its text lacks a comma just where a rank is missing.
TEST(NcclRas, ReadsTheAnswerOfAJobWithAStoppedRank) {
  const RasAnswer answer = parse_ras_status(recorded("one_stopped"));
  ASSERT_TRUE(answer.status) << answer.why_not;
  const ProbeFinding finding = judge_job(*answer.status, *answer.status, {"127.0.0.1"});
  EXPECT_EQ(finding.verdict, ProbeVerdict::degraded);
  EXPECT_EQ(finding.metric->median, 1);
  EXPECT_THAT(finding.why, HasSubstr("process 1914 with GPU 0 on 127.0.0.1 does not answer"));
}

TEST(NcclRas, SaysWhatItDoesNotUnderstand) {
  for (const char* text : {"", "{", "[]", "{\"communicators\": 3}", "{\"communicators\": [{}]}",
                           "{\"communicators\": [{\"hash\": \"a\", \"ranks\": [{\"rank\": \"x\"}], "
                           "\"missing_ranks\": []}]}",
                           "Job summary\n===========\n"})
    EXPECT_THAT(parse_ras_status(text).why_not, HasSubstr("is not understood")) << text;
}

TEST(NcclJob, NamesTheRankThatOthersWaitFor) {
  const RasStatus now{.nccl = "2.28.9", .communicators = {communicator_of("a", {{0, 8}, {1, 7}, {2, 8}})}};
  EXPECT_TRUE(is_held_up(now, now));
  const ProbeFinding finding = judge_job(now, now, {"10.0.0.1"});
  EXPECT_EQ(finding.verdict, ProbeVerdict::degraded);
  EXPECT_THAT(finding.why, HasSubstr("process 101 with GPU 0 on 10.0.0.1 holds up the others as rank 1"));
}

TEST(NcclJob, ALargeJobIsJudgedToo) {
  constexpr std::int64_t kRanks = 100'000;
  std::vector<std::pair<std::int64_t, std::uint64_t>> entered;
  for (std::int64_t rank = 0; rank < kRanks; ++rank) entered.emplace_back(rank, rank == 77 ? 7 : 8);
  const RasStatus now{.nccl = "2.28.9", .communicators = {communicator_of("a", entered)}};
  EXPECT_TRUE(is_held_up(now, now));
  EXPECT_THAT(judge_job(now, now, {"10.0.0.77"}).why,
              HasSubstr("process 177 with GPU 0 on 10.0.0.77 holds up"));
}

TEST(NcclJob, ASuspectOfAnotherHostIsNamedAndThisHostIsNotBlamed) {
  const RasStatus now{.nccl = "2.28.9", .communicators = {communicator_of("a", {{0, 8}, {1, 7}, {2, 8}})}};
  const ProbeFinding finding = judge_job(now, now, {"10.0.0.2"});
  EXPECT_EQ(finding.verdict, ProbeVerdict::inconclusive);
  EXPECT_THAT(finding.why, HasSubstr("of other hosts: process 101 with GPU 0 on 10.0.0.1 holds up"));
}

// Tensor groups {0, 1} and {2, 3}, data groups {0, 2} and {1, 3}. Rank 3 hangs: rank 2 waits for it in their tensor group, and so has not
// entered the collective of its data group, in which rank 0 waits for rank 2. Rank 1 waits for rank 3.
TEST(NcclJob, ARankThatWaitsItselfIsNotTheCulprit) {
  const RasStatus now{.nccl = "2.28.9",
                      .communicators = {communicator_of("tensor 0", {{0, 9}, {1, 9}}),
                                        communicator_of("tensor 1", {{2, 9}, {3, 8}}),
                                        communicator_of("data 0", {{0, 4}, {2, 3}}),
                                        communicator_of("data 1", {{1, 4}, {3, 3}})}};
  const ProbeSample sample = sample_of_job(now, now, {"10.0.0.3"});
  ASSERT_EQ(sample.parts.size(), 1U);
  EXPECT_EQ(sample.parts[0].values, std::vector{1.0});
  EXPECT_THAT(sample.inconclusive, IsEmpty());
}

TEST(NcclJob, RanksThatMoveHoldUpNobody) {
  const RasStatus first{.nccl = "2.28.9", .communicators = {communicator_of("a", {{0, 8}, {1, 7}})}};
  const RasStatus last{.nccl = "2.28.9", .communicators = {communicator_of("a", {{0, 9}, {1, 8}})}};
  EXPECT_FALSE(is_held_up(first, last));
  EXPECT_EQ(judge_job(first, last, {"10.0.0.1"}).verdict, ProbeVerdict::pass);
  const RasStatus even{.nccl = "2.28.9", .communicators = {communicator_of("a", {{0, 9}, {1, 9}})}};
  EXPECT_FALSE(is_held_up(even, even));
}

TEST(NcclJob, RanksThatWaitForEachOtherAreNotNamed) {
  const RasStatus now{
      .nccl = "2.28.9",
      .communicators = {communicator_of("a", {{0, 2}, {1, 1}}), communicator_of("b", {{0, 1}, {1, 2}})}};
  const ProbeFinding finding = judge_job(now, now, {"10.0.0.0", "10.0.0.1"});
  EXPECT_EQ(finding.verdict, ProbeVerdict::inconclusive);
  EXPECT_THAT(finding.why, HasSubstr("different orders"));
}

// Ranks 0 and 1 are one tensor group; their data groups meet once in a long step. Rank 1 is slow and works on.
TEST(NcclJob, ARankThatMovesElsewhereHoldsUpNobody) {
  const auto job = [](std::uint64_t tensor) {
    return RasStatus{.nccl = "2.28.9",
                     .communicators = {communicator_of("tensor", {{1, tensor}, {2, tensor}}),
                                       communicator_of("data", {{0, 4}, {1, 3}})}};
  };
  EXPECT_EQ(judge_job(job(80), job(90), {"10.0.0.1"}).verdict, ProbeVerdict::pass);
  EXPECT_EQ(judge_job(job(80), job(80), {"10.0.0.1"}).verdict, ProbeVerdict::degraded);
}

/// Asks what the test says, and counts the pauses.
ProbeSample watched(const std::vector<RasAnswer>& answers, int& pauses) {
  std::size_t asked = 0;
  return watch_job([&] { return answers.at(std::min(asked++, answers.size() - 1)); }, [&] { ++pauses; },
                   {"10.0.0.1"});
}

TEST(NcclJob, IsWatchedForTenLooksWhereRanksWait) {
  const RasStatus waits{.nccl = "2.28.9", .communicators = {communicator_of("a", {{0, 8}, {1, 7}})}};
  const RasStatus goes_on{.nccl = "2.28.9", .communicators = {communicator_of("a", {{0, 8}, {1, 8}})}};
  int pauses = 0;
  EXPECT_EQ(watched({{waits, ""}}, pauses).parts.at(0).values, std::vector{1.0});
  EXPECT_EQ(pauses, 10);
  pauses = 0;
  EXPECT_EQ(watched({{waits, ""}, {waits, ""}, {goes_on, ""}}, pauses).parts.at(0).values, std::vector{0.0});
  EXPECT_EQ(pauses, 2);
  pauses = 0;
  EXPECT_THAT(watched({{waits, ""}, {std::nullopt, "it is gone"}}, pauses).inconclusive,
              HasSubstr("it is gone"));
  EXPECT_EQ(watched({{std::nullopt, "nobody"}}, pauses).unsupported, "nobody");
}

// Two containers of one host have processes of one number, and each names its first GPU 0.
TEST(NcclJob, RanksOfOneNumberOnSeveralGpusAreSeveral) {
  RasStatus now{.nccl = "2.28.9", .communicators = {communicator_of("a", {{1, 8}, {1, 7}, {1, 7}})}};
  for (std::size_t i = 0; i < 3; ++i) {
    now.communicators[0].ranks[i].rank = static_cast<std::int64_t>(i);
    now.communicators[0].ranks[i].gpu = static_cast<std::int64_t>(i);
  }
  EXPECT_EQ(sample_of_job(now, now, {"10.0.0.1"}).parts.at(0).values, std::vector{2.0});
}

TEST(NcclJob, AnErrorOfACommunicatorIsThatOfItsRank) {
  RasStatus now{.nccl = "2.28.9", .communicators = {communicator_of("a", {{0, 2}, {1, 2}})}};
  now.communicators[0].ranks[1].error = "has error 6 of NCCL";
  EXPECT_THAT(judge_job(now, now, {"10.0.0.1"}).why,
              HasSubstr("process 101 with GPU 0 on 10.0.0.1 has error 6"));
}

TEST(NcclJob, WithoutARankOfThisHostItSaysSo) {
  const RasStatus now{.nccl = "2.28.9", .communicators = {communicator_of("a", {{0, 2}, {1, 2}})}};
  EXPECT_THAT(judge_job(now, now, {"192.168.7.7"}).why,
              HasSubstr("no rank of the job has an address of this host"));
  EXPECT_EQ(judge_job({}, {}, {}).verdict, ProbeVerdict::unsupported);
}

/// Answers like a process of a job, one client after the other, until it goes.
class FakeRas {
 public:
  /// `answers`: to each line that a client sends.
  explicit FakeRas(std::vector<std::pair<std::string, std::string>> answers)
      : answers_(std::move(answers)), listens_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listens_.get(), generic, size), 0);
    EXPECT_EQ(::listen(listens_.get(), 1), 0);
    EXPECT_EQ(::getsockname(listens_.get(), generic, &size), 0);
    port_ = ntohs(address.sin_port);
    serves_ = std::thread([this] { serve(); });
  }
  ~FakeRas() {
    ::shutdown(listens_.get(), SHUT_RDWR);
    serves_.join();
  }
  Neighbour where() const { return {.host = "127.0.0.1", .port = port_}; }

 private:
  void serve() const {
    while (true) {
      const Descriptor client(::accept(listens_.get(), nullptr, nullptr));
      if (!client) return;
      std::string line;
      for (char each = 0; ::read(client.get(), &each, 1) == 1;) {
        if (each != '\n') {
          line += each;
          continue;
        }
        const auto found = std::find_if(answers_.begin(), answers_.end(),
                                        [&](const auto& answer) { return answer.first == line; });
        const std::string text = found == answers_.end() ? "ERROR: Unknown command\n" : found->second;
        if (::send(client.get(), text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
          break;
        if (line == "VERBOSE STATUS") break;
        line.clear();
      }
    }
  }
  std::vector<std::pair<std::string, std::string>> answers_;
  Descriptor listens_;
  std::uint16_t port_ = 0;
  std::thread serves_;
};

TEST(NcclJob, AsksTheProcessThatListens) {
  const FakeRas ras({{"CLIENT PROTOCOL 2", "SERVER PROTOCOL 2\n"},
                     {"SET FORMAT json", "OK\n"},
                     {"TIMEOUT 5", "OK\n"},
                     {"VERBOSE STATUS", recorded("healthy")}});
  const ProbeSample sample = probe_nccl_job({.nccl_ras = ras.where()});
  EXPECT_EQ(sample.unsupported, "");
  EXPECT_THAT(sample.facts, AllOf(Contains(Pair("NCCL of the job", "2.28.9")),
                                  Contains(Pair("ranks of the job on 127.0.0.1", "2"))));
  EXPECT_EQ(judge("nccl_job", kRanks, sample, kNoBadRank).verdict, ProbeVerdict::pass);
}

TEST(NcclJob, SaysWhoCannotBeAsked) {
  const auto why = [](std::vector<std::pair<std::string, std::string>> answers) {
    const FakeRas ras(std::move(answers));
    return probe_nccl_job({.nccl_ras = ras.where()}).unsupported;
  };
  EXPECT_THAT(why({}), HasSubstr("is not NCCL's RAS"));
  EXPECT_THAT(why({{"CLIENT PROTOCOL 2", "SERVER PROTOCOL 2\n"}}),
              HasSubstr("NCCL 2.28 and later do: ERROR: Unknown command"));
  EXPECT_THAT(why({{"CLIENT PROTOCOL 2", "SERVER PROTOCOL 2\n"}, {"SET FORMAT json", "OK\n"}}),
              HasSubstr("refused TIMEOUT 5: ERROR: Unknown command"));
  const Descriptor bound(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));  // and nobody listens
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(bound.get(), generic, size), 0);
  ASSERT_EQ(::getsockname(bound.get(), generic, &size), 0);
  EXPECT_THAT(
      probe_nccl_job({.nccl_ras = {.host = "127.0.0.1", .port = ntohs(address.sin_port)}}).unsupported,
      HasSubstr("no job with NCCL 2.24 or later answers at 127.0.0.1"));
}

}  // namespace
}  // namespace gauntlet
