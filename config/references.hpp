// The places of a scenario that the merging of its layers must know: names of catalogue entries, and distributions.
#pragma once

#include <string>
#include <vector>

namespace gauntlet {

struct CatalogueReference {
  std::string path;    // "cluster.hardware"
  std::string folder;  // "hardware", under scenarios/catalog
};

/// All of them, from the description.
const std::vector<CatalogueReference>& catalogue_references();

/// The paths that may hold a distribution: "repair.time", "faults.*.law" (of every entry).
const std::vector<std::string>& law_paths();

}  // namespace gauntlet
