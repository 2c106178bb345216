#include "study/store/same_study.hpp"

#include "core/quantity.hpp"
#include "study/store/scenario_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

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

/// A half-width that was asked for: "ettr=0.0005", "0.05%", "wall_time_s=1h" (study/precision.hpp).
struct Goal {
  std::string_view metric, text;
  std::optional<double> half_width;  // absent where the text is none
};

Goal goal_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  const bool named = equals != std::string_view::npos;
  Goal goal{.metric = named ? text.substr(0, equals) : "ettr",
            .text = named ? text.substr(equals + 1) : text,
            .half_width = {}};
  const std::string_view number = goal.text.substr(0, goal.text.find('%'));
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc() && end == number.data() + number.size())
    goal.half_width = number.size() < goal.text.size() ? value / 100 : value;
  else if (const auto duration = parse_duration(goal.text); duration.value)
    goal.half_width = to_seconds(*duration.value);
  return goal;
}

/// A command without the numbers of replicas and the half-widths in it, and without what changes no replica; and those.
struct Question {
  std::string words;
  std::optional<std::uint64_t> replicas, budget;
  std::vector<std::string_view> precision;
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
    } else if (word == "--precision") {
      out.precision.push_back(take_word(command));
    } else if (word == "--over-time") {
      take_word(command);  // a file that is made anew of the same replicas
    } else {
      out.words += fmt::format("{} ", word);
    }
  }
  return out;
}

/// Whether what reaches the goals of `now` reaches that one too.
bool is_reached_by(const Goal& goal, std::span<const std::string_view> now) {
  return std::ranges::any_of(now, [&](std::string_view text) {
    const Goal other = goal_of(text);
    if (other.metric != goal.metric) return false;
    return other.text == goal.text ||
           (other.half_width && goal.half_width && *other.half_width <= *goal.half_width);
  });
}

std::string options_text(std::span<const std::string_view> precision) {
  std::string text;
  for (const std::string_view each : precision)
    text += fmt::format("{}--precision {}", text.empty() ? "" : " ", each);
  return text;
}

StudyDifference less_precise(std::span<const std::string_view> then, std::span<const std::string_view> now) {
  const bool reached =
      std::ranges::all_of(then, [&](std::string_view text) { return is_reached_by(goal_of(text), now); });
  if (reached) return {};
  return {.what = fmt::format("holds a study with {}, and {} asks for less", options_text(then),
                              options_text(now)),
          .go_on = fmt::format("continue with {}, or with a smaller half-width", options_text(then))};
}

StudyDifference fewer(std::string_view option, std::optional<std::uint64_t> then,
                      std::optional<std::uint64_t> now, std::uint64_t held, const char* of_what) {
  if (!now || (then && *now >= *then) || *now >= held) return {};
  return {.what = fmt::format("holds {} replicas {}, more than {} {}", held, of_what, option, *now),
          .go_on = fmt::format("continue with {} {} or more", option, held)};
}

}  // namespace

StudyDifference difference(const StudyIdentity& then, const StudyIdentity& now, HeldReplicas held) {
  const auto differs = [](std::string what) { return StudyDifference{.what = std::move(what), .go_on = {}}; };
  if (then.command != now.command)
    return differs(
        fmt::format("holds a study of another command: `{}`, not `{}`", then.command, now.command));
  if (then.version != now.version)
    return differs(
        fmt::format("was started by gauntlet {}, and this is {}: replicas of two versions do not mix",
                    then.version, now.version));
  if (then.seed != now.seed)
    return differs(fmt::format("holds a study with another seed: {}, not {}", then.seed, now.seed));
  const std::string field = then.text == now.text ? "" : first_difference(then.text, now.text);
  // Of the scenario, or of what a flag of the command says of its means.
  const bool of_scenario = then.text != now.text && !field.starts_with('"');
  if (of_scenario) return differs("holds a study of another scenario" + (field.empty() ? "" : ": " + field));
  const Question asked = question_of(then.arguments), asks = question_of(now.arguments);
  // Without a number there may be fewer than the store was asked for.
  const bool unsaid = (asked.replicas && !asks.replicas) || (asked.budget && !asks.budget);
  if (asked.words != asks.words || asked.precision.empty() != asks.precision.empty() || unsaid)
    return differs(
        fmt::format("holds a study that was asked otherwise: `{}`, not `{}`", then.arguments, now.arguments));
  if (then.text != now.text) return differs("holds a study of another scenario: " + field);
  if (auto loose = less_precise(asked.precision, asks.precision); !loose.what.empty()) return loose;
  if (auto few = fewer("--replicas", asked.replicas, asks.replicas, held.most, "of a point");
      !few.what.empty())
    return few;
  return fewer("--budget", asked.budget, asks.budget, held.all, "in all");
}

}  // namespace gauntlet
