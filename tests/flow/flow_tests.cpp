#include "tests/flow/flow_tests.hpp"

namespace gauntlet {

FlowProgram built_program() {
#ifdef GAUNTLET_FLOW
  return {.path = GAUNTLET_FLOW};
#else
  return {.path = ""};
#endif
}

}  // namespace gauntlet
