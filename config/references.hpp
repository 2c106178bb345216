// The places of a scenario that may name an entry of the catalogue.
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

}  // namespace gauntlet
