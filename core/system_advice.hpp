// What the system says to a call that failed, and what a user can try where it refuses for want of something.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace gauntlet {

/// What the system says to an errno. "File too large" is not about the file, but about the limit.
inline std::string system_message(int error) {
  return error == EFBIG ? "the limit on the size of files (ulimit -f) is reached"
                        : std::generic_category().message(error);
}

/// "raise the limit ..." by the errno of the call that failed; `otherwise` where nothing is known to help.
inline std::string system_advice(int error, const char* otherwise = "") {
  switch (error) {
    case EAGAIN:
      return "end other programs, or raise the limit on processes (ulimit -u)";
    case EMFILE:
    case ENFILE:
      return "raise the limit on open files (ulimit -n)";
    case ENOMEM:
      return "free memory, or raise the limit on it (ulimit -v)";
    case ENOSPC:
    case EDQUOT:
      return "free space there";
    case EFBIG:
      return "raise that limit (ulimit -f unlimited)";  // system_message() names it
    default:
      return otherwise;
  }
}

/// What the system says, and what helps: "Too many open files; raise the limit ...".
inline std::string system_message_with_advice(int error) {
  const std::string advice = system_advice(error);
  return system_message(error) + (advice.empty() ? "" : "; " + advice);
}

}  // namespace gauntlet
