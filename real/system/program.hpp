// The program that a command names, as execvp(3) would find it.
#pragma once

#include "real/system/rank_user.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

struct FoundProgram {
  std::string path;  // empty where there is none
  std::string why;   // then
};

/// `name` with a slash is a path, relative to `directory`; else the first executable file of that name in the directories of
/// `path_variable`. Executable by `user`, or by this process's own.
FoundProgram find_program(const std::string& name, const std::string& directory,
                          std::string_view path_variable, const std::optional<RankUser>& user = std::nullopt);

}  // namespace gauntlet
