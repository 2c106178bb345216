// The words in which a planner states a job: the options of `gauntlet new`, which its questions fill too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// As given, not yet read (commands/new/facts.hpp); nothing where it was not given.
struct Known {
  using Word = std::optional<std::string>;
  Word gpus, hardware;
  Word model, step_time;       // one of them
  Word tokens, steps, window;  // one of them
  Word batch, tp, pp;
  Word failures, mix, repair, spares;
  Word checkpoint, restart;
  Word gpu_hour;
};

/// One of them: what the command line calls it, and how it is asked for.
struct KnownOption {
  std::string_view name;  // "--gpus"
  Known::Word Known::*word;
  std::string_view value;     // "N", in the help
  std::string_view meaning;   // in the help
  std::string_view question;  // at a terminal; empty: it is not asked for

  /// Its question then says what an empty answer means.
  bool may_be_empty() const { return question.find("empty:") != std::string_view::npos; }
};

/// All of them, in the order in which they are asked for.
std::span<const KnownOption> known_options();

/// The option of that name; the name is one of theirs.
const KnownOption& known_option(std::string_view name);

}  // namespace gauntlet
