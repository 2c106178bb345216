// What gauntlet watch makes of each kind of line in a drill's log, and of lines that nobody should have written.
#include "real/driver/event_sentences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

using testing::IsEmpty;

/// Its last sentence without the time, after others have set the scene.
std::string told(const std::string& line) {
  EventSentences events(100);
  events.add(R"({"at_ns":1,"event":"order","id":1,"kind":"Watch","Watch.id":4,"signal":"process_exit"})");
  events.add(R"({"at_ns":1,"event":"order","id":2,"kind":"Watch","Watch.id":5,"signal":"log_line"})");
  events.add(R"({"at_ns":1,"event":"order","id":3,"kind":"Watch","Watch.id":6,"signal":"heartbeat"})");
  events.add(R"({"at_ns":1,"event":"order","id":4,"kind":"Watch","Watch.id":7,"signal":"step"})");
  events.add(R"({"at_ns":1,"event":"order","id":5,"kind":"Watch","Watch.id":8,"signal":"forward_time"})");
  events.add(R"({"at_ns":1,"event":"order","id":6,"kind":"Start"})");
  const std::size_t before = events.sentences().size();
  events.add(line);
  if (events.sentences().size() == before) return "";
  return events.sentences().back().substr(std::string("0.000s  ").size());
}

std::string told_of(const std::string& fields) { return told(R"({"at_ns":6037000,)" + fields + "}"); }

TEST(EventSentences, TellsOrders) {
  const auto order = [](const std::string& fields) { return told_of(R"("event":"order","id":9,)" + fields); };
  EXPECT_EQ(order(R"("kind":"Stop","reason":"fault")"), "The policy stops the job (fault)");
  EXPECT_EQ(order(R"("kind":"Start")"), "The policy starts the job");
  EXPECT_EQ(order(R"("kind":"Probe","probe":0,"who":"host:1")"), "Probe 0 runs on host 1");
  EXPECT_EQ(order(R"("kind":"Probe","probe":0,"who":"every host of job:0")"), "Probe 0 runs on every host");
  EXPECT_EQ(order(R"("kind":"Evict","host":3)"), "The policy evicts host 3");
  EXPECT_EQ(order(R"("kind":"StandBy","host":3)"), "Host 3 stands by");
  EXPECT_EQ(order(R"("kind":"Alert","who":"host:2")"), "The policy alerts a person: host 2");
  for (const char* silent : {"Watch", "Unwatch", "Wake", "Cancel", "CheckpointEvery"})
    EXPECT_EQ(order(R"("kind":")" + std::string(silent) + "\""), "") << silent;
}

TEST(EventSentences, TellsSignalsByTheirWatch) {
  const auto seen = [](int watch, const std::string& fields) {
    return told_of(R"("event":"observation","kind":"Seen","watch":)" + std::to_string(watch) + "," + fields);
  };
  EXPECT_EQ(seen(4, R"("who":"host:1","edge":"sample","value":137.0,"more":0)"),
            "A rank of host 1 exits with code 137");
  EXPECT_EQ(seen(5, R"("who":"host:1","edge":"sample","more":2)"),
            "Host 1 logs a line that a detector looks for; 2 more hosts report the same");
  EXPECT_EQ(seen(6, R"("who":"host:1","edge":"began","more":1)"),
            "Host 1 is silent: no heartbeat; 1 more host reports the same");
  EXPECT_EQ(seen(6, R"("who":"host:1","edge":"ended","more":0)"), "Host 1: heartbeat is as usual again");
  EXPECT_EQ(seen(7, R"("who":"job:0","edge":"began","more":0)"), "The job completes no step");
  EXPECT_EQ(seen(8, R"("who":"host:1","edge":"began","more":0)"), "Host 1: forward time is not as usual");
}

TEST(EventSentences, TellsOutcomesAndWhatPeopleDo) {
  const auto outcome = [](const std::string& fields) {
    return told_of(R"("event":"observation","kind":"Outcome","order":6,)" + fields);
  };
  EXPECT_EQ(outcome(R"("status":"failed")"), "The start fails");
  EXPECT_EQ(outcome(R"("status":"done","result":"Loaded","result.step":60)"),
            "Training goes on after step 60");
  EXPECT_EQ(
      outcome(R"("status":"done","result":"Probed","result.component":"host:1","result.verdict":"faulty")"),
      "The probe finds host 1 faulty");
  EXPECT_EQ(outcome(R"("status":"done","result":"Answered","result.found":true,"result.choice":2)"),
            "A person names host 2");
  EXPECT_EQ(outcome(R"("status":"done","result":"Answered","result.found":false)"),
            "A person finds no culprit");
  EXPECT_EQ(outcome(R"("status":"done")"), "");
  const auto seen = [](const std::string& fields) { return told_of(R"("event":"observation",)" + fields); };
  EXPECT_EQ(seen(R"("kind":"Noticed","job":0)"), "A person notices that the job stands still");
  EXPECT_EQ(seen(R"("kind":"StopRequest","preempted":false)"), "An operator requests a planned stop");
  EXPECT_EQ(seen(R"("kind":"StopRequest","preempted":true)"), "The job is preempted");
  EXPECT_EQ(seen(R"("kind":"OperatorActed","what":"evict")"), "An operator orders: evict");
  EXPECT_EQ(seen(R"("kind":"HostReturned","host":4)"), "Host 4 is repaired");
  EXPECT_EQ(seen(R"("kind":"Overflow","dropped":7)"), "7 values were dropped");
  EXPECT_EQ(seen(R"("kind":"Finished","ending":"time_over")"), "The run ends: time over");
  EXPECT_EQ(told_of(R"("event":"message","text":"an operator evicts host 1")"), "an operator evicts host 1");
}

TEST(EventSentences, SkipsWhatIsNoEvent) {
  for (const char* line : {"", "{", "[]", "3", "{}", R"({"at_ns":"1","event":"message","text":"a"})",
                           R"({"at_ns":1e308,"event":"message","text":"a"})"})
    EXPECT_EQ(told(line), "") << line;
  // The right names with the wrong types.
  EXPECT_EQ(
      told_of(R"("event":"observation","kind":"Outcome","order":"x","result":"Answered","result.found":"x")"),
      "A person finds no culprit");
  EXPECT_EQ(told_of(R"("event":"observation","kind":"StopRequest","preempted":"x")"),
            "An operator requests a planned stop");
}

TEST(EventSentences, KeepsTheLast) {
  EventSentences events(2);
  EXPECT_THAT(events.sentences(), IsEmpty());
  for (const char* text : {"a", "b", "c"})
    events.add(R"({"at_ns":1500000000,"event":"message","text":")" + std::string(text) + "\"}");
  ASSERT_EQ(events.sentences().size(), 2u);
  EXPECT_EQ(events.sentences().front(), "1.500s  b");
  EXPECT_EQ(events.sentences().back(), "1.500s  c");
  events.add(R"({"at_ns":1500000000,"event":"message","text":"c\u001b[31m"})");
  EXPECT_EQ(events.sentences().back().find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gauntlet
