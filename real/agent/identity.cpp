#include "real/agent/identity.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace gauntlet {
namespace {

constexpr std::size_t kLongest = 253;  // of a pod's name (RFC 1123)

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char each) { return each > ' ' && each < 0x7f; });
}

std::optional<std::string> word_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && is_word(value) ? std::optional<std::string>(value) : std::nullopt;
}

std::string machine_name() {
  char name[kLongest + 1] = {};
  return ::gethostname(name, kLongest) == 0 && is_word(name) ? name : "";
}

}  // namespace

HostIdentity own_identity(const std::string& address) {
  return {.address = word_of("POD_IP").value_or(address),
          .pod = word_of("POD_NAME").value_or(machine_name())};
}

}  // namespace gauntlet
