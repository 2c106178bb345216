// Which parts of a mesh are slow, from how fast data go over its paths. Pure functions.
//
// A path is as fast as the slowest part that it passes. So a part is to blame where every path over it is slower than like paths without it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {

struct MeshPath {
  std::string kind;  // only paths of one kind are compared
  double rate = 0;
  std::vector<std::string> parts;  // that it passes: cards, memory nodes
};

/// By part: the best of its paths, each as a share of the fastest path of the same kind that does not pass the part. A part of which no path can
/// be compared is not in it: nothing says how fast it is.
std::map<std::string, double> speeds_of_parts(const std::vector<MeshPath>& paths);

/// The paths that are slower than `line`, as a share of the fastest of their kind, although each of their parts is fast, or unknown: nothing
/// explains them. By their places.
std::vector<std::size_t> unexplained_paths(const std::vector<MeshPath>& paths, double line);

}  // namespace gauntlet
