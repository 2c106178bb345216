// Probes of a host leave their results in a mailbox, each from a thread of its own.
#include "real/agent/probe_threads.hpp"

#include "real/system/mailbox.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>

namespace gauntlet {
namespace {

/// What agents do in their loop: sleep until there is something, and take all of it.
std::set<std::uint64_t> await(Mailbox<ProbeEnded>& mailbox, std::size_t probes) {
  std::set<std::uint64_t> ended;
  while (ended.size() < probes) {
    pollfd readable = {.fd = mailbox.descriptor(), .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, 60'000) <= 0) break;
    for (const ProbeEnded& probe : mailbox.take()) {
      EXPECT_THAT(probe.sample.errors, testing::IsEmpty());
      EXPECT_TRUE(ended.insert(probe.probe).second) << "twice";
    }
  }
  return ended;
}

ProbeTask host_check() {
  return {.probe = "host_check", .arguments = {}, .metric = {}, .deadline = std::chrono::minutes(1)};
}
ProbeSurroundings surroundings(const Scratch& place) {
  const char* program = std::getenv("GAUNTLET");
  return {.program = program == nullptr ? "build/gauntlet" : program,
          .directory = place.path().string(),
          .run_as = {},
          .tag = "GAUNTLET_AGENT=test"};
}

TEST(ProbeThreads, EachProbeIsHeardOfOnce) {
  const Scratch place;
  const auto mailbox = std::make_shared<Mailbox<ProbeEnded>>();
  ProbeThreads probes(surroundings(place), [mailbox](const ProbeEnded& ended) { mailbox->put(ended); });
  for (std::uint64_t number = 1; number <= 8; ++number) probes.begin(host_check(), number);
  EXPECT_EQ(await(*mailbox, 8), (std::set<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

// Without a process nobody has looked at the host.
TEST(ProbeThreads, AProcessThatCannotBeStartedSaysNothingOfTheHost) {
  const Scratch place;
  ProbeSurroundings where = surroundings(place);
  where.program = place.path().string() + "/none";
  const ProbeSample sample = carry_out(host_check(), where);
  EXPECT_THAT(sample.errors, testing::IsEmpty());
  EXPECT_THAT(sample.unsupported, testing::HasSubstr("cannot be started"));
}

// An agent that ends does not wait for a sick disk; the result finds its mailbox all the same.
TEST(ProbeThreads, AProbeOutlivesItsRunner) {
  const Scratch place;
  const auto mailbox = std::make_shared<Mailbox<ProbeEnded>>();
  {
    ProbeThreads probes(surroundings(place), [mailbox](const ProbeEnded& ended) { mailbox->put(ended); });
    probes.begin(host_check(), 7);
  }
  EXPECT_EQ(await(*mailbox, 1), std::set<std::uint64_t>{7});
}

}  // namespace
}  // namespace gauntlet
