#include "shell/options.hpp"

#include "config/nearest.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

namespace gauntlet {

Option& Option::type_name(const char* name) {
  option_->type_name(name);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::separated_by(char separator) {
  option_->delimiter(separator);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::between_whole(std::uint64_t least, std::uint64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::between(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::check(const std::function<std::string(const std::string&)>& problem_of) {
  option_->check(problem_of);
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

namespace {

CLI::App* add(CLI::App& app, const char* name, const char* what, const char* examples) {
  CLI::App* command = app.add_subcommand(name, what);
  command->footer(std::string("Examples:\n") + examples);
  return command;
}

}  // namespace

Command Command::subcommand(const char* name, const char* what, const char* examples) {
  return {add(*app_, name, what, examples), exit_code_};
}

void Command::requires_subcommand() { app_->require_subcommand(1); }

template <class Value>
Option Command::value(const char* name, Value& into, const std::string& what) {
  return Option(app_->add_option(name, into, what));
}

template Option Command::value(const char*, std::string&, const std::string&);
template Option Command::value(const char*, std::optional<std::string>&, const std::string&);
template Option Command::value(const char*, std::vector<std::string>&, const std::string&);
template Option Command::value(const char*, std::uint32_t&, const std::string&);
template Option Command::value(const char*, std::optional<std::uint32_t>&, const std::string&);
template Option Command::value(const char*, std::uint64_t&, const std::string&);
template Option Command::value(const char*, std::optional<std::uint64_t>&, const std::string&);
template Option Command::value(const char*, double&, const std::string&);
template Option Command::value(const char*, std::optional<double>&, const std::string&);

Option Command::flag(const char* name, bool& into, const std::string& what) {
  return Option(app_->add_flag(name, into, what));
}

void Command::runs(std::function<int()> run) {
  app_->callback([run = std::move(run), exit_code = exit_code_] { *exit_code = run(); });
}

namespace {

// The command whose arguments were read last, so that its options are the known words.
const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  return used.empty() ? app : innermost(*used.front());
}

// "trace fit ", and nothing of the program itself.
std::string words_of(const CLI::App& command) {
  return command.get_parent() == nullptr ? "" : words_of(*command.get_parent()) + command.get_name() + " ";
}

std::vector<std::string> known_words(const CLI::App& command, bool options) {
  std::vector<std::string> known;
  if (options) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  } else {
    for (const CLI::App* other : command.get_subcommands({})) known.push_back(other->get_name());
  }
  return known;
}

// The first word that is not understood.
struct UnknownWord {
  std::string says;         // what to say of it
  bool is_command = false;  // it stands where a command has to be named
};

std::optional<UnknownWord> unknown_word(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  if (words.empty()) return std::nullopt;
  const CLI::App& command = innermost(app);
  const std::string word = words.front().substr(0, words.front().find('='));
  const bool option = word.starts_with('-');
  const std::vector<std::string> known = known_words(command, option);
  const std::string what = option ? "option" : "command";
  if (known.empty())
    return UnknownWord{.says = fmt::format("\"{}\" is one word too many", word), .is_command = false};
  const auto begun = std::find_if(known.begin(), known.end(),
                                  [&](const std::string& name) { return name.starts_with(word); });
  const auto near = begun != known.end() ? std::optional(*begun) : nearest_name(word, known);
  return UnknownWord{.says = fmt::format("there is no {} \"{}\"{}", what, word,
                                         near ? fmt::format("; did you mean \"{}\"?", *near) : ""),
                     .is_command = !option};
}

// Arguments that are wrong, or help or the version that was asked for. Help that is asked of no command there is, is wrong.
int answer(const CLI::App& app, const CLI::ParseError& error) {
  const bool asked_for = error.get_exit_code() == 0;
  const std::optional<UnknownWord> unknown = unknown_word(app);
  if (unknown && (!asked_for || unknown->is_command)) {
    complain(unknown->says);
    complain(fmt::format("\"gauntlet {}--help\" says what there is", words_of(innermost(app))));
    return kWrongInput;
  }
  std::ostringstream out, err;
  app.exit(error, out, err);
  say(err.str());
  if (!asked_for) return kWrongInput;
  return print(out.str()) ? kSuccess : kFailed;
}

}  // namespace

Program::Program(const std::string& name, const std::string& question, const std::string& version,
                 const std::string& footer)
    : app_(std::make_unique<CLI::App>(question, name)) {
  app_->set_version_flag("--version", name + " " + version);
  app_->set_help_all_flag("--help-all", "Print the help of every command and exit");
  app_->require_subcommand(1);
  app_->footer(footer);
}

Program::~Program() = default;

Command Program::command(const char* name, const char* what, const char* examples) {
  return {add(*app_, name, what, examples), &exit_code_};
}

int Program::run(int argc, char** argv) {
  exit_code_ = kSuccess;
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return answer(*app_, error);
  }
  return exit_code_;
}

}  // namespace gauntlet
