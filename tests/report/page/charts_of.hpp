// The charts of a page, for tests.
#pragma once

#include "report/page/page.hpp"

#include <variant>
#include <vector>

namespace gauntlet {

/// Those of one kind, in their order.
template <class Kind>
std::vector<Kind> charts_of(const Page& page) {
  std::vector<Kind> all;
  for (const Section& section : page.sections)
    for (const Block& block : section.blocks)
      if (const Chart* chart = std::get_if<Chart>(&block))
        if (const Kind* kind = std::get_if<Kind>(chart)) all.push_back(*kind);
  return all;
}

}  // namespace gauntlet
