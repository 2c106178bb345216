#include "real/checkpoint/file_problem.hpp"

#include <cerrno>
#include <system_error>

namespace gauntlet {
namespace {

std::string suggestion_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space there, or name another directory";
    case EROFS:
    case EACCES:
    case EPERM:
      return "let this user write there, or name another directory";
    case ENOENT:
    case ENOTDIR:
      return "create it, or name another directory";
    default:
      return {};
  }
}

}  // namespace

Problem file_problem(const std::string& path, const std::string& what, int error) {
  return {
      .file = path,
      .what = what,
      .why = "(" +
             (error == kNotRegular ? "it is not a regular file" : std::generic_category().message(error)) +
             ")",
      .suggestion = suggestion_for(error)};
}

}  // namespace gauntlet
