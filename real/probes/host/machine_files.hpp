// The small text files in which Linux describes a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// The first line, without its newline; nothing where the file cannot be read.
std::optional<std::string> first_line(const std::string& path);
std::optional<std::string> whole_text(const std::string& path);
std::optional<std::int64_t> whole_number_in(const std::string& path);
/// "32768K", "1024" or "32M", in bytes.
std::optional<std::uint64_t> size_of_text(std::string_view text);
/// "0-3,8" as 0, 1, 2, 3, 8. What is not a number is left out.
std::vector<int> listed_numbers(std::string_view list);

/// How much memory programs can get without swapping (MemAvailable of /proc/meminfo), in bytes.
std::optional<std::uint64_t> available_memory(const std::string& root);

}  // namespace gauntlet
