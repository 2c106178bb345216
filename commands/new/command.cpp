// gauntlet new: a commented scenario from what a planner knows, given as options or as answers at a terminal.
#include "commands/new/command.hpp"

#include "commands/new/draft.hpp"
#include "commands/new/facts.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/output_file.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

struct NewRequest {
  Known known;
  std::string out;     // a file to make; empty or "-": standard output
  bool force = false;  // a draft that is there may be replaced
};

bool to_standard_output(const NewRequest& request) { return request.out.empty() || request.out == "-"; }

/// The problem of --out, before anything is asked.
std::optional<Problem> problem_of(const NewRequest& request) {
  if (to_standard_output(request)) return std::nullopt;
  const auto problem = [&](std::string why, std::string suggestion) {
    return Problem{
        .file = "--out", .what = request.out, .why = std::move(why), .suggestion = std::move(suggestion)};
  };
  const std::filesystem::path file(request.out);
  if (file.extension() != ".toml")
    return problem(
        "is to hold a scenario, whose name ends in .toml",
        fmt::format("write --out {}", std::filesystem::path(file).replace_extension(".toml").string()));
  if (auto found = problem_of_output(request.out, kDraftBegins, "a draft", "--out")) return found;
  std::error_code error;
  if (!request.force && std::filesystem::exists(file, error))
    return problem("exists and is not overwritten",
                   "choose another name, or replace it and your changes in it with --force");
  return std::nullopt;
}

/// A line of standard input without its end; nothing at the end of the input.
std::optional<std::string> read_line() {
  std::string line;
  for (char c = 0;;) {
    const ssize_t got = ::read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    if (c == '\n') return line;
    line += c;
  }
}

bool can_ask() { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0; }

/// Removes the answers that the problems name, and returns their questions. If they name none, removes the last answer.
std::vector<const KnownOption*> take_back(const std::vector<Problem>& problems, const KnownOption& last,
                                          Known& known) {
  std::vector<const KnownOption*> taken;
  for (const Problem& problem : problems)
    for (const KnownOption& option : known_options())
      if (option.name == problem.file && known.*option.word) {
        known.*option.word = std::nullopt;
        taken.push_back(&option);
      }
  if (taken.empty()) {
    known.*last.word = std::nullopt;
    taken.push_back(&last);
  }
  return taken;
}

/// Asks until there is an answer, or an empty one where that is allowed. Asks again at once for an earlier answer that this
/// one does not agree with. False at the end of the input.
bool ask(const KnownOption& option, Known& known) {
  for (;;) {
    say(fmt::format("{}\n> ", option.question));
    std::optional<std::string> answer = read_line();
    if (!answer) return false;
    if (answer->find_first_not_of(' ') == std::string::npos) {
      if (option.may_be_empty()) return true;
      say("This question needs an answer.\n");
      continue;
    }
    known.*option.word = std::move(*answer);
    const std::vector<Problem> problems = read_facts(known).problems;
    if (problems.empty()) return true;
    for (const Problem& problem : problems) say(problem.text() + "\n");
    for (const KnownOption* taken : take_back(problems, option, known))
      if (!ask(*taken, known)) return false;
    return true;
  }
}

/// Whether an answer to this question could still be used.
bool is_open(const KnownOption& option, const Known& known) {
  if (option.question.empty() || known.*option.word) return false;
  if (option.word == &Known::step_time) return !known.model;
  if (option.word == &Known::model) return !known.step_time;
  if (option.word == &Known::batch) return known.step_time && known.tokens;
  const bool work = known.tokens || known.steps || known.window;
  const bool is_work =
      option.word == &Known::tokens || option.word == &Known::steps || option.word == &Known::window;
  return !is_work || !work;
}

/// All questions that are open. False at the end of the input.
bool ask_all(Known& known) {
  say("Answer as in the brackets. Ctrl-D ends without a file.\n");
  return std::ranges::all_of(known_options(), [&](const KnownOption& option) {
    return !is_open(option, known) || ask(option, known);
  });
}

/// The command that has the answers as options, so that none is lost.
void say_answers(const NewRequest& request, const Known& known) {
  std::string command = "gauntlet new";
  for (const KnownOption& option : known_options())
    if (const Known::Word& word = known.*option.word)
      command += fmt::format(" {} {}", option.name, shell_word(*word));
  if (!request.out.empty()) command += " --out " + shell_word(request.out);
  say(fmt::format("Your answers as options, to change and run: {}\n", command));
}

int missing_options(const std::vector<const KnownOption*>& missing) {
  std::vector<Problem> problems;
  for (const KnownOption* option : missing) {
    Problem problem{.file = std::string(option->name), .why = "is missing"};
    if (option->word == &Known::model) problem.file = "--model or --step-time";
    if (option->word == &Known::tokens) problem.file = "--tokens, --steps or --window";
    if (option->word == &Known::batch)
      problem.why = "is missing: a step time does not say how many tokens a step has";
    problem.suggestion = fmt::format("write {} {}: {}", option->name, option->value, option->meaning);
    problems.push_back(std::move(problem));
  }
  return wrong_input(problems);
}

int write(const NewRequest& request, const Draft& draft) {
  if (to_standard_output(request)) {
    for (const std::string& line : draft.summary) say(line + "\n");
    return print(*draft.text) ? kSuccess : kFailed;
  }
  if (const auto problem = write_output(request.out, *draft.text)) {
    print_problems({&*problem, 1});
    return kFailed;
  }
  std::string text = fmt::format("{} is written.\n", request.out);
  for (const std::string& line : draft.summary) text += line + "\n";
  text += fmt::format("Try next: gauntlet run {}\n", shell_word(request.out));
  return print(text) ? kSuccess : kFailed;
}

int new_command(const NewRequest& request) {
  if (const auto problem = problem_of(request)) return wrong_input(*problem);
  Known known = request.known;
  FactsRead read = read_facts(known);
  const bool asks = read.problems.empty() && !read.missing.empty() && can_ask();
  if (asks) {
    if (!ask_all(known)) {
      say("\n");
      complain("the input ended before every question was answered; nothing is written");
      say_answers(request, known);
      return kWrongInput;
    }
    read = read_facts(known);
  }
  const auto refused = [&](int code) {
    if (asks) say_answers(request, known);
    return code;
  };
  if (!read.problems.empty()) return refused(wrong_input(read.problems));
  if (!read.facts) return refused(missing_options(read.missing));
  const Draft draft = write_draft(known, *read.facts);
  return draft.text ? write(request, draft) : refused(wrong_input(draft.problems));
}

void add_new_options(Command& command) {
  const auto request = std::make_shared<NewRequest>();
  for (const KnownOption& option : known_options())
    command.value(std::string(option.name).c_str(), request->known.*option.word, std::string(option.meaning))
        .type_name(std::string(option.value).c_str());
  Option out =
      command.value("--out", request->out, "The file to write, .toml (default: - for standard output)")
          .type_name("FILE");
  command
      .flag("--force", request->force,
            "Replace the --out file if `gauntlet new` wrote it. Your edits in the file are lost")
      .needs(out);
  command.runs([request] { return new_command(*request); });
}

}  // namespace

void add_new(Program& program) {
  program.command(
      "new", "Write a commented scenario from what you know; at a terminal, ask for what is missing",
      "  gauntlet new --out mine.toml\n"
      "  gauntlet new --gpus 4096 --hardware h100 --model llama3-70b --tokens 2T \\\n"
      "      --failures '3285 over 365d x 1024 hosts' --repair 12h --checkpoint 90s --restart 8min \\\n"
      "      --gpu-hour 2.10USD --out mine.toml && gauntlet run mine.toml\n"
      "  gauntlet new --gpus 512 --hardware a100-80g --step-time 4.7s --steps 200000 --mix llama3 \\\n"
      "      --failures '60 over 90d x 128 hosts' --repair 1d --checkpoint 40s --restart 5min",
      add_new_options);
}

}  // namespace gauntlet
