// From files to one tree: `extends`, the catalogue and --set.
#pragma once

#include "config/fault_models.hpp"
#include "config/toml/mistakes.hpp"
#include "config/toml/value.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
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
  std::shared_ptr<FaultModels> models;
};

Assembled assemble_file(const std::filesystem::path& path, Mistakes& mistakes);
/// The same of a text. Relative paths in it start at the working directory.
Assembled assemble_text(std::string_view text, const std::string& name, Mistakes& mistakes);

/// Lays "path=value" over a tree, the later over the earlier; nothing where there is no tree.
void lay_sets_over(Assembled& assembled, std::span<const std::string> sets, Mistakes& mistakes);

/// Lays the faults, once all --set are there, over the values of the models that they name.
void lay_over_fault_models(Assembled& assembled, Mistakes& mistakes);

}  // namespace gauntlet
