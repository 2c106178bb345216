#include "config/toml/mistakes.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gauntlet {
namespace {

bool is_inside(std::string_view path, std::string_view outer) {
  return outer.empty() || path == outer ||
         (path.size() > outer.size() && path.starts_with(outer) &&
          (path[outer.size()] == '.' || path[outer.size()] == '['));
}

Problem problem_at(const Origin& at, std::string what, std::string why, std::string suggestion) {
  Problem problem;
  problem.what = std::move(what);
  problem.why = std::move(why);
  problem.suggestion = std::move(suggestion);
  if (at.kind == Origin::Kind::command_line) {
    problem.file = kCommandLine;
  } else if (at.file) {
    problem.file = *at.file;
    problem.line = at.line;
    problem.column = at.column;
  }
  return problem;
}

}  // namespace

void Mistakes::add(const Origin& at, std::string_view path, std::string what, std::string why,
                   std::string suggestion) {
  if (spoilt_.contains(path)) return;
  mistaken_.emplace(path);
  Problem problem = problem_at(at, std::move(what), std::move(why), std::move(suggestion));
  const std::string place =
      problem.file + ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column);
  if (places_.emplace(place + " " + std::string(path)).second) problems_.push_back(std::move(problem));
}

void Mistakes::warn(const Origin& at, std::string what, std::string why, std::string suggestion) {
  warnings_.push_back(problem_at(at, std::move(what), std::move(why), std::move(suggestion)));
}

void Mistakes::add(Problem problem) {
  const std::string text = problem.text();
  const bool known =
      std::any_of(problems_.begin(), problems_.end(), [&](const Problem& p) { return p.text() == text; });
  if (!known) problems_.push_back(std::move(problem));
}

bool Mistakes::sound(std::string_view path) const {
  const auto touches = [&](const std::string& wrong) {
    return is_inside(path, wrong) || is_inside(wrong, path);
  };
  return std::none_of(mistaken_.begin(), mistaken_.end(), touches) &&
         std::none_of(spoilt_.begin(), spoilt_.end(), touches);
}

std::vector<Problem> Mistakes::in_order(std::string_view main_file) const {
  std::vector<Problem> sorted = problems_;
  const auto rank = [&](const Problem& p) {
    return p.file == main_file ? 0 : p.file == kCommandLine ? 2 : 1;
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Problem& a, const Problem& b) {
    return std::tuple(rank(a), std::string_view(a.file), a.line, a.column) <
           std::tuple(rank(b), std::string_view(b.file), b.line, b.column);
  });
  return sorted;
}

}  // namespace gauntlet
