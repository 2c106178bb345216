#include "real/cuda/event_ring.hpp"

#include "core/random/stream.hpp"
#include "tests/cuda/mock_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet::cuda {

bool operator==(const DeviceSegment& a, const DeviceSegment& b) {
  return a.step == b.step && a.name == b.name && a.took_ns == b.took_ns;
}
void PrintTo(const DeviceSegment& segment, std::ostream* out) {
  *out << segment.name << " of step " << segment.step << ": " << segment.took_ns << " ns";
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kMillisecond = 1'000'000;

class EventRings : public testing::Test {
 protected:
  void part(EventRing& ring, std::int64_t step, const std::string& name, double milliseconds) {
    ring.begin(step, name, stream_);
    queue_work(stream_, milliseconds);
    ring.end(stream_);
  }
  FreshDevice device_;
  Stream stream_;
};

TEST_F(EventRings, PartsOfAStepAreSummedByNameAndToldOnce) {
  EventRing ring;
  part(ring, 1, "forward", 2);
  part(ring, 1, "backward", 4);
  part(ring, 1, "forward", 3);
  run_all();
  EXPECT_THAT(ring.collect(1), IsEmpty());  // the step may have more parts
  EXPECT_THAT(ring.collect(2), ElementsAre(DeviceSegment{1, "forward", 5 * kMillisecond},
                                           DeviceSegment{1, "backward", 4 * kMillisecond}));
  EXPECT_THAT(ring.collect(2), IsEmpty());
}

TEST_F(EventRings, AStepIsToldOnceTheDeviceIsThroughWithItAndNothingWaits) {
  EventRing ring;
  part(ring, 1, "forward", 2);
  part(ring, 2, "forward", 6);
  EXPECT_THAT(ring.collect(3), IsEmpty());
  ASSERT_EQ(run_operations(2), 2U);  // the begin of the first part, and its work
  EXPECT_THAT(ring.collect(3), IsEmpty());
  ASSERT_EQ(run_operations(1), 1U);
  EXPECT_THAT(ring.collect(3), ElementsAre(DeviceSegment{1, "forward", 2 * kMillisecond}));
  run_all();
  EXPECT_THAT(ring.collect(3), ElementsAre(DeviceSegment{2, "forward", 6 * kMillisecond}));
  EXPECT_EQ(host_waits(), 0U);
}

TEST_F(EventRings, AStepWithAPartThatHasNoPlaceIsNotToldAndLaterOnesAre) {
  EventRing ring(2);
  part(ring, 1, "forward", 1);
  part(ring, 2, "forward", 1);
  part(ring, 2, "backward", 1);  // no place
  run_all();
  part(ring, 3, "forward", 7);
  run_all();
  EXPECT_THAT(ring.collect(4), ElementsAre(DeviceSegment{1, "forward", kMillisecond},
                                           DeviceSegment{3, "forward", 7 * kMillisecond}));
}

TEST_F(EventRings, EventsAreUsedAgain) {
  EventRing ring(4);
  for (std::int64_t step = 1; step <= 100; ++step) {
    part(ring, step, "forward", 1);
    run_all();
    EXPECT_EQ(ring.collect(step + 1).size(), 1U);
  }
  EXPECT_LE(events(), 10U);
}

TEST_F(EventRings, AnErrorOfTheDeviceIsThrown) {
  EventRing ring;
  part(ring, 1, "forward", 1);
  fail("cudaEventQuery", cudaErrorIllegalAddress);
  EXPECT_THROW(ring.collect(2), Error);
}

// Whatever the device has done when it is asked: each step that had a place for all its parts is told once, in order, with the sums of its
// parts, and no sooner than the device is through with it.
TEST_F(EventRings, AnyOrderOfPartsAndProgressGivesTheSumsOfEachStep) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    gauntlet::Stream random({.study = seed, .replica = 0}, stream_name("event ring"));
    const auto below = [&](std::uint64_t bound) { return static_cast<int>(random.below(bound)); };
    EventRing ring(1 << 20);
    std::map<std::pair<std::int64_t, std::string>, std::int64_t> expected;
    std::map<std::pair<std::int64_t, std::string>, std::int64_t> told;
    std::int64_t last = 0;
    const auto take = [&](std::int64_t before) {
      for (const DeviceSegment& each : ring.collect(before)) {
        EXPECT_GE(each.step, last);
        last = each.step;
        EXPECT_LT(each.step, before);
        EXPECT_TRUE(told.emplace(std::pair(each.step, each.name), each.took_ns).second) << "told twice";
      }
    };
    std::int64_t step = 1;
    for (int i = 0; i < 100; ++i) {
      step += below(3) == 0 ? 1 : 0;
      const std::string name = below(2) == 0 ? "a" : "b";
      const int milliseconds = below(5);
      part(ring, step, name, milliseconds);
      expected[{step, name}] += milliseconds * kMillisecond;
      run_operations(static_cast<std::size_t>(below(7)));
      if (below(4) == 0) take(step);
    }
    run_all();
    take(step + 1);
    EXPECT_EQ(told, expected);
  }
}

}  // namespace
}  // namespace gauntlet::cuda
