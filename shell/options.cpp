#include "shell/options.hpp"

#include "config/toml/nearest.hpp"
#include "shell/caller.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>
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
  const auto problem_of = [words](const std::string& text) {
    const bool known = std::find(words.begin(), words.end(), text) != words.end();
    return known ? "" : fmt::format("\"{}\" is unknown; {}", text, suggest_names(text, words));
  };
  if (option_->get_type_name() == "TEXT") option_->type_name("NAME");
  option_->check(CLI::Validator(problem_of, fmt::format("{{{}}}", fmt::join(words, ","))));
  return *this;
}

namespace {

/// What the help says is allowed, and what a number outside of that is told.
template <class Number>
CLI::Validator between_numbers(Number least, Number most, const char* what) {
  return {[=](const std::string& text) {
            Number value{};
            const char* end = text.data() + text.size();
            const auto [at, error] = std::from_chars(text.data(), end, value);
            const bool is = error == std::errc() && at == end && value >= least && value <= most;
            return is ? "" : fmt::format("\"{}\" is not a {} from {} to {}", text, what, least, most);
          },
          static_cast<double>(most) < 1e15 ? fmt::format("{} to {}", least, most) : std::string()};
}

}  // namespace

Option& Option::between_whole(std::uint64_t least, std::uint64_t most) {
  option_->check(between_numbers(least, most, "whole number"));
  return *this;
}

Option& Option::between(double least, double most) {
  option_->check(between_numbers(least, most, "number"));
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

namespace {

/// CLI11 reads "010" as an octal number and "0x5" as a hexadecimal one.
std::string problem_of_whole_number(const std::string& word) {
  const std::size_t first = std::min(word.find_first_not_of('0'), word.size() - 1);
  const std::string_view digits = std::string_view(word).substr(word.empty() ? 0 : first);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return fmt::format("\"{}\" is not a whole number; write it in decimal digits, such as 20", word);
  return first == 0 ? "" : fmt::format("\"{}\" begins with 0; write {}", word, digits);
}

/// A text that is left empty would read as an option that is not given: a variable of a script without a value.
std::string problem_of_text(const std::string& word) {
  return word.empty() ? "the value is empty; write one, or leave the option out" : "";
}

template <class Value>
constexpr bool kIsWhole = std::integral<Value>;
template <class Value>
constexpr bool kIsWhole<std::optional<Value>> = std::integral<Value>;
template <class Value>
constexpr bool kIsText =
    !kIsWhole<Value> && !std::same_as<Value, double> && !std::same_as<Value, std::optional<double>>;

}  // namespace

template <class Value>
Option Command::value(const char* name, Value& into, const std::string& what) {
  CLI::Option* option = app_->add_option(name, into, what);
  if constexpr (kIsWhole<Value>) option->check(problem_of_whole_number);
  if constexpr (kIsText<Value>)
    if (option->nonpositional()) option->check(problem_of_text);
  return Option(option);
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

void Command::hidden() { app_->group(""); }

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
  if (option && std::find(known.begin(), known.end(), word) != known.end())
    return UnknownWord{
        .says = fmt::format("\"{}\" is an option of \"gauntlet {}\": write it after the command", word,
                            words_of(command) + "..."),
        .is_command = false};
  const auto begun = std::find_if(known.begin(), known.end(),
                                  [&](const std::string& name) { return name.starts_with(word); });
  const auto near = begun != known.end() ? std::optional(*begun) : nearest_name(word, known);
  return UnknownWord{.says = fmt::format("there is no {} \"{}\"{}", what, word,
                                         near ? fmt::format("; did you mean \"{}\"?", *near) : ""),
                     .is_command = !option};
}

/// The messages of CLI11 (CLI/Error.hpp) in plain words.
std::string plain(const std::string& message) {
  static const std::pair<std::regex, const char*> kWords[] = {
      {std::regex(R"(Could not convert: (\S+) = (.*))"), R"($1: "$2" is not a number)"},
      {std::regex(R"((\S+) requires (\S+))"), "$1 needs $2"},
      {std::regex(R"((\S+) excludes (\S+))"), "$1 and $2 exclude each other; leave one of them out"},
      {std::regex(R"((\S+): \d+ required .* missing)"), "$1 needs a value"},
      {std::regex("A subcommand is required"), "a command is missing"},
      {std::regex(R"((\S+) is required)"), "$1 is missing"}};
  for (const auto& [theirs, ours] : kWords)
    if (std::regex_match(message, theirs)) return std::regex_replace(message, theirs, ours);
  return message;
}

// Wrong arguments, or a request for help or the version. Help for an unknown command is a wrong argument.
int answer(const CLI::App& app, const CLI::ParseError& error) {
  const bool asked_for = error.get_exit_code() == 0;
  const std::optional<UnknownWord> unknown = unknown_word(app);
  if (!asked_for || (unknown && unknown->is_command)) {
    complain(unknown ? unknown->says : plain(error.what()));
    if (caller() == nullptr)
      complain(fmt::format("\"gauntlet {}--help\" lists what there is", words_of(innermost(app))));
    return kWrongInput;
  }
  std::ostringstream out, err;
  app.exit(error, out, err);
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

Command Program::command(const char* name, const char* what, const char* examples, AddOptions add_options) {
  Named& named = commands_.emplace_back(Named{{add(*app_, name, what, examples), &exit_code_}, add_options});
  named.command.app_->preparse_callback([&named](std::size_t) { named.add_options(named.command); });
  return named.command;
}

namespace {

/// "--out" of "--out=", an option whose value is empty: CLI11 would take the next word for it, also another option.
std::string_view option_without_value(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;  // operands follow
    if (word.starts_with("--") && word.find('=') == word.size() - 1) return word.substr(0, word.size() - 1);
  }
  return {};
}

}  // namespace

int Program::run(int argc, char** argv) {
  exit_code_ = kSuccess;
  if (const std::string_view option = option_without_value(argc, argv); !option.empty()) {
    complain(fmt::format("{} needs a value; write one, or leave the option out", option));
    return kWrongInput;
  }
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForAllHelp& asked) {
    for (Named& named : commands_)
      if (!named.command.app_->parsed()) named.add_options(named.command);
    return answer(*app_, asked);
  } catch (const CLI::ParseError& error) {
    return answer(*app_, error);
  }
  return exit_code_;
}

}  // namespace gauntlet
