#include "real/driver/random_digits.hpp"

#include <sys/random.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace gauntlet {

std::string random_digits(std::size_t count) {
  std::string digits(count, '0');
  if (::getrandom(digits.data(), count, 0) != static_cast<ssize_t>(count))
    throw std::runtime_error("no random bits: " + std::generic_category().message(errno));
  for (char& each : digits) each = "0123456789abcdef"[each & 15];
  return digits;
}

}  // namespace gauntlet
