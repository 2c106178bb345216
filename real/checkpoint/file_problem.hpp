// Why a file of a checkpoint could not be written or read, as a problem that says what helps.
#pragma once

#include "core/problem.hpp"

#include <string>

namespace gauntlet {

inline constexpr int kNotRegular = -1;  // beside every errno

/// `what` failed for `path`, with the system's reason for `error`: an errno, or kNotRegular.
Problem file_problem(const std::string& path, const std::string& what, int error);

}  // namespace gauntlet
