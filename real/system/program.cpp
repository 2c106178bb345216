#include "real/system/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gauntlet {
namespace {

/// 0, or the error of starting that file.
int problem_of_program(const std::string& path, const std::optional<RankUser>& user) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return errno;
  if (S_ISDIR(found.st_mode)) return EISDIR;
  if (user) return error_of_access(*user, path, X_OK);
  // Of this user: a drill as root may start what has no bit for anybody to execute otherwise.
  const bool executable = (found.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
  return executable && ::access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
}

std::string in_directory(const std::string& directory, const std::string& path) {
  return path.starts_with('/') || directory.empty() ? path : directory + "/" + path;
}

}  // namespace

FoundProgram find_program(const std::string& name, const std::string& directory,
                          std::string_view path_variable, const std::optional<RankUser>& user) {
  const auto why = [&user](int error) {
    const std::string whom = user ? " for user " + user->name : "";
    return error == EACCES ? "is not executable" + whom : std::string(std::strerror(error));
  };
  if (name.find('/') != std::string::npos) {
    const std::string path = in_directory(directory, name);
    const int error = problem_of_program(path, user);
    return error == 0 ? FoundProgram{path, ""} : FoundProgram{"", path + ": " + why(error)};
  }
  int worst = ENOENT;
  while (!path_variable.empty()) {
    const std::size_t end = std::min(path_variable.find(':'), path_variable.size());
    const std::string folder(path_variable.substr(0, end));
    path_variable.remove_prefix(std::min(end + 1, path_variable.size()));
    const std::string path = in_directory(directory, (folder.empty() ? "." : folder) + "/" + name);
    const int error = problem_of_program(path, user);
    if (error == 0) return {path, ""};
    if (error == EACCES) worst = EACCES;
  }
  if (worst == EACCES) return {"", name + ": is in PATH and " + why(EACCES)};
  return {"", name + ": is in no directory of PATH"};
}

}  // namespace gauntlet
