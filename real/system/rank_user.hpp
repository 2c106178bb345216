// The user that ranks run as (--run-as). Root starts ranks as somebody else; whoever is not root starts them as himself.
#pragma once

#include "core/problem.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// A user whose processes a process of root starts.
struct RankUser {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // all of them, as the system's databases have it
};

/// The user of `--run-as NAME` for a process of user `own`; nothing where ranks run as `own`. An empty name: it was not
/// given. Root must give it: ranks run as root only where it names root.
std::optional<Problem> find_rank_user(const std::string& name, uid_t own, std::optional<RankUser>& out);

/// The name of that user, or of this process's own; its number where it has no name.
std::string name_of(const std::optional<RankUser>& user);

/// Turns the calling process, which is root's and has one thread, into one of the user, for good. Calls nothing that is
/// unsafe between fork and exec. False, with errno, where the system refuses.
bool become_user(const RankUser& user);

/// 0, or the error of access(2) with this mode for a process of that user.
int error_of_access(const RankUser& user, const std::string& path, int mode);
/// Of the folders that lead to the path: the first that the user cannot pass through, or the path itself; else empty.
std::string closed_folder(const RankUser& user, const std::string& directory);

/// Lets the user's group, and nobody else, pass through a directory of ours (mode 0710). Throws std::runtime_error.
void let_pass(const RankUser& user, const std::string& directory);
/// Makes the file, directory or socket the user's. Throws std::runtime_error.
void give_to(const RankUser& user, const std::string& path);

}  // namespace gauntlet
