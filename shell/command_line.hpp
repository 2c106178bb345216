// Commands as a shell reads them.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// The word, in single quotes where a shell would make something else of it.
inline std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// A command that repeats what was done, built from its options. An option that was not given adds nothing.
class CommandLine {
 public:
  /// "gauntlet sweep", then what follows without an option: the scenario.
  explicit CommandLine(std::string_view command) : text_(command) {}
  CommandLine(std::string_view command, std::string_view operand) : text_(command) { this->operand(operand); }

  CommandLine& operand(std::string_view word) {
    text_ += " " + shell_word(word);
    return *this;
  }
  CommandLine& option(std::string_view name, std::string_view word) {
    if (!word.empty()) text_ += fmt::format(" {} {}", name, shell_word(word));
    return *this;
  }
  CommandLine& option(std::string_view name, const std::vector<std::string>& words) {
    for (const std::string& word : words) option(name, word);
    return *this;
  }
  template <class Number>
  CommandLine& number(std::string_view name, const std::optional<Number>& number) {
    if (number) text_ += fmt::format(" {} {}", name, *number);
    return *this;
  }
  CommandLine& flag(std::string_view name, bool given) {
    if (given) text_ += fmt::format(" {}", name);
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace gauntlet
