// Programs that do not begin to run, as on a file system that hangs: the pipe on which each would report stays open and silent.
#include "real/runner/start_reports.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Optional;

struct StartReportsOf : testing::Test {
  /// The child's end of its report.
  Descriptor launched(const char* program) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reports.add({.program = program, .arguments = {}, .environment = {}, .directory = {}}, Descriptor(ends[0]));
    return Descriptor(ends[1]);
  }
  std::size_t waits_for() const {
    std::vector<pollfd> polled;
    reports.add_to(polled);
    return polled.size();
  }

  StartReports reports;
};

TEST_F(StartReportsOf, ProgramsThatRunAreSilentAndClosed) {
  reports.begin(kStart + 10s);
  Descriptor first = launched("first"), second = launched("second");
  EXPECT_EQ(reports.outcome(kStart), std::nullopt);
  second.reset();
  EXPECT_EQ(reports.outcome(kStart), std::nullopt) << "the first one is not known to run";
  EXPECT_EQ(waits_for(), 1U);
  EXPECT_EQ(reports.deadline(), kStart + 10s);
  first.reset();
  EXPECT_THAT(reports.outcome(kStart + 20s), Optional(std::string())) << "known, however late it is asked";
  EXPECT_EQ(reports.deadline(), kNever);
  EXPECT_EQ(waits_for(), 0U);
}

TEST_F(StartReportsOf, AProgramThatDoesNotBeginIsNamedAtTheDeadline) {
  reports.begin(kStart + 10s);
  const Descriptor hangs = launched("/mnt/nfs/train");
  EXPECT_EQ(reports.outcome(kStart + 10s - 1ns), std::nullopt);
  EXPECT_THAT(reports.outcome(kStart + 10s), Optional(HasSubstr("/mnt/nfs/train: does not begin to run")));
  EXPECT_EQ(waits_for(), 0U);
}

}  // namespace
}  // namespace gauntlet
