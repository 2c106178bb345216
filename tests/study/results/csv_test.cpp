#include "study/results/csv.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(Csv, FieldsReadBackAsTheyWereWritten) {
  const std::vector<std::string> fields = {"plain", "", "a,b", "say \"so\"", "12", "\""};
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : ",") + csv_field(field);
  EXPECT_EQ(line, R"(plain,,"a,b","say ""so""",12,"""")");
  EXPECT_EQ(csv_fields(line), fields);
}

TEST(Csv, AnEmptyLineIsOneEmptyField) { EXPECT_EQ(csv_fields(""), std::vector<std::string>{""}); }

}  // namespace
}  // namespace gauntlet
