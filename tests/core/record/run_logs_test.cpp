// Logs as bytes, alone and behind a recording.
#include "core/record/codec.hpp"
#include "core/record/recording.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

RunLogs sample_logs() {
  RunLogs logs;
  logs.planned_faults = 3;
  logs.truth = {{.at = kStart + 5s,
                 .what = TruthKind::onset,
                 .kind = {2},
                 .component = {ComponentKind::nic, 17},
                 .host = {4},
                 .hosts = 1,
                 .on_job = true,
                 .stops = true,
                 .disturbs = true,
                 .factor = std::numeric_limits<double>::infinity(),
                 .orders = 9},
                {.at = kStart + 9s,
                 .what = TruthKind::ended,
                 .kind = {2},
                 .component = {ComponentKind::nic, 17},
                 .host = {4}}};
  Stretch stretch;
  stretch.begin = kStart + 1s;
  stretch.end = kStart + 5s;
  stretch.origin = kStart;
  stretch.first_step = 7;
  stretch.step = 2s;
  stretch.healthy_step = 1s;
  stretch.for_fewer = 500ms;
  stretch.cadence = {.first = 3, .every = 4, .stall = 10ms, .further = {}};
  stretch.cadence.further[1] = {.every = 6, .taken = 5, .stall = 7ms};
  logs.progress.stretches = {stretch};
  logs.progress.pauses = {{.begin = kStart + 5s, .end = kStart + 6s, .kind = {1}}};
  return logs;
}

std::string bytes_of(const RunLogs& logs) {
  ByteBuffer out;
  encode(logs, out);
  return {out.begin(), out.end()};
}

TEST(RunLogs, AreReadAsTheyWereWritten) {
  const std::string bytes = bytes_of(sample_logs());
  std::string_view in = bytes;
  const auto read = decode_run_logs(in);
  ASSERT_TRUE(read);
  EXPECT_TRUE(in.empty());
  EXPECT_EQ(bytes_of(*read), bytes);
  ASSERT_EQ(read->truth.size(), 2U);
  EXPECT_EQ(read->truth[0].component, (ComponentId{ComponentKind::nic, 17}));
  EXPECT_EQ(read->truth[0].orders, 9U);
  EXPECT_EQ(read->planned_faults, 3U);
  ASSERT_EQ(read->progress.stretches.size(), 1U);
  EXPECT_EQ(read->progress.stretches[0].cadence, sample_logs().progress.stretches[0].cadence);
  EXPECT_EQ(read->progress.pauses[0].kind, FaultKindId{1});
}

TEST(RunLogs, EveryByteThatIsMissingIsNoticed) {
  const std::string bytes = bytes_of(sample_logs());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    std::string_view in(bytes.data(), length);
    EXPECT_FALSE(decode_run_logs(in)) << length;
  }
}

TEST(RunLogs, ACountThatLeadsBeyondTheEndEnds) {
  std::string bytes = bytes_of(sample_logs());
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = '\x7f';  // entries of the truth
  std::string_view in = bytes;
  EXPECT_FALSE(decode_run_logs(in));
}

TEST(RunLogs, WhatNobodyCanComputeWithIsRefused) {
  const auto refused = [](const auto& change) {
    RunLogs logs = sample_logs();
    change(logs);
    const std::string bytes = bytes_of(logs);
    std::string_view in = bytes;
    return !decode_run_logs(in);
  };
  EXPECT_FALSE(refused([](RunLogs&) {}));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.truth[1].at = kStart; }));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.truth[1].hosts = 0; }));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.progress.stretches[0].step = 0s; }));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.progress.stretches[0].end = kStart; }));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.progress.stretches[0].origin = kStart + 2s; }));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.progress.stretches[0].first_step = -1; }));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.progress.stretches[0].cadence.every = 0; }));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.progress.stretches[0].cadence.further[1].stall = -1s; }));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.progress.pauses[0].end = kStart; }));
  EXPECT_TRUE(refused([](RunLogs& logs) { logs.progress.stretches.push_back(logs.progress.stretches[0]); }));
}

class RecordedLogs : public testing::Test {
 protected:
  RecordedLogs() : place_(fs::temp_directory_path() / ("gauntlet-logs-" + std::to_string(::getpid()))) {
    fs::create_directories(place_);
  }
  ~RecordedLogs() override { fs::remove_all(place_); }
  ReadRecording read(const std::string& bytes) {
    const std::string path = (place_ / "a.rec").string();
    std::ofstream(path, std::ios::binary) << bytes;
    return read_recording(path);
  }
  static std::string frame_of(const RunLogs& logs) {
    std::string out;
    RecordingWriter([&](std::string_view frame) { out += frame; }).write(logs);
    return out;
  }
  fs::path place_;
};

TEST_F(RecordedLogs, ComeLastAndOnce) {
  const RecordingHeader header = {.version = "1", .scenario = "name = \"x\"", .seed = 1, .replica = 0};
  const RunLogs logs = sample_logs();
  const std::vector<Measurement> measured = {{.what = Measured::step, .at = kStart + 1s, .took = 1s}};
  const std::string whole = recording_bytes(header, {}, {.measurements = measured, .logs = &logs});
  const ReadRecording good = read(whole);
  ASSERT_TRUE(good.recording && good.recording->logs && good.recording->measurements);
  EXPECT_EQ(bytes_of(*good.recording->logs), bytes_of(logs));
  EXPECT_EQ(good.recording->tail, Recording::Tail::nothing);

  const ReadRecording twice = read(whole + frame_of(logs));
  EXPECT_EQ(twice.recording->tail, Recording::Tail::damage);
  std::string more = whole;
  RecordingWriter([&](std::string_view frame) {
    more += frame;
  }).write(Observed{.at = kStart, .what = Noticed{.job = {0}}});
  EXPECT_EQ(read(more).recording->tail, Recording::Tail::damage) << "nothing is observed after the end";
  const ReadRecording cut = read(whole.substr(0, whole.size() - 1));
  EXPECT_FALSE(cut.recording->logs);
  EXPECT_EQ(cut.recording->tail, Recording::Tail::part_of_a_frame);
}

}  // namespace
}  // namespace gauntlet
