// Small worlds for tests that cross rooms.
#pragma once

#include "study/oracles/one_fault.hpp"
