// Probes of a disk on disks that are full, fail, or lie; nothing of theirs stays there.
#include "real/probes/host/disk_probes.hpp"

#include "real/probes/host/probe_file.hpp"
#include "tests/files/forwarded_files.hpp"
#include "tests/files/lossy_run.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace gauntlet {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kGigabyte = 1'000'000'000;

FileSystemSpace roomy(const std::string&) {
  return {.bytes = 100 * kGigabyte, .available = 50 * kGigabyte, .inodes = 1000, .free_inodes = 500};
}

FileSystemSpace nearly_full(const std::string&) {
  return {.bytes = 100 * kGigabyte, .available = 10 * kGigabyte, .inodes = 1000, .free_inodes = 20};
}

ProbedHost host_of(LossyPlace& place) {
  return {.root = "", .directory = place.path().string(), .files = &place.files, .space = roomy};
}

ProbeVerdict verdict_of_sample(const ProbeSample& sample) {
  return judge("disk", {}, sample, {.at_least = 0}).verdict;
}

/// A disk on which no file can be without a name.
class NamesAll final : public ForwardedFiles {
 public:
  using ForwardedFiles::ForwardedFiles;
  Opened open(const std::string& path, int flags, mode_t mode) override {
    if ((flags & O_TMPFILE) == O_TMPFILE) return {.error = EOPNOTSUPP};
    return ForwardedFiles::open(path, flags, mode);
  }
};

/// Gives back what it was not given.
class Liar final : public ForwardedFiles {
 public:
  Liar() : ForwardedFiles(system_files()) {}
  Transfer read(int descriptor, std::span<char> into) override {
    const Transfer done = ForwardedFiles::read(descriptor, into);
    if (done.bytes > 100) into[100] = static_cast<char>(into[100] ^ 4);
    return done;
  }
};

TEST(DiskProbes, NeverFillADisk) {
  LossyPlace place;
  ProbedHost host = host_of(place);
  host.space = nearly_full;
  for (const auto probe : {probe_disk_write, probe_disk_read, probe_disk_fsync}) {
    EXPECT_THAT(probe(host).unsupported, HasSubstr("leaves a tenth free"));
    EXPECT_EQ(place.disk.calls(), 0U);
  }
  EXPECT_EQ(probe_disk_space(host).parts.at(0).values.at(0), 10);
  EXPECT_EQ(probe_disk_inodes(host).parts.at(0).values.at(0), 2);
}

TEST(DiskProbes, SayWhyTheyCannotLook) {
  LossyPlace place;
  ProbedHost host = host_of(place);
  host.directory += "/nowhere";
  EXPECT_THAT(probe_disk_fsync(host).unsupported, HasSubstr("No such file"));
  host.space = space_of;
  EXPECT_THAT(probe_disk_space(host).unsupported, HasSubstr("No such file"));
  host.space = [](const std::string&) {
    return FileSystemSpace{.bytes = 1, .available = 1, .in_memory = true};
  };
  EXPECT_THAT(probe_disk_write(host).unsupported, HasSubstr("is in memory"));
  EXPECT_THAT(probe_disk_inodes(host).unsupported, HasSubstr("as they are needed"));
}

// Whatever fails at whatever call: the host fails or the probe gets over it, and no file stays.
TEST(DiskProbes, LeaveNothingWhateverFails) {
  std::vector<DiskFault> faults = {{.kind = DiskFault::Kind::short_write, .at = 3, .error = 0}};
  for (std::uint64_t at = 1; at <= 6; ++at)
    for (const auto kind : {DiskFault::Kind::error, DiskFault::Kind::full_disk})
      faults.push_back({.kind = kind, .at = at, .error = EIO});
  for (const DiskFault& fault : faults) {
    for (const bool named : {false, true}) {
      SCOPED_TRACE(testing::Message() << "call " << fault.at << ", kind " << static_cast<int>(fault.kind)
                                      << ", named " << named);
      LossyPlace place(fault);
      NamesAll names(place.files);
      ProbedHost host = host_of(place);
      if (named) host.files = &names;
      const ProbeSample sample = probe_disk_fsync(host);
      const bool must_fail = place.disk.has_failed() && fault.kind != DiskFault::Kind::short_write;
      EXPECT_EQ(verdict_of_sample(sample), must_fail ? ProbeVerdict::fail : ProbeVerdict::pass);
      EXPECT_TRUE(std::filesystem::is_empty(place.path()));
    }
  }
}

TEST(DiskProbes, NoticeADiskThatLies) {
  const Memory scratch;
  Liar liar;
  const ProbedHost host{.root = "", .directory = scratch.path().string(), .files = &liar, .space = roomy};
  const ProbeSample sample = probe_disk_read(host);
  ASSERT_EQ(sample.errors.size(), 1U);
  EXPECT_THAT(sample.errors[0], HasSubstr("MiB 0 of a file reads back differently"));
}

// What is read from memory says nothing about the disk: /dev/shm keeps all of it there.
TEST(DiskProbes, DoNotTakeMemoryForADisk) {
  const std::filesystem::path memory = "/dev/shm";
  if (!space_of(memory).in_memory) GTEST_SKIP() << "/dev/shm is no file system in memory";
  const Scratch scratch(memory);
  const ProbedHost host{.root = "", .directory = scratch.path().string(), .space = roomy};
  EXPECT_THAT(probe_disk_read(host).inconclusive, HasSubstr("was read from memory"));
}

TEST(DiskProbes, MeasureAGoodDisk) {
  const Scratch scratch;
  const ProbedHost host{.root = "", .directory = scratch.path().string(), .space = roomy};
  const ProbeSample sample = probe_disk_fsync(host);
  ASSERT_EQ(sample.parts.size(), 1U);
  EXPECT_EQ(sample.parts[0].values.size(), 3U);
  for (const double milliseconds : sample.parts[0].values) EXPECT_GT(milliseconds, 0);
}

}  // namespace
}  // namespace gauntlet
