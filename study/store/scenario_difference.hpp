// What sets two scenarios in TOML apart, in words.
#pragma once

#include <string>
#include <string_view>

namespace gauntlet {

/// The first field that differs, both texts being as `show` writes them: "checkpoint.interval = 10min in the store, 5min
/// now"; empty where all fields are the same.
std::string first_difference(std::string_view in_store, std::string_view now);

}  // namespace gauntlet
