// Slow cards and memory nodes that were planted in a mesh are found, and nothing else.
#include "real/probes/mesh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

constexpr double kLine = 0.75;

std::string card(int number) { return "card " + std::to_string(number); }
std::string node(int number) { return "node " + std::to_string(number); }

/// Each card sends to each, itself too, from each memory node, at 50 GB/s or as fast as the slowest part of the path.
std::vector<MeshPath> mesh(int cards, int nodes, const std::map<std::string, double>& slow) {
  std::vector<MeshPath> paths;
  for (int from = 0; from < cards; ++from)
    for (int to = 0; to < cards; ++to)
      for (int of = 0; of < nodes; ++of) {
        MeshPath path{.kind = from == to ? "itself" : "another", .rate = 50, .parts = {card(from), node(of)}};
        if (from != to) path.parts.push_back(card(to));
        for (const std::string& part : path.parts)
          if (const auto found = slow.find(part); found != slow.end())
            path.rate = std::min(path.rate, 50 * found->second);
        paths.push_back(path);
      }
  return paths;
}

std::set<std::string> slow_parts(const std::vector<MeshPath>& paths) {
  std::set<std::string> slow;
  for (const auto& [part, speed] : speeds_of_parts(paths))
    if (speed < kLine) slow.insert(part);
  return slow;
}

TEST(Mesh, NothingIsSlowWhereAllPathsAreAlike) {
  EXPECT_THAT(slow_parts({}), IsEmpty());
  EXPECT_THAT(slow_parts(mesh(4, 2, {})), IsEmpty());
  EXPECT_THAT(unexplained_paths(mesh(4, 2, {}), kLine), IsEmpty());
}

TEST(Mesh, ACardOfTwoIsFoundByThePathToItself) {
  const std::vector<MeshPath> paths =
      mesh(2, 1, {{card(1), 0.4}});  // three paths of four, and each between the cards
  EXPECT_THAT(slow_parts(paths), ElementsAre(card(1)));
  EXPECT_DOUBLE_EQ(speeds_of_parts(paths).at(card(1)), 0.4);
  EXPECT_THAT(unexplained_paths(paths, kLine), IsEmpty());
}

TEST(Mesh, WhatCannotBeComparedIsNoPart) {
  EXPECT_THAT(speeds_of_parts(mesh(1, 1, {})), IsEmpty());
  std::vector<MeshPath> paths = mesh(3, 1, {});
  EXPECT_THAT(speeds_of_parts(paths), Not(Contains(Key(node(0))))) << "the only one";
  paths.push_back({.kind = "itself, at half the speed", .rate = 25, .parts = {card(3), node(0)}});
  EXPECT_THAT(speeds_of_parts(paths), Not(Contains(Key(card(3))))) << "the only one of its speed";
  EXPECT_THAT(slow_parts(paths), IsEmpty());
}

TEST(Mesh, NoPartIsBlamedForOnePath) {
  std::vector<MeshPath> paths = mesh(3, 1, {});
  paths[1].rate = 20;
  EXPECT_THAT(slow_parts(paths), IsEmpty());
  EXPECT_THAT(unexplained_paths(paths, kLine), ElementsAre(1U));
}

/// Any number of slow parts, where two cards and two nodes are not.
RC_GTEST_PROP(Mesh, PlantedPartsAreFoundAndNothingElse, ()) {
  const int cards = *rc::gen::inRange(2, 9), nodes = *rc::gen::inRange(2, 5);
  std::map<std::string, double> planted;
  for (int i = 0; i < cards - 2; ++i)
    if (*rc::gen::arbitrary<bool>()) planted[card(i)] = *rc::gen::inRange(10, 70) / 100.0;
  for (int i = 0; i < nodes - 2; ++i)
    if (*rc::gen::arbitrary<bool>()) planted[node(i)] = *rc::gen::inRange(10, 70) / 100.0;
  std::vector<MeshPath> paths = mesh(cards, nodes, planted);
  for (MeshPath& path : paths) path.rate *= 1 - *rc::gen::inRange(0, 60) / 1000.0;
  std::set<std::string> parts;
  for (const auto& [part, speed] : planted) parts.insert(part);
  RC_ASSERT(slow_parts(paths) == parts);
  RC_ASSERT(unexplained_paths(paths, kLine).empty());
}

}  // namespace
}  // namespace gauntlet
