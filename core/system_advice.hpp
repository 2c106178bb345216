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

/// "; raise the limit ..." by the errno of the call that failed; empty where nothing is known to help.
inline std::string system_advice(int error) {
  switch (error) {
    case EAGAIN:
      return "; end other programs, or raise the limit on processes (ulimit -u)";
    case EMFILE:
    case ENFILE:
      return "; raise the limit on open files (ulimit -n)";
    case ENOMEM:
      return "; free memory, or raise the limit on it (ulimit -v)";
    case ENOSPC:
    case EDQUOT:
      return "; free space there";
    case EFBIG:
      return "; raise the limit on the size of files (ulimit -f)";
    default:
      return "";
  }
}

}  // namespace gauntlet
