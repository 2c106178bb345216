// Recordings and journals on a disk that fails and loses what was not synced.
#include "core/record/recording.hpp"

#include "core/files/append_file.hpp"
#include "real/injectors/journal.hpp"
#include "tests/files/lossy_run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

const RecordingHeader kHeader{
    .version = "1.2.3", .scenario = std::string(700, 'x'), .seed = 5, .replica = 0};  // two sectors

/// A job that starts, says so many things and finishes.
Record record_of(int signals) {
  Record record;
  const Inventory inventory{};
  record.observations.push_back({kStart, Started{JobId{0}, inventory}});
  for (int i = 1; i <= signals; ++i) {
    record.observations.push_back({kStart + i * 1s, Overflow{{}, static_cast<std::uint32_t>(i)}});
    record.orders.push_back({kStart + i * 1s, static_cast<std::uint32_t>(i + 1), Order{}});
  }
  record.observations.push_back({kStart + signals * 1s + 1s, Finished{JobId{0}, Ending::completed}});
  return record;
}

std::string recording_of(const Record& record) {
  const Memory place;
  EXPECT_FALSE(write_recording(place.path() / "a.rec", kHeader, record));
  return bytes_of(place.path() / "a.rec");
}

/// A command records a run, and another one in its place.
class RecordedRuns {
 public:
  static constexpr const char* kName = "recordings";
  static std::filesystem::path begins_with() { return empty_directory(); }
  explicit RecordedRuns(LossyPlace& place) : place_(place) {}

  void run() {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto problem = write_recording(place_.path() / "a.rec", kHeader, records_[i], place_.files);
      if (!problem && !place_.disk.is_off()) promised_ = i + 1;
      if (problem) {
        EXPECT_TRUE(problem->why.starts_with("cannot be written: ")) << problem->text();
        ++problems_;
      }
    }
  }
  void check(const std::filesystem::path& left) const {
    const std::string path = left / "a.rec";
    const bool is_there = std::filesystem::exists(path);
    EXPECT_TRUE(is_there || promised_ == 0);
    if (is_there) {
      const std::string bytes = bytes_of(std::filesystem::path(path));
      EXPECT_TRUE(bytes == whole_[1] || (promised_ < 2 && bytes == whole_[0])) << bytes.size() << " bytes";
    }
    if (harmless) {
      EXPECT_EQ(problems_, 0);
      EXPECT_EQ(promised_, 2u);
    }
  }

  bool harmless = false;

 private:
  LossyPlace& place_;
  const std::vector<Record> records_{record_of(20), record_of(60)};
  const std::vector<std::string> whole_{recording_of(records_[0]), recording_of(records_[1])};
  std::size_t promised_ = 0;  // so many were written, as the command said
  int problems_ = 0;
};

/// A drill writes its recording as it goes, and syncs it at its end. Its first driver dies in the middle of a frame.
class GrowingRecording {
 public:
  static constexpr const char* kName = "growing recordings";
  static std::filesystem::path begins_with() { return empty_directory(); }
  explicit GrowingRecording(LossyPlace& place) : place_(place) {}

  void run() {
    try {
      write_first_half();
      go_on();
    } catch (const std::runtime_error& error) {
      ++problems_;
      EXPECT_NE(std::string(error.what()).find("a.rec: cannot be written: "), std::string::npos)
          << error.what();
    }
  }
  void check(const std::filesystem::path& left) const {
    const std::string path = left / "a.rec";
    const ReadRecording read = read_recording(path);
    if (finished_) {
      ASSERT_TRUE(read.recording) << read.problem.text();
      EXPECT_EQ(bytes_of(std::filesystem::path(path)), whole_);
    }
    if (read.recording) {
      const auto bytes = bytes_of(std::filesystem::path(path)).substr(0, read.recording->whole_bytes);
      EXPECT_EQ(bytes, whole_.substr(0, bytes.size())) << "a frame that nobody wrote";
      EXPECT_EQ(problem_of_end(path, *read.recording).has_value(), bytes != whole_);
    } else {
      EXPECT_FALSE(read.problem.why.empty());
    }
    if (harmless) {
      EXPECT_TRUE(finished_);
      EXPECT_EQ(problems_, 0);
    }
  }

  bool harmless = false;

 private:
  void write_first_half() {
    AppendFile file(path_, place_.files);
    file.append(std::string_view(whole_).substr(0, whole_.size() / 2));
  }
  void go_on() {
    const ReadRecording read = read_recording(path_);
    ASSERT_TRUE(read.recording) << read.problem.text();
    const std::size_t from = read.recording->whole_bytes;
    ASSERT_GT(read.recording->bytes, from) << "the half ends within a frame";
    AppendFile file(path_, from, place_.files);
    file.append(std::string_view(whole_).substr(from, 100));
    file.append(std::string_view(whole_).substr(from + 100));
    file.sync();
    finished_ = !place_.disk.is_off();
  }

  LossyPlace& place_;
  const std::string path_ = place_.path() / "a.rec";
  const std::string whole_ = recording_of(record_of(40));
  bool finished_ = false;
  int problems_ = 0;
};

/// Drivers that take over from each other write down what they are about to inject.
class Injections {
 public:
  static constexpr const char* kName = "journals";
  static std::filesystem::path begins_with() { return empty_directory(); }
  explicit Injections(LossyPlace& place) : place_(place) {}

  void run() {
    for (int driver = 0; driver < 4; ++driver) {
      try {
        drive();
        if (driver == 1) die_in_a_line();
      } catch (const std::runtime_error& error) {
        ++problems_;
        EXPECT_NE(std::string(error.what()).find("journal: cannot be "), std::string::npos) << error.what();
      }
    }
  }
  void check(const std::filesystem::path& left) const {
    const Memory copy(left);  // a journal that is opened is tidied
    const Journal journal(copy.path() / "journal");
    for (const std::uint64_t injection : begun_)
      EXPECT_TRUE(journal.begun(injection)) << injection << " was acted upon";
    for (const JournalEntry& entry : journal.entries()) EXPECT_EQ(entry.at, kLate);
    if (harmless) {
      EXPECT_EQ(problems_, 0);
    }
  }

  bool harmless = false;

 private:
  static constexpr std::uint64_t kOfEachDriver = 15;  // entries, so that some lie across two sectors
  static constexpr Time kLate = kStart + 1'000'000h;

  std::string path() const { return place_.path() / "journal"; }
  void drive() {
    Journal journal(path(), place_.files);
    for (const std::uint64_t injection : begun_) EXPECT_TRUE(journal.begun(injection));
    const std::uint64_t first = journal.entries().empty() ? 0 : journal.entries().back().injection + 1;
    for (std::uint64_t i = first; i < first + kOfEachDriver; ++i) {
      journal.write({.step = JournalStep::began, .injection = i, .at = kLate});
      if (!place_.disk.is_off()) begun_.push_back(i);
    }
  }
  void die_in_a_line() {
    AppendFile(path(), std::filesystem::file_size(path()), place_.files).append("3600000 beg");
  }

  LossyPlace& place_;
  std::vector<std::uint64_t> begun_;  // and acted upon
  int problems_ = 0;
};

using Recordings = testing::Types<RecordedRuns, GrowingRecording, Injections>;
INSTANTIATE_TYPED_TEST_SUITE_P(RecordingsAndJournals, OnLossyDisks, Recordings);

}  // namespace
}  // namespace gauntlet
