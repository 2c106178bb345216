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
  std::error_code error;
  if (!request.force && std::filesystem::exists(file, error) && !std::filesystem::is_directory(file, error))
    return problem("exists and is not overwritten", "choose another name, or replace it with --force");
  return problem_of_output(request.out, kDraftBegins, "a draft", "--out");
}

int wrong_input(std::span<const Problem> problems) {
  print_problems(problems);
  return kWrongInput;
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

/// Removes the answers that the problems name. If they name none, removes the last answer.
void take_back(const std::vector<Problem>& problems, const KnownOption& last, Known& known) {
  bool taken = false;
  for (const Problem& problem : problems)
    for (const KnownOption& option : known_options())
      if (option.name == problem.file && known.*option.word) {
        known.*option.word = std::nullopt;
        taken = true;
      }
  if (!taken) known.*last.word = std::nullopt;
}

/// Asks until the answer is one or is empty. An answer before it that does not fit to this one is taken back, and so asked for
/// again. False at the end of the input.
bool ask(const KnownOption& option, Known& known) {
  for (;;) {
    say(fmt::format("{}\n> ", option.question));
    std::optional<std::string> answer = read_line();
    if (!answer) return false;
    if (answer->find_first_not_of(' ') == std::string::npos) return true;
    known.*option.word = std::move(*answer);
    const std::vector<Problem> problems = read_facts(known).problems;
    for (const Problem& problem : problems) say(problem.text() + "\n");
    if (!problems.empty()) take_back(problems, option, known);
    if (known.*option.word) return true;
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

/// All questions that are open, again while an answer that is needed is empty. False at the end of the input.
bool ask_all(Known& known) {
  say("Answer as in the brackets. Ctrl-D ends without a file.\n");
  for (bool first = true; first || !read_facts(known).missing.empty(); first = false) {
    const std::vector<const KnownOption*> missing = read_facts(known).missing;
    const auto needed = [&](const KnownOption& option) {
      const auto same = [&](const KnownOption* each) {
        const bool model = each->word == &Known::model && option.word == &Known::step_time;
        const bool work =
            each->word == &Known::tokens && (option.word == &Known::steps || option.word == &Known::window);
        return each->word == option.word || model || work;
      };
      return std::ranges::any_of(missing, same);
    };
    for (const KnownOption& option : known_options())
      if (is_open(option, known) && (first || needed(option)) && !ask(option, known)) return false;
  }
  return true;
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
  text += fmt::format("Next: gauntlet run {}\n", shell_word(request.out));
  return print(text) ? kSuccess : kFailed;
}

int new_command(const NewRequest& request) {
  if (const auto problem = problem_of(request)) return wrong_input({&*problem, 1});
  Known known = request.known;
  FactsRead read = read_facts(known);
  if (read.problems.empty() && !read.missing.empty() && can_ask()) {
    if (!ask_all(known)) {
      say("\n");
      complain("the input ended before every question was answered; nothing is written");
      return kWrongInput;
    }
    read = read_facts(known);
  }
  if (!read.problems.empty()) return wrong_input(read.problems);
  if (!read.facts) return missing_options(read.missing);
  const Draft draft = write_draft(known, *read.facts);
  return draft.text ? write(request, draft) : wrong_input(draft.problems);
}

}  // namespace

void add_new(Program& program) {
  const auto request = std::make_shared<NewRequest>();
  Command command = program.command(
      "new", "Write a commented scenario from what you know; at a terminal, ask for what is missing",
      "  gauntlet new --out mine.toml\n"
      "  gauntlet new --gpus 4096 --hardware h100 --model llama3-70b --tokens 2T \\\n"
      "      --failures '3285 over 365d x 1024 hosts' --repair 12h --checkpoint 90s --restart 8min \\\n"
      "      --gpu-hour 2.10USD --out mine.toml && gauntlet run mine.toml\n"
      "  gauntlet new --gpus 512 --hardware a100-80g --step-time 4.7s --steps 200000 --mix llama3 \\\n"
      "      --failures '60 over 90d x 128 hosts' --repair 1d --checkpoint 40s --restart 5min");
  for (const KnownOption& option : known_options())
    command.value(std::string(option.name).c_str(), request->known.*option.word, std::string(option.meaning))
        .type_name(std::string(option.value).c_str());
  Option out =
      command.value("--out", request->out, "The file to write, .toml (default: - for standard output)")
          .type_name("FILE");
  command.flag("--force", request->force, "Replace a scenario that `gauntlet new` wrote").needs(out);
  command.runs([request] { return new_command(*request); });
}

}  // namespace gauntlet
