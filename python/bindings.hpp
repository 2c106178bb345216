// The parts of the module `_gauntlet`: plain values and NumPy arrays. The package `gauntlet` beside it makes frames of them.
#pragma once

#include "core/problem.hpp"

#include <pybind11/pybind11.h>

#include <span>

namespace gauntlet {

/// (file, line, column, what, why, suggestion, text) of each.
pybind11::list problem_tuples(std::span<const Problem> problems);

void bind_scenarios(pybind11::module_& module);
void bind_calls(pybind11::module_& module);
void bind_stores(pybind11::module_& module);
void bind_recordings(pybind11::module_& module);

}  // namespace gauntlet
