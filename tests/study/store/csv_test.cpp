#include "study/store/export/csv.hpp"

#include "core/files/durable.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace gauntlet {
namespace {

TEST(Csv, FieldsReadBackAsTheyWereWritten) {
  const std::vector<std::string> fields = {"plain", "", "a,b", "say \"so\"", "12", "\""};
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : ",") + csv_field(field);
  EXPECT_EQ(line, R"(plain,,"a,b","say ""so""",12,"""")");
  EXPECT_EQ(csv_fields(line), fields);
}

// A disk that is full: what other calls leave in errno before the file is closed is not why it could not be written.
TEST(Csv, SaysWhyTheFirstWriteFailed) {
  CsvWriter csv("/dev/full", {{"number", "INTEGER"}});
  for (std::int64_t row = 0; row < 100'000; ++row) {
    csv.add({row});
    errno = EAGAIN;
  }
  EXPECT_EQ(csv.close(), ENOSPC);
  EXPECT_EQ(csv.close(), ENOSPC) << "it stays";
  CsvWriter nowhere("/dev/null/file", {{"number", "INTEGER"}});
  errno = EAGAIN;
  EXPECT_EQ(nowhere.close(), ENOTDIR);
  EXPECT_EQ(write_file(system_files(), "/dev/full", "text"), ENOSPC);
}

TEST(Csv, AnEmptyLineIsOneEmptyField) { EXPECT_EQ(csv_fields(""), std::vector<std::string>{""}); }

}  // namespace
}  // namespace gauntlet
