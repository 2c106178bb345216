// What an operator's terminal is sent of a driver's answer.
#include "real/control/control_client.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

TEST(ControlClient, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(without_controls("host\t3\nöäü €"), "host\t3\nöäü €");
  EXPECT_EQ(without_controls("a\x1b[31mb\x07\r\x7f"), "a?[31mb???");
  EXPECT_EQ(without_controls("\xc2\x9b"
                             "31m"),
            "?31m")
      << "CSI in one character";
  EXPECT_EQ(without_controls(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(without_controls("\xc2"), "\xc2");
}

}  // namespace
}  // namespace gauntlet
