// A user's job that speaks: gauntlet_rank.h and gauntlet_rank.py against an agent's ear, and what bad input does to it.
#include "real/runner/rank_channels.hpp"

#include "real/rank/gauntlet_rank.h"
#include "real/runner/marks.hpp"
#include "tests/real/agent_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// An agent's ear, and the variables of rank 3.
struct Channels : testing::Test {
  Channels() {
    EXPECT_EQ(channels.open(directory.name(), {3, 4}), "");
    ::setenv("GAUNTLET_RANK_SOCKET", channels.path().c_str(), 1);
    ::setenv("GAUNTLET_RANK_MARKS", directory.file("marks-").c_str(), 1);
    ::setenv("GAUNTLET_CHECKPOINT_EVERY", "5", 1);
    ::setenv("RANK", "3", 1);
  }
  ~Channels() override {
    for (const char* each :
         {"GAUNTLET_RANK_SOCKET", "GAUNTLET_RANK_MARKS", "GAUNTLET_CHECKPOINT_EVERY", "RANK"})
      ::unsetenv(each);
  }
  /// "R: kind ..." of what was said, without times.
  std::vector<std::string> heard() {
    std::vector<std::string> out;
    channels.collect([&](std::uint32_t rank, const std::string& line) {
      out.push_back(std::to_string(rank) + ":" + line.substr(line.find(' ')));
    });
    return out;
  }
  /// The same until `count` lines have come, of another process.
  std::vector<std::string> await(std::size_t count) {
    std::vector<std::string> out;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (out.size() < count && std::chrono::steady_clock::now() < until) {
      std::vector<pollfd> polled;
      channels.add_to(polled);
      ::poll(polled.data(), polled.size(), 1000);
      for (std::string& line : heard()) out.push_back(std::move(line));
    }
    return out;
  }
  Descriptor connect() const {
    Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, channels.path().c_str());
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return socket;
  }
  static void send(const Descriptor& socket, std::string_view text) {
    EXPECT_EQ(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  OwnDirectory directory;
  RankChannels channels;
};

struct Speaker {
  Speaker() { gauntlet_rank_open(&rank); }
  ~Speaker() { gauntlet_rank_close(&rank); }
  gauntlet_rank rank;
};

TEST_F(Channels, ARankInCTellsAndIsTold) {
  Speaker speaker;
  gauntlet_rank& rank = speaker.rank;
  gauntlet_rank_resumed(&rank, 10);
  const std::int64_t began = gauntlet_rank_begin_step(&rank, 11);
  gauntlet_rank_end_step(&rank, 11, began);
  gauntlet_rank_loss(&rank, 11, 0.1);
  gauntlet_rank_mfu(&rank, 11, 0.5);
  gauntlet_rank_saved(&rank, 11);
  gauntlet_rank_finished(&rank, 11, 0xabc);
  std::vector<std::string> said = heard();
  ASSERT_EQ(said.size(), 5U);
  EXPECT_THAT(said[1], testing::StartsWith("3: step 11 "));
  said.erase(said.begin() + 1);
  EXPECT_THAT(said,
              ElementsAre("3: up 10", "3: loss 11 0.10000000000000001", "3: mfu 11 0.5", "3: saved 11"));
  EXPECT_THAT(channels.finished_line(3), testing::EndsWith(" finished 11 0000000000000abc")) << "kept back";
  EXPECT_EQ(channels.step_of(3), 11);
  ASSERT_NE(channels.speaker_of(3), nullptr);
  EXPECT_EQ(channels.speaker_of(3)->pid, ::getpid());
  EXPECT_EQ(channels.speaker_of(4), nullptr);
  EXPECT_EQ(channels.finished_line(4), "");

  EXPECT_FALSE(gauntlet_rank_checkpoint_wanted(&rank, 11));
  EXPECT_TRUE(gauntlet_rank_checkpoint_wanted(&rank, 15)) << "every 5 steps";
  channels.tell("cadence 7");
  EXPECT_FALSE(gauntlet_rank_checkpoint_wanted(&rank, 15));
  EXPECT_TRUE(gauntlet_rank_checkpoint_wanted(&rank, 21));
  channels.tell("checkpoint");
  EXPECT_TRUE(gauntlet_rank_checkpoint_wanted(&rank, 22));
  EXPECT_FALSE(gauntlet_rank_checkpoint_wanted(&rank, 23)) << "once";
  EXPECT_FALSE(gauntlet_rank_stop_wanted(&rank));
  channels.tell("stop");
  EXPECT_TRUE(gauntlet_rank_stop_wanted(&rank));
}

TEST_F(Channels, ARankIsHeldBeforeACollective) {
  Speaker speaker;
  gauntlet_rank_begin_step(&speaker.rank, 7);
  EXPECT_THAT(heard(), IsEmpty());
  EXPECT_FALSE(channels.tell(4, "hold"));
  ASSERT_TRUE(channels.tell(3, "hold"));
  gauntlet_rank_begin_step(&speaker.rank, 8);
  std::atomic<bool> entered = false;
  std::thread training([&] {
    gauntlet_rank_enter(&speaker.rank, "all_reduce", "dp");
    entered = true;
  });
  EXPECT_THAT(await(1), ElementsAre("3: held 8"));
  EXPECT_FALSE(entered);
  EXPECT_TRUE(channels.tell(3, "go on"));
  training.join();
  EXPECT_TRUE(entered);
  ASSERT_TRUE(channels.tell(3, "hold"));
  gauntlet_rank_begin_step(&speaker.rank, 9);
  std::thread orphan([&] { gauntlet_rank_enter(&speaker.rank, "all_reduce", "dp"); });
  EXPECT_THAT(await(1), ElementsAre("3: held 9"));
  channels.close();  // nobody listens any more
  orphan.join();
}

TEST_F(Channels, APythonRankIsHeldToo) {
  const std::string program =
      "import sys; sys.dont_write_bytecode = True; sys.path.insert(0, 'real/rank')\n"
      "import gauntlet_rank\n"
      "rank = gauntlet_rank.Rank()\n"
      "rank.log('ready')\n"
      "while not rank.stop_wanted(): pass\n"
      "rank.begin_step(7)\n"
      "with rank.collective('all_reduce', 'dp'): rank.log('entered')\n";
  const pid_t python = ::fork();
  if (python == 0) {
    ::execlp("python3", "python3", "-c", program.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ASSERT_THAT(await(1), ElementsAre("3: log ready"));
  ASSERT_TRUE(channels.tell(3, "hold"));
  ASSERT_TRUE(channels.tell(3, "stop"));
  EXPECT_THAT(await(1), ElementsAre("3: held 7"));
  EXPECT_TRUE(channels.tell(3, "go on"));
  EXPECT_THAT(await(1), ElementsAre("3: log entered"));
  ::waitpid(python, nullptr, 0);
}

TEST_F(Channels, ARankInPythonSaysTheSame) {
  const std::string script = directory.file("rank.py");
  std::ofstream(script)
      << "import sys; sys.dont_write_bytecode = True; sys.path.insert(0, 'real/rank')\n"
      << "import gauntlet_rank\n"
      << "rank = gauntlet_rank.Rank()\n"
      << "rank.resumed(10)\n"
      << "with rank.step(11):\n"
      << "    with rank.segment('forward'): pass\n"
      << "    with rank.collective('all_reduce', 'dp'): pass\n"
      << "rank.sent(5); rank.sent(7)\n"
      << "with rank.stall(11): pass\n"
      << "rank.loss(11, 0.1); rank.mfu(11, 0.5); rank.log('nan', 'a\\nb'); rank.saved(11)\n"
      << "while not rank.stop_wanted(): pass\n"
      << "rank.log('every', str(rank.every)); rank.finished(11, b'parameters')\n"
      << "rank._mark(7, gauntlet_rank.ENTERED, 2, 'all_gather', 'a group with a long name')\n";
  const int started = std::system(("python3 " + script + " &").c_str());
  ASSERT_EQ(started, 0);
  std::vector<std::string> said = await(8);
  ASSERT_EQ(said.size(), 8U);
  EXPECT_EQ(said[0], "3: up 10");
  EXPECT_THAT(said[1], testing::StartsWith("3: step 11 "));
  EXPECT_THAT(said[2], testing::MatchesRegex("3: segment 11 forward [0-9]+"));
  EXPECT_THAT(said[3], testing::StartsWith("3: stall 11 "));
  EXPECT_EQ(said[4], "3: loss 11 0.1");
  EXPECT_EQ(said[5], "3: mfu 11 0.5");
  EXPECT_EQ(said[6], "3: log nan a b");
  EXPECT_EQ(said[7], "3: saved 11");
  EXPECT_EQ(read_sent(KeptFile(directory.file("marks-3"))), 12U);
  channels.tell("cadence 9");
  channels.tell("stop");
  EXPECT_THAT(await(1), ElementsAre("3: log every 9"));

  const std::string marks = directory.file("marks-3");
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (place_of_rank(read_marks(marks), 7).find("all_gather") == std::string::npos &&
         std::chrono::steady_clock::now() < until) {
  }
  EXPECT_THAT(heard(), IsEmpty());
  EXPECT_THAT(channels.finished_line(3), testing::MatchesRegex("[0-9]+ finished 11 [0-9a-f]{16}"));
  std::ifstream file(marks, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::vector<RankMark> found = parse_marks(bytes);
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found[1].what, RankMark::What::segment);
  EXPECT_EQ(found[1].name, "forward");
  EXPECT_EQ(found[2].what, RankMark::What::entered);
  EXPECT_EQ(found[2].value, 1);
  EXPECT_EQ(found[2].name, "all_reduce");
  EXPECT_EQ(found[2].group, "dp");
  EXPECT_EQ(found[5].group, "a group with a l");
}

TEST_F(Channels, ARankInCTellsOfItsSegmentsAndItsTraffic) {
  Speaker speaker;
  EXPECT_EQ(read_sent(KeptFile(directory.file("marks-3"))), 0U);
  EXPECT_EQ(read_sent(KeptFile(directory.file("marks-4"))), std::nullopt);
  const std::int64_t began = gauntlet_rank_begin_step(&speaker.rank, 1);
  for (int i = 0; i < 2; ++i) {  // each name once, with the sum
    gauntlet_rank_segment(&speaker.rank, "forward", gauntlet_rank_now() - 1'000'000);
    gauntlet_rank_segment(&speaker.rank, "backward", gauntlet_rank_now() - 3'000'000);
  }
  for (int i = 0; i < 20; ++i)
    gauntlet_rank_segment(&speaker.rank, ("other" + std::to_string(i)).c_str(), began);
  gauntlet_rank_sent(&speaker.rank, 1000);
  gauntlet_rank_sent(&speaker.rank, 24);
  gauntlet_rank_end_step(&speaker.rank, 1, began);
  gauntlet_rank_log(&speaker.rank, "nan", "two\nlines");
  const std::vector<std::string> said = await(10);
  ASSERT_EQ(said.size(), 10U) << "eight names at most";
  EXPECT_THAT(said[1], testing::MatchesRegex("3: segment 1 forward [0-9]+"));
  EXPECT_GE(std::stoll(said[1].substr(said[1].rfind(' '))), 2'000'000);
  EXPECT_GE(std::stoll(said[2].substr(said[2].rfind(' '))), 6'000'000);
  EXPECT_EQ(said[9], "3: log nan two lines");
  EXPECT_EQ(read_sent(KeptFile(directory.file("marks-3"))), 1024U);
}

TEST_F(Channels, TheRecorderSurvivesItsRank) {
  {
    Speaker speaker;
    for (int step = 1; step <= 200; ++step) {  // more than the recorder holds
      gauntlet_rank_begin_step(&speaker.rank, step);
      const std::uint64_t first = gauntlet_rank_enter(&speaker.rank, "all_reduce", "dp");
      gauntlet_rank_leave(&speaker.rank, first, "all_reduce", "dp");
      EXPECT_EQ(gauntlet_rank_enter(&speaker.rank, "all_gather", "tp"), static_cast<std::uint64_t>(step))
          << "each group counts";
    }
  }
  const std::string path = directory.file("marks-3");
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::vector<RankMark> marks = parse_marks(bytes);
  ASSERT_EQ(marks.size(), std::size_t{GAUNTLET_RANK_MARKS});
  EXPECT_EQ(marks.back().number, 800U);
  EXPECT_EQ(marks.front().number, 800U - GAUNTLET_RANK_MARKS + 1);
  EXPECT_EQ(place_of_rank(read_marks(path), marks.back().at_ns + 3'250'000'000),
            "inside collective 200 (all_gather of tp), which it entered 3.2 s before");
}

TEST_F(Channels, WhereARankStands) {
  using What = RankMark::What;
  const auto mark = [](What what, std::int64_t value) {
    return RankMark{.number = 1, .what = what, .value = value, .name = "x", .group = "g"};
  };
  EXPECT_EQ(place_of_rank({}, 0), "");
  EXPECT_EQ(place_of_rank({mark(What::segment, 5)}, 0), "");
  EXPECT_EQ(place_of_rank({mark(What::step_began, 5)}, 0), "inside step 5");
  EXPECT_EQ(place_of_rank({mark(What::entered, 8), mark(What::left, 8), mark(What::step_ended, 5)}, 0),
            "after step 5, after collective 8 (x of g)");
  EXPECT_EQ(place_of_rank({mark(What::left, 8)}, 0), "after collective 8 (x of g)");
}

TEST_F(Channels, WithoutADrillNothingHappens) {
  ::unsetenv("GAUNTLET_RANK_SOCKET");
  Speaker speaker;
  gauntlet_rank_resumed(&speaker.rank, 1);
  gauntlet_rank_end_step(&speaker.rank, 2, gauntlet_rank_begin_step(&speaker.rank, 2));
  EXPECT_EQ(gauntlet_rank_enter(&speaker.rank, "a", "b"), 0U);
  EXPECT_FALSE(gauntlet_rank_checkpoint_wanted(&speaker.rank, 5));
  EXPECT_FALSE(gauntlet_rank_stop_wanted(&speaker.rank));
  EXPECT_THAT(heard(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(directory.file("marks-3")));
}

TEST_F(Channels, AnAgentThatDoesNotReadCostsMessagesAndNoTime) {
  Speaker speaker;
  for (int step = 1; step <= 20000; ++step) gauntlet_rank_loss(&speaker.rank, step, 1);
  EXPECT_GT(speaker.rank.dropped, 0U);
  std::size_t said = 0;
  for (std::size_t more = 1; more > 0; said += more) more = heard().size();
  EXPECT_EQ(said + speaker.rank.dropped, 20000U);
  const std::uint64_t dropped = speaker.rank.dropped;
  gauntlet_rank_loss(&speaker.rank, 20001, 1);
  EXPECT_THAT(heard(), ElementsAre("3: dropped " + std::to_string(dropped), "3: loss 20001 1"));
}

TEST_F(Channels, AnAgentThatIsGoneIsNotMissed) {
  Speaker speaker;
  heard();
  channels.close();
  for (int step = 1; step <= 3; ++step) gauntlet_rank_saved(&speaker.rank, step);
  EXPECT_EQ(speaker.rank.socket, -1);
}

TEST_F(Channels, WhatIsNoMessageIsPassedOver) {
  const Descriptor socket = connect();
  send(socket, "hello 4");
  send(socket, std::string(kLongestMessage + 5000, 'x'));
  const std::string first = "1 log long ", last = "\n7 saved 12345";
  send(socket, first + std::string(kLongestMessage - first.size() - last.size() + 3, 'x') +
                   last);  // cut, it would be 12
  send(socket, std::string_view("\0\xff\n\n1 up\n1 step 2\n7 up 3\n-1 up 3", 32));
  send(socket, "9 saved 3\n");
  EXPECT_THAT(heard(), ElementsAre("4: up 3", "4: saved 3"));
}

TEST_F(Channels, OnlyRanksOfThisHostAreHeard) {
  for (const char* hello : {"hello 5", "hello", "hello 3 ", "hello -3", "1 up 3", "hello 99999999999"}) {
    const Descriptor socket = connect();
    send(socket, hello);
    send(socket, "1 up 3");
    EXPECT_THAT(heard(), IsEmpty()) << hello;
    char byte = 0;
    const ssize_t end = ::recv(socket.get(), &byte, 1, 0);
    EXPECT_TRUE(end == 0 || (end < 0 && errno == ECONNRESET)) << hello << ": hung up";
  }
}

TEST_F(Channels, ThoseThatSayNothingDoNotShutOutTheRanks) {
  std::vector<Descriptor> silent;
  for (int i = 0; i < 30; ++i) silent.push_back(connect());
  heard();
  silent.clear();  // they leave
  Speaker speaker;
  gauntlet_rank_resumed(&speaker.rank, 1);
  std::vector<std::string> said = heard();
  for (const std::string& line : heard()) said.push_back(line);
  EXPECT_THAT(said, ElementsAre("3: up 1"));
}

TEST_F(Channels, AnEmptyMessageIsAnEndAndNoMore) {
  const Descriptor socket = connect();
  send(socket, "hello 3");
  send(socket, "");
  EXPECT_THAT(heard(), IsEmpty());
  Speaker speaker;
  gauntlet_rank_resumed(&speaker.rank, 2);
  EXPECT_THAT(heard(), ElementsAre("3: up 2"));
}

TEST(Marks, OfBytesThatAreNoRecorder) {
  EXPECT_THAT(parse_marks(""), IsEmpty());
  EXPECT_THAT(parse_marks(std::string(16448, '\0')), IsEmpty());
  std::string bytes = "GNTLMRK1" + std::string(56, '\0') + std::string(64, '\xff');
  EXPECT_THAT(parse_marks(bytes), IsEmpty()) << "a number that is not of this place";
  EXPECT_EQ(place_of_rank(read_marks("/nowhere/at/all"), 1), "");
}

}  // namespace
}  // namespace gauntlet
