// Text that nobody can guess, of the system's random bits.
#pragma once

#include <cstddef>
#include <string>

namespace gauntlet {

/// So many hexadecimal digits. Throws std::runtime_error.
std::string random_digits(std::size_t count);

}  // namespace gauntlet
