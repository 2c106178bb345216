#include "shell/command_line.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// What a POSIX shell makes of it.
std::string by_shell(const std::string& word) {
  std::string text;
  std::FILE* const pipe = ::popen(("printf %s " + word).c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::array<char, 256> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), size);
  ::pclose(pipe);
  return text;
}

TEST(ShellWord, IsReadByAShellAsItWasGiven) {
  for (const std::string word :
       {"plain", "with space", "it's", "", "$HOME", "`id`", "a\"b", "back\\slash", "new\nline", "*", "~", "!x", "a;b",
        "# no comment", "'", "''", "\xc3\xa4", "job.steps=3", "[\"a\", \"b\"]"})
    EXPECT_EQ(by_shell(shell_word(word)), word);
}

TEST(ShellWord, OfPlainLettersNeedsNoQuotes) {
  EXPECT_EQ(shell_word("scenarios/a_b-1.toml"), "scenarios/a_b-1.toml");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(CommandLine, HasEachOptionThatWasGiven) {
  const std::string text = CommandLine("gauntlet sweep", "my file.toml")
                               .option("--out", "")
                               .option("--set", std::vector<std::string>{"a=1", "b=[1, 2]"})
                               .number("--seed", std::optional<int>(7))
                               .number("--replicas", std::optional<int>())
                               .flag("--json", true)
                               .flag("--quiet", false)
                               .text();
  EXPECT_EQ(text, "gauntlet sweep 'my file.toml' --set a=1 --set 'b=[1, 2]' --seed 7 --json");
}

}  // namespace
}  // namespace gauntlet
