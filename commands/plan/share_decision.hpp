// Whether enough of the runs of a variant are done by the date, decided by as few of them as tell it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace gauntlet {

/// Of runs that are done by the date.
struct EstimatedShare {
  double value = 0;
  double error = 0;  // its standard error
};

struct ShareTerms {
  double asked = 0.95;
  std::uint32_t first_look = 64;  // runs of the first look
  std::uint32_t deciding = 200;   // runs that decide where no look did
  std::uint32_t most = 400;       // runs at most where those leave a doubt
  bool quick = true;              // a look before the first one drops what is far too late
  bool checked = true;            // other runs check what seems enough
};

/// Of the first so many runs; nothing where the study was stopped.
using ShareOfFirst = std::function<std::optional<EstimatedShare>(std::uint32_t)>;

struct ShareDecision {
  bool enough = false;
  std::uint32_t runs = 0;  // that it took
};

/// Whether the share is at least the asked one plus one standard error. The margin is needed because the smallest of many variants that seem
/// enough is a lucky one. Looks at fewer runs reject a variant where they leave next to no doubt. They let one pass more easily where other runs
/// check it. A share between the asked one and the margin is in doubt. It gets twice as many runs, again and again up to `most`: on a plateau
/// just above the asked share, one unlucky rejection would send a bisection far beyond the least that is enough.
/// `looked`: what looks see; `share`: what decides.
ShareDecision decide_share(const ShareTerms& terms, const ShareOfFirst& looked, const ShareOfFirst& share);

}  // namespace gauntlet
