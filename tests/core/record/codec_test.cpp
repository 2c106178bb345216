#include "core/record/codec.hpp"

#include "core/component.hpp"
#include "core/signal.hpp"
#include "tests/core/record/random_values.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr Seed kSeed{.study = 3};

std::string_view view(const ByteBuffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
template <class T>
ByteBuffer bytes_of(const T& value) {
  ByteBuffer bytes;
  encode(value, bytes);
  return bytes;
}
std::optional<Observed> decode_as(std::string_view& bytes, const Observed*) { return decode_observed(bytes); }
std::optional<Order> decode_as(std::string_view& bytes, const Order*) { return decode_order(bytes); }

/// Calls `check(value)` with `rounds` random values of every alternative of T::what.
template <class T, class Check>
void with_every_alternative(int rounds, Check&& check) {
  Stream stream(kSeed, stream_name("codec"));
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    for (int round = 0; round < rounds; ++round) (check(random_alternative<I, T>(stream)), ...);
  }
  (std::make_index_sequence<std::variant_size_v<decltype(T::what)>>{});
}

template <class T>
class CodecOf : public testing::Test {};
using Coded = testing::Types<Observed, Order>;
TYPED_TEST_SUITE(CodecOf, Coded);

TYPED_TEST(CodecOf, ReadsBackWhatItWrote) {
  with_every_alternative<TypeParam>(100, [](const TypeParam& value) {
    const ByteBuffer bytes = bytes_of(value);
    std::string_view rest = view(bytes);
    const auto back = decode_as(rest, &value);
    ASSERT_TRUE(back) << to_text(value);
    EXPECT_TRUE(equal_members(*back, value)) << to_text(value) << " became " << to_text(*back);
    EXPECT_TRUE(rest.empty()) << to_text(value);
  });
}

TYPED_TEST(CodecOf, ReadsOneValueOffTheFront) {
  with_every_alternative<TypeParam>(3, [](const TypeParam& value) {
    ByteBuffer bytes = bytes_of(value);
    encode(value, bytes);
    std::string_view rest = view(bytes);
    ASSERT_TRUE(decode_as(rest, &value));
    EXPECT_EQ(rest, view(bytes).substr(bytes.size() / 2));
  });
}

TYPED_TEST(CodecOf, TakesNoValueThatIsCutShort) {
  with_every_alternative<TypeParam>(3, [](const TypeParam& value) {
    const ByteBuffer bytes = bytes_of(value);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      std::string_view rest = view(bytes).substr(0, length);
      EXPECT_FALSE(decode_as(rest, &value)) << to_text(value) << " after " << length << " bytes";
    }
  });
}

// Decoding any bytes gives nothing, or a value that writes the bytes that were read: no byte is ignored.
TYPED_TEST(CodecOf, TakesNoBytesThatItWouldNotWrite) {
  Stream stream(kSeed, stream_name("codec.damage"));
  int taken = 0;
  with_every_alternative<TypeParam>(20, [&](const TypeParam& value) {
    ByteBuffer bytes = bytes_of(value);
    bytes[stream.below(bytes.size())] ^= static_cast<std::uint8_t>(1 + stream.below(255));
    bytes.resize(bytes.size() + 64);  // so that another alternative finds its bytes too
    std::string_view rest = view(bytes);
    const auto back = decode_as(rest, &value);
    if (!back) return;
    ++taken;
    EXPECT_EQ(view(bytes_of(*back)), view(bytes).substr(0, bytes.size() - rest.size())) << to_text(*back);
  });
  EXPECT_GT(taken, 0);
}

TEST(Codec, KnowsNoValuesBeyondTheLast) {
  const auto readable = [](const Observed& value) {
    const ByteBuffer bytes = bytes_of(value);
    std::string_view rest = view(bytes);
    return decode_observed(rest).has_value();
  };
  const auto order_readable = [](const Action& what) {
    const ByteBuffer bytes = bytes_of(Order{OrderId{1}, what});
    std::string_view rest = view(bytes);
    return decode_order(rest).has_value();
  };
  const auto edge = [](int n) { return Observed{kStart, Seen{{}, {}, static_cast<Edge>(n), {}, 0, 0}}; };
  EXPECT_TRUE(readable(edge(2)));
  EXPECT_FALSE(readable(edge(3)));
  const auto status = [](int n) { return Observed{kStart, Outcome{{}, static_cast<Status>(n), {}, {}}}; };
  EXPECT_TRUE(readable(status(2)));
  EXPECT_FALSE(readable(status(3)));
  const auto verdict = [](int n) {
    return Observed{kStart, Outcome{{}, Status::done, {}, Probed{{}, static_cast<Verdict>(n), 0}}};
  };
  EXPECT_TRUE(readable(verdict(1)));
  EXPECT_FALSE(readable(verdict(2)));
  const auto ending = [](int n) { return Observed{kStart, Finished{{}, static_cast<Ending>(n)}}; };
  EXPECT_TRUE(readable(ending(3)));
  EXPECT_FALSE(readable(ending(4)));
  const auto acted = [](int n) {
    return Observed{kStart, OperatorActed{{}, static_cast<OperatorAction>(n), {}}};
  };
  EXPECT_TRUE(readable(acted(4)));
  EXPECT_FALSE(readable(acted(5)));
  const auto reason = [](int n) { return Stop{{}, static_cast<StopReason>(n)}; };
  EXPECT_TRUE(order_readable(reason(3)));
  EXPECT_FALSE(order_readable(reason(4)));
  const auto who = [](int kind) { return Alert{{}, {static_cast<ComponentKind>(kind), 0}}; };
  EXPECT_TRUE(order_readable(who(8)));
  EXPECT_FALSE(order_readable(who(9)));
  const auto scope = [](int subset) { return Probe{{}, {.subset = static_cast<Scope::Subset>(subset)}, {}}; };
  EXPECT_TRUE(order_readable(scope(3)));
  EXPECT_FALSE(order_readable(scope(4)));
  const auto signal = [](int n) { return Watch{{}, static_cast<Signal>(n), {}, Silence{}, 0}; };
  EXPECT_TRUE(order_readable(signal(10)));
  EXPECT_FALSE(order_readable(signal(11)));
}

// The bytes themselves, so that a record can be read on another machine: little-endian, members in order, one
// byte for the alternative.
TEST(Codec, WritesLittleEndian) {
  EXPECT_EQ(bytes_of(Order{OrderId{0x0102030405060708}, Wake{kStart + 1ns}}),
            (ByteBuffer{8, 7, 6, 5, 4, 3, 2, 1, 2 /* Wake */, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(bytes_of(Observed{kStart + 258ns, Overflow{WatchId{7}, 0xdeadbeef}}),
            (ByteBuffer{2, 1, 0, 0, 0, 0, 0, 0, 5 /* Overflow */, 7, 0, 0, 0, 0xef, 0xbe, 0xad, 0xde}));
  // 1.0 is 0x3ff0000000000000 (IEEE 754); -1 in two's complement is all ones.
  EXPECT_EQ(bytes_of(Observed{kStart - 1ns, Outcome{OrderId{2}, Status::failed, 3ns,
                                                    Probed{{ComponentKind::gpu, 4}, Verdict::faulty, 1.0}}}),
            (ByteBuffer{0xff,        0xff, 0xff,
                        0xff,        0xff, 0xff,
                        0xff,        0xff, 2 /* Outcome */,
                        2,           0,    0,
                        0,           0,    0,
                        0,           0,    1 /* failed */,
                        3,           0,    0,
                        0,           0,    0,
                        0,           0,    1 /* Probed */,
                        2 /* gpu */, 4,    0,
                        0,           0,    1 /* faulty */,
                        0,           0,    0,
                        0,           0,    0,
                        0xf0,        0x3f}));
}

TEST(Codec, PrintsEveryObservation) {
  const std::pair<Observation, std::string_view> table[] = {
      {Started{JobId{0},
               {.job_hosts = 4,
                .spares = 1,
                .gpus_per_host = 8,
                .hosts_per_tor = 2,
                .layout = {.tp = 8, .pp = 2, .dp = 2, .virtual_stages = 3, .cp = 4, .ep = 2}}},
       "Started{job=0 inventory=Inventory{job_hosts=4 spares=1 gpus_per_host=8 hosts_per_tor=2 "
       "layout=Layout{tp=8 pp=2 dp=2 virtual_stages=3 cp=4 ep=2}}}"},
      {Seen{WatchId{1}, {ComponentKind::host, 17}, Edge::began, kStart + 5s, 0.5, 3},
       "Seen{watch=1 who=host:17 edge=began sensed=5000000000ns value=0.500000 more=3}"},
      {Seen{WatchId{2}, {ComponentKind::nic, 0}, Edge::ended, kStart, 0, 0},
       "Seen{watch=2 who=nic:0 edge=ended sensed=0ns value=0.000000 more=0}"},
      {Seen{WatchId{2}, {ComponentKind::job, 1}, Edge::sample, kStart, -1, 0},
       "Seen{watch=2 who=job:1 edge=sample sensed=0ns value=-1.000000 more=0}"},
      {Outcome{OrderId{9}, Status::done, 3ns, {}}, "Outcome{order=9 status=done took=3ns result=nothing}"},
      {Outcome{OrderId{9}, Status::failed, 0ns, Probed{{ComponentKind::gpu, 4}, Verdict::faulty, 2}},
       "Outcome{order=9 status=failed took=0ns result=Probed{component=gpu:4 verdict=faulty "
       "value=2.000000}}"},
      {Outcome{OrderId{9}, Status::cancelled, 0ns, Probed{{ComponentKind::gpu, 4}, Verdict::healthy, 0}},
       "Outcome{order=9 status=cancelled took=0ns result=Probed{component=gpu:4 verdict=healthy "
       "value=0.000000}}"},
      {Outcome{OrderId{1}, Status::done, 0ns, Granted{HostId{6}}},
       "Outcome{order=1 status=done took=0ns result=Granted{host=6}}"},
      {Outcome{OrderId{1}, Status::done, 0ns, Saved{70}},
       "Outcome{order=1 status=done took=0ns result=Saved{step=70}}"},
      {Outcome{OrderId{1}, Status::done, 0ns, Loaded{71}},
       "Outcome{order=1 status=done took=0ns result=Loaded{step=71}}"},
      {Outcome{OrderId{1}, Status::done, 0ns, Answered{HostId{5}, true}},
       "Outcome{order=1 status=done took=0ns result=Answered{choice=5 found=yes}}"},
      {Outcome{OrderId{1}, Status::done, 0ns, Answered{HostId{0}, false}},
       "Outcome{order=1 status=done took=0ns result=Answered{choice=0 found=no}}"},
      {HostReturned{HostId{3}}, "HostReturned{host=3}"},
      {StopRequest{JobId{0}, 1us}, "StopRequest{job=0 hold=1000ns preempted=no}"},
      {OperatorActed{JobId{0}, OperatorAction::evict, HostId{3}, true},
       "OperatorActed{job=0 what=evict host=3 scripted=yes}"},
      {OperatorActed{JobId{0}, OperatorAction::disarm, HostId{0}, false},
       "OperatorActed{job=0 what=disarm host=0 scripted=no}"},
      {Overflow{WatchId{4}, 12}, "Overflow{watch=4 dropped=12}"},
      {Finished{JobId{0}, Ending::completed}, "Finished{job=0 ending=completed}"},
      {Finished{JobId{0}, Ending::time_over}, "Finished{job=0 ending=time_over}"},
      {Finished{JobId{0}, Ending::gave_up}, "Finished{job=0 ending=gave_up}"},
      {Finished{JobId{0}, Ending::stopped}, "Finished{job=0 ending=stopped}"},
  };
  for (const auto& [what, text] : table) EXPECT_EQ(to_text(Observed{kStart + 1s, what}), text);
}

TEST(Codec, NamesEveryComponentAndSignal) {
  for (std::size_t kind = 0; kind < kComponentNames.size(); ++kind)
    EXPECT_EQ(to_text(Order{OrderId{1}, Alert{JobId{0}, {static_cast<ComponentKind>(kind), 17}}}),
              "Alert{job=0 who=" + std::string(kComponentNames[kind]) + ":17}");
  for (std::size_t signal = 0; signal < kSignalNames.size(); ++signal) {
    const Watch watch{WatchId{1}, static_cast<Signal>(signal), Scope::one(component(JobId{0})), Sample{6}, 0};
    EXPECT_EQ(to_text(Order{OrderId{1}, watch}), "Watch{id=1 signal=" + std::string(kSignalNames[signal]) +
                                                     " who=job:0 until=Sample{count=6} first=0}");
  }
}

TEST(Codec, PrintsEveryOrder) {
  const std::pair<Action, std::string_view> table[] = {
      {Watch{WatchId{1}, Signal::heartbeat, Scope::all(ComponentKind::host), Silence{30ns}, 4},
       "Watch{id=1 signal=heartbeat who=every host until=Silence{longest=30ns} first=4}"},
      {Watch{WatchId{2}, Signal::step, Scope::one(component(JobId{0})), Outside{1, 2.5}, 0},
       "Watch{id=2 signal=step who=job:0 until=Outside{low=1.000000 high=2.500000} first=0}"},
      {Watch{WatchId{3}, Signal::log_line, Scope::hosts_of(JobId{0}), Match{PatternId{5}}, 0},
       "Watch{id=3 signal=log_line who=every host of job:0 until=Match{pattern=5} first=0}"},
      {Watch{WatchId{4}, Signal::checkpoint_stall, Scope::one(component(JobId{0})), Sample{6}, 0},
       "Watch{id=4 signal=checkpoint_stall who=job:0 until=Sample{count=6} first=0}"},
      {Watch{WatchId{5}, Signal::process_exit, Scope::one(component(HostId{7})), Match{}, 0},
       "Watch{id=5 signal=process_exit who=host:7 until=Match{pattern=0} first=0}"},
      {Unwatch{WatchId{8}}, "Unwatch{watch=8}"},
      {Wake{kStart + 9ns}, "Wake{at=9ns}"},
      {Cancel{OrderId{10}}, "Cancel{order=10}"},
      {CheckpointEvery{JobId{0}, 11ns}, "CheckpointEvery{job=0 interval=11ns tier=storage}"},
      {Checkpoint{JobId{1}}, "Checkpoint{job=1}"},
      {Stop{JobId{0}, StopReason::fault}, "Stop{job=0 reason=fault}"},
      {Stop{JobId{0}, StopReason::planned}, "Stop{job=0 reason=planned}"},
      {Start{JobId{0}, 12ns, Restore::every_rank, 2, false},
       "Start{job=0 collective_timeout=12ns restore=every-rank back=2 schedule=no replicas=0}"},
      {Acquire{JobId{0}}, "Acquire{job=0}"},
      {Evict{HostId{13}}, "Evict{host=13}"},
      {Readmit{HostId{14}}, "Readmit{host=14}"},
      {Retire{HostId{15}}, "Retire{host=15}"},
      {Release{JobId{0}}, "Release{job=0}"},
      {StandBy{HostId{3}}, "StandBy{host=3}"},
      {Probe{ProbeId{15}, Scope::hosts_of(JobId{0}), WatchId{16}},
       "Probe{probe=15 who=every host of job:0 report=16}"},
      {Ask{JobId{2}}, "Ask{job=2}"},
      {Alert{JobId{0}, {ComponentKind::gpu, 17}}, "Alert{job=0 who=gpu:17}"},
  };
  std::vector<bool> printed(std::variant_size_v<Action>);
  for (const auto& [what, text] : table) {
    printed[what.index()] = true;
    EXPECT_EQ(to_text(Order{OrderId{1}, what}), text);
  }
  for (std::size_t i = 0; i < printed.size(); ++i)
    EXPECT_TRUE(printed[i]) << "no text expected of action " << i;
}

TEST(Same, ComparesEveryMember) {
  with_every_alternative<Order>(20, [](const Order& value) {
    EXPECT_TRUE(same(value, value));
    // Each byte belongs to a member: whatever is changed, and still an order, is another order.
    const ByteBuffer bytes = bytes_of(value);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      ByteBuffer changed = bytes;
      changed[i] ^= 1;
      changed.resize(bytes.size() + 64);
      std::string_view rest = view(changed);
      const auto other = decode_order(rest);
      if (other) {
        EXPECT_FALSE(same(value, *other)) << to_text(value);
      }
    }
  });
}

}  // namespace
}  // namespace gauntlet
