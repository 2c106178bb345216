// How regular expressions read what ranks print.
#pragma once

#include <re2/re2.h>

#include <cstdint>

namespace gauntlet {

inline re2::RE2::Options expression_options() {
  constexpr std::int64_t kBytes =
      8 << 20;  // one that needs more memory is slower on long lines, and still right
  re2::RE2::Options options(re2::RE2::Latin1);  // what ranks print need not be UTF-8
  options.set_log_errors(false);
  options.set_max_mem(kBytes);
  return options;
}

}  // namespace gauntlet
