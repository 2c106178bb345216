#include "core/contract.hpp"

#include <cstdio>
#include <cstdlib>

namespace gauntlet {

void contract_broken(const char* kind, const char* what, const char* file, unsigned line,
                     const char* function) {
  std::fprintf(stderr, "gauntlet: bug: %s:%u: %s: %s broken: %s\n", file, line, function, kind, what);
  std::abort();
}

}  // namespace gauntlet
