#include "study/store/same_study.hpp"

#include "study/store/scenario_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace gauntlet {
namespace {

/// Takes the next word of a command off, as a shell reads it: blanks in single quotes, and after a backslash, are of the word.
std::string_view take_word(std::string_view& command) {
  command.remove_prefix(std::min(command.find_first_not_of(' '), command.size()));
  bool quoted = false;
  std::size_t end = 0;
  for (; end < command.size() && (quoted || command[end] != ' '); ++end) {
    if (command[end] == '\'') quoted = !quoted;
    if (command[end] == '\\' && !quoted && end + 1 < command.size()) ++end;
  }
  const std::string_view word = command.substr(0, end);
  command.remove_prefix(end);
  return word;
}

/// A command without the numbers of replicas in it, and without what changes no replica; and those numbers.
struct Question {
  std::string words;
  std::optional<std::uint64_t> replicas, budget;
};

std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

Question question_of(std::string_view command) {
  Question out;
  while (!command.empty()) {
    const std::string_view word = take_word(command);
    if (word == "--replicas") {
      out.replicas = number_of(take_word(command));
    } else if (word == "--budget") {
      out.budget = number_of(take_word(command));
    } else if (word == "--over-time") {
      take_word(command);  // a file that is made anew of the same replicas
    } else {
      out.words += fmt::format("{} ", word);
    }
  }
  return out;
}

std::string fewer(std::string_view option, std::optional<std::uint64_t> then,
                  std::optional<std::uint64_t> now, std::uint64_t held, const char* of_what) {
  if (!now || (then && *now >= *then) || *now >= held) return "";
  return fmt::format("holds {} replicas {}, more than {} {}", held, of_what, option, *now);
}

}  // namespace

std::string difference(const StudyIdentity& then, const StudyIdentity& now, HeldReplicas held) {
  if (then.command != now.command)
    return fmt::format("holds a study of another command: `{}`, not `{}`", then.command, now.command);
  if (then.version != now.version)
    return fmt::format("was started by gauntlet {}, and this is {}: replicas of two versions do not mix",
                       then.version, now.version);
  if (then.seed != now.seed)
    return fmt::format("holds a study with another seed: {}, not {}", then.seed, now.seed);
  const std::string field = then.text == now.text ? "" : first_difference(then.text, now.text);
  // Of the scenario, or of what a flag of the command says of its means.
  const bool of_scenario = then.text != now.text && !field.starts_with('"');
  if (of_scenario) return "holds a study of another scenario" + (field.empty() ? "" : ": " + field);
  const Question asked = question_of(then.arguments), asks = question_of(now.arguments);
  // Without a number there may be fewer than the store was asked for.
  const bool unsaid = (asked.replicas && !asks.replicas) || (asked.budget && !asks.budget);
  if (asked.words != asks.words || unsaid)
    return fmt::format("holds a study that was asked otherwise: `{}`, not `{}`", then.arguments,
                       now.arguments);
  if (then.text != now.text) return "holds a study of another scenario: " + field;
  if (auto what = fewer("--replicas", asked.replicas, asks.replicas, held.most, "of a point"); !what.empty())
    return what;
  return fewer("--budget", asked.budget, asks.budget, held.all, "in all");
}

}  // namespace gauntlet
