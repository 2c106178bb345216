// Small worlds for tests that cross rooms.
#pragma once

#include "commands/validate/oracles/one_fault.hpp"
