#include "real/probes/mesh.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

bool passes(const MeshPath& path, const std::string& part) {
  return std::find(path.parts.begin(), path.parts.end(), part) != path.parts.end();
}

/// Of the paths of that kind; without those that pass `without`, if that is given. 0: there is none.
double fastest(const std::vector<MeshPath>& paths, const std::string& kind, const std::string& without) {
  double best = 0;
  for (const MeshPath& path : paths)
    if (path.kind == kind && (without.empty() || !passes(path, without))) best = std::max(best, path.rate);
  return best;
}

}  // namespace

std::map<std::string, double> speeds_of_parts(const std::vector<MeshPath>& paths) {
  std::map<std::string, double> speeds;
  for (const MeshPath& path : paths)
    for (const std::string& part : path.parts)
      if (const double others = fastest(paths, path.kind, part); others > 0) {
        double& speed = speeds[part];
        speed = std::max(speed, path.rate / others);
      }
  return speeds;
}

std::vector<std::size_t> unexplained_paths(const std::vector<MeshPath>& paths, double line) {
  const std::map<std::string, double> speeds = speeds_of_parts(paths);
  std::vector<std::size_t> unexplained;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto slow = [&](const std::string& part) {
      const auto found = speeds.find(part);
      return found != speeds.end() && found->second < line;
    };
    if (paths[i].rate < line * fastest(paths, paths[i].kind, "") &&
        std::none_of(paths[i].parts.begin(), paths[i].parts.end(), slow))
      unexplained.push_back(i);
  }
  return unexplained;
}

}  // namespace gauntlet
