#include "report/trace_events/trace_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

TEST(TraceEvents, EventsComeInOrderOfTimeAndThoseOfOneTimeAsTheyWereAdded) {
  TraceEvents events("gauntlet test", {{"seed", std::int64_t{7}}});
  events.name_process(1, "a process");
  const TraceTrack track = events.add_track(1, "a track");
  events.add_slice(track, 2us, 5us, {.name = "late", .category = "c"});
  events.add_slice(track, 0us, 1001ns,
                   {.name = "early", .category = "c", .arguments = {{"n", 0.5}}, .colour = "good"});
  const TraceArrow arrow = events.new_arrow();
  events.begin_arrow(arrow, track, 0us, "leads");
  events.add_instant(track, 2us, {.name = "then", .category = "c"});
  events.end_arrow(arrow, track, 2us, "leads");
  events.add_count(1, "steps", "completed", 3us, 12);
  EXPECT_EQ(events.text(),
            R"({"otherData":{"what":"gauntlet test","seed":7},"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"a process"}},
{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":1}},
{"ph":"M","name":"thread_name","pid":1,"tid":1001,"args":{"name":"a track"}},
{"ph":"M","name":"thread_sort_index","pid":1,"tid":1001,"args":{"sort_index":1001}},
{"ph":"X","ts":0,"dur":1.001,"name":"early","cat":"c","pid":1,"tid":1001,"cname":"good","args":{"n":0.5}},
{"ph":"s","id":1,"ts":0,"name":"leads","cat":"arrow","pid":1,"tid":1001},
{"ph":"X","ts":2,"dur":3,"name":"late","cat":"c","pid":1,"tid":1001},
{"ph":"i","s":"t","ts":2,"name":"then","cat":"c","pid":1,"tid":1001},
{"ph":"f","id":1,"ts":2,"bp":"e","name":"leads","cat":"arrow","pid":1,"tid":1001},
{"ph":"C","ts":3,"name":"steps","cat":"count","pid":1,"args":{"completed":12.0}}
]}
)");
  EXPECT_TRUE(events.text().starts_with(trace_begins("gauntlet test")));
  EXPECT_EQ(events.events(), 6U);
  EXPECT_EQ(events.tracks(), 1U);
  EXPECT_EQ(events.arrows(), 1U);
}

TEST(TraceEvents, TextIsEscapedAndNumbersAreJson) {
  TraceEvents events("gauntlet test", {});
  events.name_process(1, "<script>&\"\\\n\xff");
  const TraceTrack track = events.add_track(1, "t");
  events.add_slice(track, 0us, 0us,
                   {.name = "</script>",
                    .category = "c",
                    .arguments = {{"infinite", std::numeric_limits<double>::infinity()},
                                  {"none", std::numeric_limits<double>::quiet_NaN()},
                                  {"yes", true},
                                  {"text", std::string("<b>")}}});
  const std::string text = events.text();
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr(">")));
  EXPECT_THAT(text, HasSubstr(R"("\u003cscript\u003e\u0026\"\\\n)"));
  EXPECT_THAT(text, HasSubstr(R"("infinite":"inf","none":"nan","yes":true,"text":"\u003cb\u003e")"));
}

TEST(TraceEvents, NanosecondsOfManyYearsAreExact) {
  TraceEvents events("gauntlet test", {});
  events.name_process(1, "p");
  const TraceTrack track = events.add_track(1, "t");
  events.add_slice(track, 9'000'000'000'000'000'001ns, 9'000'000'000'000'000'003ns,
                   {.name = "x", .category = "c"});
  EXPECT_THAT(events.text(), HasSubstr("\"ts\":9000000000000000.001,\"dur\":0.002,"));
}

}  // namespace
}  // namespace gauntlet
