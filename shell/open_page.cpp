#include "shell/open_page.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace gauntlet {

std::optional<Problem> open_page(const std::string& path) {
  std::string program = "xdg-open";
  std::string file = std::filesystem::absolute(path).string();  // it may begin with a dash
  const std::array<char*, 3> words = {program.data(), file.data(), nullptr};
  const auto problem = [&](std::string why) {
    return Problem{.file = path,
                   .why = "is written, and no browser opened it: " + std::move(why),
                   .suggestion = "open it in a browser yourself"};
  };
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ); error != 0)
    return problem(fmt::format("xdg-open did not start: {}", std::strerror(error)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return problem(std::strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return problem("xdg-open failed");
}

}  // namespace gauntlet
