#include "commands/validate/oracles/oracle.hpp"

#include <iterator>

namespace gauntlet {

std::vector<Oracle> policy_oracles() {
  std::vector<Oracle> all;
  for (const auto of : {interval_oracles, two_level_oracles, spares_oracles, birth_death_oracles,
                        peer_memory_oracles, renewal_oracles}) {
    std::vector<Oracle> some = of();
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return all;
}

}  // namespace gauntlet
