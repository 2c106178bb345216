// From files to one tree: `extends`, the catalogue and --set.
#pragma once

#include "config/mistakes.hpp"
#include "config/value.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// The tree of a scenario file over those that it extends, with names from the catalogue replaced by their entries.
/// Nothing when a file, or one that it extends, cannot be read: what is missing without it would be no mistake of anyone's.
struct Assembled {
  std::optional<Value> tree;
  std::filesystem::path beside;  // where relative paths in --set start
  std::uint32_t layers = 0;      // that the tree lies in
};

Assembled assemble_file(const std::filesystem::path& path, Mistakes& mistakes);
/// The same of a text. Relative paths in it start at the working directory.
Assembled assemble_text(std::string_view text, const std::string& name, Mistakes& mistakes);

/// Lays "path=value" over a tree, the later over the earlier; nothing where there is no tree.
void lay_sets_over(Assembled& assembled, std::span<const std::string> sets, Mistakes& mistakes);

}  // namespace gauntlet
