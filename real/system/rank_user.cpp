#include "real/system/rank_user.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace gauntlet {
namespace {

struct UserEntry {
  bool found = false;
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// By name, or by number.
UserEntry entry_of(const std::string& name) {
  std::vector<char> space(16'384);
  passwd entry{};
  passwd* found = nullptr;
  ::getpwnam_r(name.c_str(), &entry, space.data(), space.size(), &found);
  uid_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (found == nullptr && error == std::errc() && end == name.data() + name.size())
    ::getpwuid_r(number, &entry, space.data(), space.size(), &found);
  if (found == nullptr) return {};
  return {.found = true, .name = entry.pw_name, .uid = entry.pw_uid, .gid = entry.pw_gid};
}

std::vector<gid_t> groups_of(const UserEntry& user) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  while (::getgrouplist(user.name.c_str(), user.gid, groups.data(), &count) < 0)
    groups.resize(static_cast<std::size_t>(std::max(count, 0)) + groups.size());
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

std::runtime_error refused(const std::string& path, const RankUser& user, int error) {
  return std::runtime_error(path + ": cannot be given to user " + user.name + ": " +
                            std::generic_category().message(error));
}

}  // namespace

std::optional<Problem> find_rank_user(const std::string& name, uid_t own, std::optional<RankUser>& out) {
  out.reset();
  const auto problem = [](const std::string& what, const std::string& why, const std::string& suggestion) {
    return Problem{.what = what, .why = why, .suggestion = suggestion};
  };
  if (name.empty()) {
    if (own != 0) return std::nullopt;
    return problem("--run-as", "is missing: root does not run the job as root unless it says so",
                   "write --run-as USER, such as --run-as nobody; --run-as root for root itself");
  }
  const UserEntry user = entry_of(name);
  const std::string what = "--run-as " + name;
  if (!user.found) return problem(what, "is not a user of this machine", "`getent passwd` lists them");
  if (user.uid == own) return std::nullopt;
  if (own != 0)
    return problem(what, "is another user, and only root can start processes as another user",
                   "leave it out, or start as root");
  out = RankUser{.name = user.name, .uid = user.uid, .gid = user.gid, .groups = groups_of(user)};
  return std::nullopt;
}

std::string name_of(const std::optional<RankUser>& user) {
  if (user) return user->name;
  const std::string number = std::to_string(::geteuid());
  const UserEntry own = entry_of(number);
  return own.found ? own.name : number;
}

bool become_user(const RankUser& user) {
  // The library's functions of these names change all threads, by means that a child of a process with threads lacks.
  return ::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) == 0 &&
         ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) == 0 &&
         ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) == 0;
}

int error_of_access(const RankUser& user, const std::string& path, int mode) {
  const pid_t child = ::_Fork();
  if (child == 0) {
    if (!become_user(user)) ::_exit(errno);
    ::_exit(::access(path.c_str(), mode) == 0 ? 0 : errno);
  }
  if (child < 0) return errno;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

std::string closed_folder(const RankUser& user, const std::string& directory) {
  std::filesystem::path folder;
  for (const auto& part : std::filesystem::absolute(directory)) {
    folder /= part;
    if (error_of_access(user, folder.string(), X_OK) != 0) return folder.string();
  }
  return "";
}

void let_pass(const RankUser& user, const std::string& directory) {
  if (::chown(directory.c_str(), static_cast<uid_t>(-1), user.gid) != 0 ||
      ::chmod(directory.c_str(), 0710) != 0)
    throw refused(directory, user, errno);
}

void give_to(const RankUser& user, const std::string& path) {
  if (::lchown(path.c_str(), user.uid, user.gid) != 0) throw refused(path, user, errno);
}

}  // namespace gauntlet
