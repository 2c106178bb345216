#include "core/record/recording.hpp"

#include "core/files/durable.hpp"
#include "core/record/codec.hpp"
#include "tests/core/record/random_values.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const RecordingHeader kHeader{
    .version = "1.2.3", .scenario = "name = \"x\"\n", .seed = 0xfedcba9876543210, .replica = 7};

/// A folder of its own for each test, gone after it.
class RecordingTest : public testing::Test {
 protected:
  RecordingTest() { fs::create_directories(folder_); }
  ~RecordingTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string written(const Record& record) const {
    fs::remove(path("a.rec"));
    const auto problem = write_recording(path("a.rec"), kHeader, record);
    EXPECT_FALSE(problem) << problem->text();
    return contents(path("a.rec"));
  }
  static std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  static void put(const std::string& file, const std::string& bytes) {
    fs::remove(file);  // replacing what is there waits for the disk
    std::ofstream(file, std::ios::binary) << bytes;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  fs::path folder_ =
      fs::path(testing::TempDir()) / ("gauntlet-" + std::to_string(::getpid()) + "-" +
                                      testing::UnitTest::GetInstance()->current_test_info()->name());
};

/// While it lives, no file grows beyond a few bytes.
class SmallFiles {
 public:
  SmallFiles() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{.rlim_cur = 100, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

/// Observations of any kind, each with none to three orders.
Record sample_record(int observations) {
  Stream stream(Seed{.study = 5}, stream_name("recording"));
  Record record;
  for (int i = 0; i < observations; ++i) {
    Observed seen{};
    randomise(seen, stream);
    seen.at = kStart + i * 1s;
    record.observations.push_back(seen);
    for (std::uint64_t orders = stream.below(4); orders > 0; --orders) {
      Order order{};
      randomise(order, stream);
      record.orders.push_back({seen.at, static_cast<std::uint32_t>(record.observations.size()), order});
    }
  }
  return record;
}

std::string all_of(const Record& record) {
  ByteBuffer bytes;
  for (const Observed& seen : record.observations) encode(seen, bytes);
  for (const RecordedOrder& each : record.orders) {
    encode(Observed{each.at, Overflow{{}, each.observations}}, bytes);
    encode(each.order, bytes);
  }
  return std::to_string(record.observations.size()) + ":" + std::string(bytes.begin(), bytes.end());
}

/// The record after each of its entries, from none to all, in the order in which they were made.
std::vector<Record> prefixes(const Record& record) {
  std::vector<Record> all(1);
  std::size_t order = 0;
  for (const Observed& seen : record.observations) {
    all.push_back(all.back());
    all.back().observations.push_back(seen);
    for (;
         order < record.orders.size() && record.orders[order].observations == all.back().observations.size();
         ++order) {
      all.push_back(all.back());
      all.back().orders.push_back(record.orders[order]);
    }
  }
  return all;
}

TEST_F(RecordingTest, MeasurementsStandBehindTheRunWholeOrNotAtAll) {
  const std::vector<Measurement> measured = {{.what = Measured::load, .at = kStart + 3s, .took = 2s},
                                             {.what = Measured::persist, .at = kStart + 9s, .took = 1ns}};
  std::string bytes;
  RecordingWriter writer([&bytes](std::string_view frame) { bytes += frame; });
  writer.write(kHeader);
  writer.write(Observed{kStart, Started{}});
  writer.write(Observed{kStart + 10s, Finished{}});
  const std::size_t before = bytes.size();
  writer.write(std::span(measured));
  put(path("a.rec"), bytes);
  const ReadRecording whole = read_recording(path("a.rec"));
  ASSERT_TRUE(whole.recording);
  EXPECT_EQ(whole.recording->measurements, measured);
  EXPECT_FALSE(problem_of_end(path("a.rec"), *whole.recording));
  for (std::size_t size = before + 1; size < bytes.size(); ++size) {
    put(path("a.rec"), bytes.substr(0, size));
    const ReadRecording cut = read_recording(path("a.rec"));
    ASSERT_TRUE(cut.recording);
    EXPECT_FALSE(cut.recording->measurements);
    EXPECT_EQ(cut.recording->tail, Recording::Tail::part_of_a_frame);
    EXPECT_EQ(cut.recording->whole_bytes, before);
  }
}

TEST_F(RecordingTest, ReadsBackWhatItWrote) {
  for (const int observations : {0, 1, 50}) {
    const Record record = sample_record(observations);
    written(record);
    const ReadRecording back = read_recording(path("a.rec"));
    ASSERT_TRUE(back.recording) << back.problem.text();
    EXPECT_EQ(back.recording->header.version, kHeader.version);
    EXPECT_EQ(back.recording->header.scenario, kHeader.scenario);
    EXPECT_EQ(back.recording->header.seed, kHeader.seed);
    EXPECT_EQ(back.recording->header.replica, kHeader.replica);
    EXPECT_EQ(all_of(back.recording->record), all_of(record));
    EXPECT_EQ(back.recording->tail, Recording::Tail::nothing);
    EXPECT_EQ(files(), std::vector<std::string>{"a.rec"}) << "nothing temporary is left";
  }
}

TEST_F(RecordingTest, WritesTheSameBytesForTheSameRecord) {
  EXPECT_EQ(written(sample_record(10)), written(sample_record(10)));
}

// A crash may cut the file anywhere. Frames end where the files of shorter records end.
TEST_F(RecordingTest, KeepsWhatIsWholeOfAFileCutAnywhere) {
  const Record record = sample_record(8);
  ASSERT_GE(record.orders.size(), 4u);
  const std::vector<Record> whole = prefixes(record);
  std::vector<std::size_t> ends;
  for (const Record& each : whole) ends.push_back(written(each).size());
  const std::string bytes = written(record);
  ASSERT_EQ(ends.back(), bytes.size());

  for (std::size_t length = 0; length < bytes.size(); ++length) {
    SCOPED_TRACE("cut after " + std::to_string(length) + " of " + std::to_string(bytes.size()) + " bytes");
    put(path("cut.rec"), bytes.substr(0, length));
    const ReadRecording read = read_recording(path("cut.rec"));
    if (length < ends.front()) {  // not even the header
      EXPECT_FALSE(read.recording);
      EXPECT_EQ(read.problem.file, path("cut.rec"));
      EXPECT_FALSE(read.problem.why.empty());
      continue;
    }
    ASSERT_TRUE(read.recording);
    const std::size_t kept =
        static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), length) - ends.begin()) - 1;
    EXPECT_EQ(all_of(read.recording->record), all_of(whole[kept]));
    EXPECT_EQ(read.recording->tail,
              length == ends[kept] ? Recording::Tail::nothing : Recording::Tail::part_of_a_frame);
    EXPECT_EQ(read.recording->header.scenario, kHeader.scenario);
  }
}

/// A sample whose last observation is the end of its run.
Record finished_record() {
  Record record = sample_record(8);
  for (Observed& seen : record.observations)
    if (std::holds_alternative<Finished>(seen.what)) seen.what = HostReturned{HostId{3}};
  record.observations.push_back({kStart + 9s, Finished{}});
  return record;
}

// Whoever compares it must know that what is missing was cut off, and not left out by a policy.
TEST_F(RecordingTest, SaysWhereAFileEndsThatWasCutAnywhere) {
  const std::string bytes = written(finished_record());
  for (std::size_t length = 1; length <= bytes.size(); ++length) {
    SCOPED_TRACE("cut after " + std::to_string(length) + " of " + std::to_string(bytes.size()) + " bytes");
    put(path("cut.rec"), bytes.substr(0, length));
    const ReadRecording read = read_recording(path("cut.rec"));
    const auto end = read.recording ? problem_of_end(path("cut.rec"), *read.recording) : read.problem;
    if (length == bytes.size()) {
      EXPECT_FALSE(end) << end->text();
    } else {
      ASSERT_TRUE(end);
      EXPECT_EQ(end->why.find("is truncated: it ends at byte " + std::to_string(length) + ", "), 0U)
          << end->why;
    }
  }
}

TEST_F(RecordingTest, SaysWhatOfACutFileIsThere) {
  const Record record = finished_record();
  std::string bytes = written(record);
  const auto why = [&] {
    put(path("cut.rec"), bytes);
    return problem_of_end(path("cut.rec"), *read_recording(path("cut.rec")).recording)
        .value_or(Problem{})
        .why;
  };
  const std::string orders = std::to_string(record.orders.size()) + " orders";
  EXPECT_EQ(why(), "");
  bytes.back() ^= 1;
  Record less = record;
  less.observations.pop_back();
  const std::size_t length = written(less).size();
  EXPECT_EQ(why(), "is damaged at byte " + std::to_string(length) + ", after 8 observations and " + orders +
                       ", the last at 7s");
  bytes.resize(length);
  EXPECT_EQ(why(), "is truncated: it ends at byte " + std::to_string(length) +
                       ", before the end of its run, after 8 observations and " + orders +
                       ", the last at 7s");
  less.orders.clear();
  less.observations.resize(1);
  bytes = written(less) + "\1";
  EXPECT_EQ(why(), "is truncated: it ends at byte " + std::to_string(bytes.size()) +
                       ", in the middle of an entry, after 1 observation and 0 orders, the last at 0s");
}

TEST_F(RecordingTest, EndsBeforeADamagedFrame) {
  const Record record = sample_record(8);
  const std::vector<Record> whole = prefixes(record);
  std::vector<std::size_t> ends;
  for (const Record& each : whole) ends.push_back(written(each).size());
  const std::string bytes = written(record);
  Stream stream(Seed{.study = 6}, stream_name("damage"));

  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flips : {1, 2, static_cast<int>(1 + stream.below(255))}) {  // 1, 2: another kind of frame
      SCOPED_TRACE("byte " + std::to_string(at) + " ^ " + std::to_string(flips));
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flips);
      put(path("damaged.rec"), damaged);
      const ReadRecording read = read_recording(path("damaged.rec"));
      if (at < ends.front()) {
        EXPECT_FALSE(read.recording);
        EXPECT_FALSE(read.problem.text().empty());
        continue;
      }
      ASSERT_TRUE(read.recording);
      const std::size_t kept =
          static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin()) - 1;
      EXPECT_EQ(all_of(read.recording->record), all_of(whole[kept]));
      EXPECT_NE(read.recording->tail, Recording::Tail::nothing);
      if (kept + 2 < whole.size()) {  // also where it is the length that leads beyond the end
        EXPECT_EQ(read.recording->tail, Recording::Tail::damage);
      }
      EXPECT_EQ(read.recording->header.seed, kHeader.seed);
    }
  }
}

TEST_F(RecordingTest, ASecondScenarioIsDamage) {
  std::string bytes;
  RecordingWriter writer([&](std::string_view frame) { bytes += frame; });
  writer.write(kHeader);
  const std::size_t magic = bytes.find('\n') + 1, end = bytes.size();
  put(path("twice.rec"), bytes + bytes.substr(magic));
  const ReadRecording read = read_recording(path("twice.rec"));
  ASSERT_TRUE(read.recording);
  EXPECT_EQ(read.recording->tail, Recording::Tail::damage);
  EXPECT_EQ(read.recording->whole_bytes, end);
}

TEST_F(RecordingTest, AnObservationIsNotAScenario) {
  std::string bytes;
  RecordingWriter writer([&](std::string_view frame) { bytes += frame; });
  writer.write(kHeader);
  const std::size_t magic = bytes.find('\n') + 1, end = bytes.size();
  writer.write(Observed{});
  put(path("late.rec"), bytes.substr(0, magic) + bytes.substr(end) + bytes.substr(magic, end - magic));
  const ReadRecording read = read_recording(path("late.rec"));
  EXPECT_FALSE(read.recording);
  EXPECT_EQ(read.problem.why, "is damaged: its scenario cannot be read");
}

// Behind a frame that leads beyond the end every byte may begin another one. This once took half an hour.
TEST_F(RecordingTest, MegabytesOfDamageAreReadInTheirTime) {
  std::string bytes;
  RecordingWriter writer([&](std::string_view frame) { bytes += frame; });
  writer.write(kHeader);
  const std::size_t end = bytes.size();
  for (int i = 0; i < 800'000; ++i) bytes += std::string("\2\0\0\x20\0", 5);  // an observation of 2 MiB
  bytes[end + 4] = '\x7f';                                                    // the first one of 2 GiB
  put(path("damaged.rec"), bytes);
  const ReadRecording read = read_recording(path("damaged.rec"));
  ASSERT_TRUE(read.recording);
  EXPECT_EQ(read.recording->whole_bytes, end);
  EXPECT_EQ(read.recording->tail, Recording::Tail::part_of_a_frame);
}

TEST_F(RecordingTest, SaysWhyAFileIsNoRecording) {
  put(path("empty.rec"), "");
  put(path("text.rec"), "name = \"x\"\n");
  const std::string bytes = written(sample_record(0));
  put(path("half.rec"), bytes.substr(0, 9));
  put(path("magic.rec"), bytes.substr(0, bytes.find('\n') + 1));
  put(path("header.rec"), bytes.substr(0, 40));
  std::string flipped = bytes;
  flipped.back() ^= 1;
  put(path("flipped.rec"), flipped);
  fs::create_directory(path("folder"));
  fs::create_symlink("/dev/zero", path("endless.rec"));
  const std::pair<std::string, std::string> table[] = {
      {"endless.rec", "is a device, and may have no end"},
      {"missing.rec", "cannot be read: No such file or directory"},
      {"a.rec/below.rec", "cannot be read: Not a directory"},
      {"folder", "cannot be read: Is a directory"},
      {"empty.rec", "is empty, not a recording"},
      {"text.rec", "is not a recording"},
      {"half.rec", "is truncated: it ends at byte 9, before its scenario"},
      {"magic.rec", "is truncated: it ends at byte 18, before its scenario"},
      {"header.rec", "is truncated: it ends at byte 40, within its scenario"},
      {"flipped.rec", "is damaged: its scenario cannot be read"},
  };
  for (const auto& [name, why] : table) {
    const ReadRecording read = read_recording(path(name));
    EXPECT_FALSE(read.recording) << name;
    EXPECT_EQ(read.problem.file, path(name));
    EXPECT_EQ(read.problem.why, why) << name;
    EXPECT_FALSE(read.problem.suggestion.empty()) << name;
  }
}

TEST_F(RecordingTest, SaysWhyAFileCannotBeWritten) {
  put(path("file"), "");
  fs::create_directory(path("folder"));
  const fs::path blocked = temporary_name(path("blocked.rec"));
  fs::create_directories(blocked / "full");
  const std::pair<std::string, std::string> table[] = {
      {"missing/a.rec", "cannot be written: No such file or directory"},
      {"file/a.rec", "cannot be written: Not a directory"},
      {"folder", "cannot be written: Is a directory"},
      {"blocked.rec", "cannot be written: Directory not empty"},
  };
  for (const auto& [name, why] : table) {
    const auto problem = write_recording(path(name), kHeader, sample_record(30));
    ASSERT_TRUE(problem) << name;
    EXPECT_EQ(problem->file, path(name));
    EXPECT_EQ(problem->why, why) << name;
    EXPECT_FALSE(problem->suggestion.empty()) << name;
  }
  EXPECT_EQ(files(), (std::vector<std::string>{blocked.filename().string(), "file", "folder"}))
      << "nothing temporary is left";
}

TEST_F(RecordingTest, LeavesTheOldFileWhereTheNewOneCannotBeWritten) {
  const std::string before = written(sample_record(3));
  std::optional<Problem> problem;
  {
    const SmallFiles as_on_a_full_disk;
    problem = write_recording(path("a.rec"), kHeader, sample_record(30));
  }
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->why, "cannot be written: the limit on the size of files (ulimit -f) is reached");
  EXPECT_EQ(contents(path("a.rec")), before);
  EXPECT_EQ(files(), std::vector<std::string>{"a.rec"}) << "nothing temporary is left";
}

// In a directory that others can write to, a link of theirs would have this user's rights spent where they like.
TEST_F(RecordingTest, FollowsNoSymbolicLink) {
  put(path("others"), "precious");
  fs::create_symlink(path("others"), path("a.rec.part"));
  EXPECT_FALSE(write_recording(path("a.rec"), kHeader, sample_record(3)));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path("a.rec"))));

  EXPECT_EQ(contents(path("others")), "precious");
}

// --- a recording that grows --------------------------------------------------------------------------------

std::function<void(std::string_view)> appending_to(const std::string& file) {
  return [file](std::string_view bytes) { std::ofstream(file, std::ios::binary | std::ios::app) << bytes; };
}

/// Writes the entries that follow the first `kept` of `record`.
void write_rest(RecordingWriter& writer, const Record& record, std::size_t kept) {
  std::size_t order = 0, entry = 0;
  for (std::size_t seen = 0; seen < record.observations.size(); ++seen) {
    if (entry++ >= kept) writer.write(record.observations[seen]);
    for (; order < record.orders.size() && record.orders[order].observations == seen + 1; ++order) {
      if (entry++ >= kept) writer.write(record.orders[order].order);
    }
  }
}

TEST_F(RecordingTest, GrowsToWhatIsWrittenAtOnce) {
  const Record record = sample_record(8);
  const std::string whole = written(record);
  RecordingWriter writer(appending_to(path("grown.rec")));
  writer.write(kHeader);
  std::size_t orders = 0;
  for (const Record& each :
       prefixes(record)) {  // one entry more each time, in the file as soon as it is written
    if (each.orders.size() > orders) {
      orders = each.orders.size();
      writer.write(each.orders.back().order);
    } else if (!each.observations.empty()) {
      writer.write(each.observations.back());
    }
    const ReadRecording read = read_recording(path("grown.rec"));
    ASSERT_TRUE(read.recording);
    EXPECT_EQ(all_of(read.recording->record), all_of(each));
    EXPECT_EQ(read.recording->tail, Recording::Tail::nothing);
  }
  EXPECT_EQ(contents(path("grown.rec")), whole);
}

TEST_F(RecordingTest, GoesOnAfterTheLastWholeFrame) {
  const Record record = sample_record(8);
  const std::string whole = written(record);
  const std::size_t header = written(Record{}).size();
  for (std::size_t length = header; length <= whole.size(); length += 5) {
    SCOPED_TRACE("cut after " + std::to_string(length) + " bytes");
    put(path("cut.rec"), whole.substr(0, length));
    const ReadRecording read = read_recording(path("cut.rec"));
    ASSERT_TRUE(read.recording);
    const Record& so_far = read.recording->record;
    fs::resize_file(path("cut.rec"), read.recording->whole_bytes);
    RecordingWriter writer(appending_to(path("cut.rec")));
    write_rest(writer, record, so_far.observations.size() + so_far.orders.size());
    EXPECT_EQ(contents(path("cut.rec")), whole);
  }
}

// --- what stands between the loop and a cluster ------------------------------------------------------------

/// Gives the observations of a list, and lists the orders.
class ScriptedCluster final : public Cluster {
 public:
  explicit ScriptedCluster(std::deque<Observed> script) : script_(std::move(script)) {}
  std::optional<Observed> next(Time until) override {
    if (script_.empty() || script_.front().at > until) return std::nullopt;
    const Observed seen = script_.front();
    script_.pop_front();
    return seen;
  }
  void start(const Order& order) override { orders.push_back(order); }
  std::vector<Order> orders;

 private:
  std::deque<Observed> script_;
};

/// One order for Started, none for HostReturned, two for StopRequest.
struct SomeOrders final : Policy {
  void on(const Observed& seen, Orders& out) override {
    if (std::holds_alternative<Started>(seen.what)) out.add(Wake{seen.at + 1s});
    if (const auto* told = std::get_if<StopRequest>(&seen.what)) {
      out.add(Stop{told->job, StopReason::planned});
      out.add(Wake{seen.at + told->hold});
    }
  }
};

TEST(Recorder, WritesDownWhatPassesAndPassesItOn) {
  const std::deque<Observed> script = {{kStart, Started{}},
                                       {kStart + 2s, HostReturned{HostId{3}}},
                                       {kStart + 3s, StopRequest{JobId{0}, 5s}},
                                       {kStart + 9s, Finished{}}};
  ScriptedCluster cluster(script);
  Record record;
  Recorder recorder(cluster, record);
  SomeOrders policy;
  run(recorder, policy, kNever);

  ASSERT_EQ(record.observations.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(equal_members(record.observations[i], script[i])) << i;
  const struct {
    Time at;
    std::uint32_t observations;
    Order order;
  } expected[] = {{kStart, 1, {OrderId{1}, Wake{kStart + 1s}}},
                  {kStart + 3s, 3, {OrderId{2}, Stop{JobId{0}, StopReason::planned}}},
                  {kStart + 3s, 3, {OrderId{3}, Wake{kStart + 8s}}}};
  ASSERT_EQ(record.orders.size(), 3u);
  ASSERT_EQ(cluster.orders.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(record.orders[i].at, expected[i].at) << i;
    EXPECT_EQ(record.orders[i].observations, expected[i].observations) << i;
    EXPECT_TRUE(same(record.orders[i].order, expected[i].order)) << i;
    EXPECT_TRUE(same(cluster.orders[i], expected[i].order)) << i;
  }
}

}  // namespace
}  // namespace gauntlet
