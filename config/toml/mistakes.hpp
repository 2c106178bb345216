// The mistakes of a scenario, collected while it is read, so that all of them are reported at once.
#pragma once

#include "config/toml/value.hpp"
#include "core/problem.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

class Mistakes {
 public:
  /// `path`: what is wrong, such as "job.layout.tp". One message for one place: the first says enough.
  void add(const Origin& at, std::string_view path, std::string what, std::string why,
           std::string suggestion);
  /// About no path of the scenario: a file that cannot be read.
  void add(Problem problem);
  /// What is allowed, and has a consequence that is seldom meant.
  void warn(const Origin& at, std::string what, std::string why, std::string suggestion);
  /// Nothing more will be reported about `path`, and nothing that follows from it.
  void spoil(std::string_view path) { spoilt_.emplace(path); }

  /// Nothing is wrong with the value at `path`, with what it is part of, or with a part of it.
  bool sound(std::string_view path) const;
  bool none() const { return problems_.empty(); }

  /// By position: those of `main_file` first, then other files by name, then --set.
  std::vector<Problem> in_order(std::string_view main_file) const;
  const std::vector<Problem>& warnings() const { return warnings_; }

 private:
  std::vector<Problem> problems_, warnings_;
  std::set<std::string, std::less<>> mistaken_;  // paths that a problem is about
  std::set<std::string, std::less<>> spoilt_;    // paths that another problem explains
  std::set<std::string, std::less<>> places_;    // paths with their positions
};

/// How a problem names --set as its place.
inline constexpr std::string_view kCommandLine = "--set";

}  // namespace gauntlet
