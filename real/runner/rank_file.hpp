// A file that a rank writes. Its folder is the rank's, so anything may lie there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace gauntlet {

/// Its first `most` bytes. Nothing where there is no plain file of that name: nothing else is waited for, and no link is followed.
std::optional<std::string> read_rank_file(const std::string& path, std::size_t most);

}  // namespace gauntlet
