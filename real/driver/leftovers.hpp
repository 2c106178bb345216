// What drills leave in the place of temporary files when their drivers are killed.
#pragma once

#include <string>
#include <vector>

namespace gauntlet {

/// A path for the recording of a drill that nobody asked to keep, in a new directory of its own below drill_base(), whose name nobody can
/// know before. Throws std::runtime_error.
std::string new_temporary_record();

/// Removes the directories of drills without --record whose drivers are dead: nobody can continue them. They are this user's, have the
/// names and modes of such directories, and their locks are free: a driver holds that of its state, and agents and the keeper of a lab
/// hold theirs while they live. What is still held is left to the next call. Returns what was removed. What cannot be removed stays.
std::vector<std::string> remove_leftovers(const std::string& base);

}  // namespace gauntlet
