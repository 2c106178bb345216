// A driver changes files only through the calls that it was given, so that a test can put any disk there.
#include "real/driver/drill.hpp"
#include "real/driver/drill_place.hpp"
#include "tests/driver/stand_ins.hpp"
#include "tests/real/scratch.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// The system's calls. Keeps the names that were made or opened for writing, and can refuse one.
class WatchedFiles final : public Files {
 public:
  std::vector<std::string> changed;
  std::string refused;  // the end of a name

  Opened open(const std::string& path, int flags, mode_t mode) override {
    if ((flags & O_ACCMODE) == O_RDONLY) return below_.open(path, flags, mode);
    if (is_refused(path)) return {.descriptor = -1, .error = ENOSPC};
    changed.push_back(path);
    return below_.open(path, flags, mode);
  }
  Transfer read(int descriptor, std::span<char> into) override { return below_.read(descriptor, into); }
  Transfer write(int descriptor, std::string_view bytes) override { return below_.write(descriptor, bytes); }
  int truncate(int descriptor, std::uint64_t size) override { return below_.truncate(descriptor, size); }
  int sync(int descriptor) override { return below_.sync(descriptor); }
  int sync_file_system(int descriptor) override { return below_.sync_file_system(descriptor); }
  int close(int descriptor) override { return below_.close(descriptor); }
  int rename(const std::string& from, const std::string& to) override {
    if (is_refused(to)) return ENOSPC;
    changed.push_back(to);
    return below_.rename(from, to);
  }
  int exchange(const std::string& one, const std::string& other) override {
    return below_.exchange(one, other);
  }
  int remove(const std::string& path) override { return below_.remove(path); }
  int make_directory(const std::string& path, mode_t mode) override {
    if (is_refused(path)) return ENOSPC;
    changed.push_back(path);
    return below_.make_directory(path, mode);
  }

 private:
  bool is_refused(const std::string& path) const { return !refused.empty() && path.ends_with(refused); }
  Files& below_ = system_files();
};

class StoppingPolicy final : public Policy {
 public:
  explicit StoppingPolicy(std::atomic<bool>& stop) : stop_(&stop) {}
  void on(const Observed&, Orders&) override { *stop_ = true; }

 private:
  std::atomic<bool>* stop_;
};

struct DrillFiles : testing::Test {
  DrillFiles() {
    world.inventory.job_hosts = 1;
    world.inventory.gpus_per_host = 1;
    world.job.layout = {.tp = 1, .pp = 1, .dp = 1};
    world.job.step_time = 1s;
    options.record = place.path() / "drill.rec";
    options.platform = &platform;
    options.header = {.version = "1", .scenario = "name = \"x\"\n", .seed = 1, .replica = 0};
    options.stop = &stop;
    options.files = &files;
    ::setenv("TMPDIR", place.path().c_str(), 1);
  }
  ~DrillFiles() override { ::setenv("TMPDIR", base.c_str(), 1); }

  const std::string base = drill_base();
  const Scratch place;
  std::atomic<bool> stop = false;
  StandIns platform;
  WatchedFiles files;
  World world;
  DrillOptions options;
};

TEST_F(DrillFiles, OfADirectoryAndItsDriverAreWrittenThroughTheOptions) {
  StoppingPolicy policy(stop);
  EXPECT_FALSE(run_drill(world, policy, options).finished);
  const std::string directory = platform.directory;
  for (const std::string name : {"/checkpoints", "/epoch"})
    EXPECT_THAT(files.changed, testing::Contains(directory + name));
  EXPECT_THAT(files.changed, testing::Contains(options.record + ".state"));
}

TEST_F(DrillFiles, ThatCannotBeMadeEndTheDrillBeforeItBegins) {
  StoppingPolicy policy(stop);
  for (const std::string name : {"/checkpoints", "/epoch"}) {
    files.refused = name;
    EXPECT_THROW(run_drill(world, policy, options), std::runtime_error) << name;
  }
  files.refused = "";
  EXPECT_FALSE(run_drill(world, policy, options).finished) << "nothing of the refused ones is left";
}

}  // namespace
}  // namespace gauntlet
