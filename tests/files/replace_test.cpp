// A large file is on its way to the disk while it is still being written.
#include "core/files/durable.hpp"
#include "tests/files/forwarded_files.hpp"
#include "tests/files/lossy_run.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// The system's files, where each write writes at most a few MB; it remembers what the disk was asked to begin with.
class Hinted final : public ForwardedFiles {
 public:
  static constexpr std::size_t kMost = 5'000'000;
  struct Range {
    std::uint64_t at, bytes;
  };
  std::vector<Range> begun;
  std::uint64_t written = 0;

  Hinted() : ForwardedFiles(system_files()) {}
  Transfer write(int descriptor, std::string_view bytes) override {
    const Transfer done = ForwardedFiles::write(descriptor, bytes.substr(0, kMost));
    written += done.bytes;
    return done;
  }
  void begin_writeback(int descriptor, std::uint64_t at, std::size_t bytes) override {
    EXPECT_LE(at + bytes, written) << "nothing is there yet";
    begun.push_back({at, bytes});
    ForwardedFiles::begin_writeback(descriptor, at, bytes);
  }
};

std::string counted(std::size_t bytes) {
  std::string all(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<char>(i * 2654435761U >> 24);
  return all;
}

TEST(Replace, LargeFileIsOnItsWayToTheDiskBeforeItsLastPieceIsWritten) {
  const Memory place;
  const std::string path = place.path() / "large", bytes = counted(40'000'005);
  Hinted files;
  ASSERT_FALSE(replace_file(files, {.path = path, .temporary = path + ".new"}, bytes));
  EXPECT_EQ(bytes_of(path), bytes);
  std::uint64_t at = 0;  // each range begins where the one before it ended
  for (const Hinted::Range& range : files.begun) {
    EXPECT_EQ(range.at, at);
    at += range.bytes;
  }
  EXPECT_EQ(files.begun.size(), 2);
  EXPECT_GT(at, bytes.size() / 2);
}

TEST(Replace, SmallFileIsSyncedAtOnce) {
  const Memory place;
  const std::string path = place.path() / "small";
  Hinted files;
  ASSERT_FALSE(replace_file(files, {.path = path, .temporary = path + ".new"}, "a few bytes"));
  EXPECT_EQ(bytes_of(path), "a few bytes");
  EXPECT_TRUE(files.begun.empty());
}

}  // namespace
}  // namespace gauntlet
