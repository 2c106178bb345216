// What a user can try where the system refuses for want of something.
#pragma once

#include <cerrno>
#include <string>

namespace gauntlet {

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
