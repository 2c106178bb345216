// A file that grows, on a disk that fails.
#include "core/files/append_file.hpp"

#include "tests/files/lossy_run.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>
#include <string>

namespace gauntlet {
namespace {

void append_and_sync(AppendFile& file) {
  for (const char* line : {"one\n", "two\n", "three\n"}) {
    file.append(line);
    file.sync();
  }
}

// After a failed sync nobody knows which bytes are on the disk, and a part of a line would be joined to the next one.
TEST(LossyAppendFiles, StayFailedAfterACallThatFailed) {
  int failures = 0;
  for (const DiskFault::Kind kind : {DiskFault::Kind::error, DiskFault::Kind::last_space}) {
    bool reached = true;
    for (std::uint64_t at = 2; reached; ++at) {  // the first call opens the file
      SCOPED_TRACE("call " + std::to_string(at));
      LossyPlace place({.kind = kind, .at = at, .error = EIO});
      const std::string path = place.path() / "log";
      AppendFile file(path, place.files);
      std::string why;
      try {
        append_and_sync(file);
      } catch (const std::runtime_error& error) {
        why = error.what();
      }
      reached = place.disk.calls() >= at;
      if (why.empty()) continue;
      ++failures;
      const std::string before = bytes_of(place.path() / "log");
      for (int again = 0; again < 2; ++again) {
        EXPECT_THROW(file.append("more\n"), std::runtime_error);
        EXPECT_THROW(file.sync(), std::runtime_error);
      }
      EXPECT_EQ(bytes_of(place.path() / "log"), before) << "after " << why;
    }
  }
  EXPECT_EQ(failures, 8 + 3)
      << "EIO: 3 writes, 3 syncs, a directory is opened and synced. No space: 3 writes";
}

}  // namespace
}  // namespace gauntlet
