// The name that was probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// The known name that takes the fewest edits (insert, delete, replace, swap neighbours; capitals do not count) to reach from
/// `given`; none where every one takes more than a third of its letters (at least two), but then a name that `given` begins
/// with at least four letters. The first of equally near ones.
std::optional<std::string> nearest_name(std::string_view given, std::span<const std::string> known);

/// What to try in place of an unknown name: `did you mean "hosts"? known are "hardware", "hosts"`.
std::string suggest_names(std::string_view given, std::span<const std::string> known);

std::vector<std::string> to_strings(std::span<const std::string_view> names);

}  // namespace gauntlet
