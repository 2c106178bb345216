// Options of commands: a facade over CLI11, which of all rooms only options.cpp includes. A command declares each option once.
#pragma once

#include "core/contract.hpp"

#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gauntlet {

/// One option of a command.
class Option {
 public:
  Option& type_name(const char* name);
  Option& required();
  Option& shows_default();
  /// One value each time it is given, so that a scenario may follow: `--set a=1 x.toml`.
  Option& one_value_each();
  /// Several values in one word.
  Option& separated_by(char separator);
  Option& one_of(const std::vector<std::string>& words);
  template <std::integral Number>
  Option& between(Number least, Number most) {
    expect(least >= 0, "the bounds of a whole number are not negative");
    return between_whole(static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most));
  }
  Option& between(double least, double most);
  /// `problem_of`: what is wrong with a word, or nothing.
  Option& check(const std::function<std::string(const std::string&)>& problem_of);
  Option& needs(const Option& other);
  Option& excludes(const Option& other);

 private:
  friend class Command;
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& between_whole(std::uint64_t least, std::uint64_t most);
  CLI::Option* option_;
};

/// A command of the command line: its options, and the function that runs it.
class Command {
 public:
  /// `examples`: two spaces before each, a newline between two.
  Command subcommand(const char* name, const char* what, const char* examples);
  void requires_subcommand();

  /// `into` keeps its value where the option is not given. It must live until the command has run.
  /// `Value` is std::string, std::uint32_t, std::uint64_t or double, an optional of one of these, or a vector of strings.
  template <class Value>
  Option value(const char* name, Value& into, const std::string& what);
  Option flag(const char* name, bool& into, const std::string& what);

  /// What the command does; it gives the exit code (shell/exit_code.hpp).
  void runs(std::function<int()> run);
  /// No help lists it: the program calls itself so.
  void hidden();

 private:
  friend class Program;
  Command(CLI::App* app, int* exit_code) : app_(app), exit_code_(exit_code) {}
  CLI::App* app_;
  int* exit_code_;
};

/// The commands of the program, and the messages about unknown words.
class Program {
 public:
  /// `footer` follows the help.
  Program(const std::string& name, const std::string& question, const std::string& version,
          const std::string& footer);
  ~Program();

  /// `add_options` is called only where the arguments name the command, or ask for the help of all: a short run takes less time
  /// than CLI11 takes for the options of every command.
  using AddOptions = void (*)(Command&);
  Command command(const char* name, const char* what, const char* examples, AddOptions add_options);
  /// Reads the arguments, runs the command that they name, and gives its exit code.
  int run(int argc, char** argv);

 private:
  struct Named {
    Command command;
    AddOptions add_options;
  };

  std::unique_ptr<CLI::App> app_;
  std::deque<Named> commands_;
  int exit_code_ = 0;
};

}  // namespace gauntlet
