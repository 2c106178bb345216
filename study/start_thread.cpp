#include "study/start_thread.hpp"

#include "core/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace gauntlet {

void throw_no_thread(ThreadPlace place, const std::error_code& why) {
  const std::size_t had = std::max<std::size_t>(place.number - 1, 1);
  const Problem problem = {
      .file = "--threads",
      .what = std::to_string(place.wanted),
      .why = fmt::format("are more than can be started: thread {} failed: {}", place.number, why.message()),
      .suggestion = fmt::format("write --threads {}, or raise the limits on processes (ulimit -u) and on "
                                "memory (ulimit -v, ulimit -s)",
                                had)};
  throw std::runtime_error(problem.text());
}

}  // namespace gauntlet
