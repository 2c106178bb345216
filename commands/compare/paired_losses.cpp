#include "commands/compare/paired_losses.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace gauntlet {
namespace {

void add_up_side(const LostTime& lost, std::span<const std::size_t> part_of, std::vector<double>& parts) {
  expect(lost.by_cell.size() == part_of.size(), "every cell has its seconds");
  std::ranges::fill(parts, 0.0);
  for (std::size_t i = 0; i < part_of.size(); ++i) parts[part_of[i]] += lost.by_cell[i];
}

double value(double lost, double over) { return Fraction{lost, over}.value().value_or(0); }

}  // namespace

LossPart cause_and_phase(const LossCell& cell) { return cell; }
LossPart cause_alone(const LossCell& cell) { return {cell.first, std::nullopt}; }
LossPart phase_alone(const LossCell& cell) { return {"", cell.second}; }
LossPart everything(const LossCell&) { return {"", std::nullopt}; }

LossDivision::LossDivision(const std::set<LossCell>& cells, LossPart (*part_of)(const LossCell&),
                           const PairedControls& controls) {
  std::map<LossPart, std::size_t> places;
  for (const LossCell& cell : cells) places.try_emplace(part_of(cell), 0);
  for (auto& [is, place] : places) {
    place = parts_.size();
    parts_.push_back({.is = is, .of = PairedStatistics(RunValue::amount, controls)});
  }
  for (const LossCell& cell : cells) part_of_.push_back(places.at(part_of(cell)));
  first_.resize(parts_.size());
  second_.resize(parts_.size());
}

void LossDivision::add_up(const LostTime& first, const LostTime& second) {
  add_up_side(first, part_of_, first_);
  add_up_side(second, part_of_, second_);
}

void LossDivision::add_mean(const LostTime& first, const LostTime& second) {
  add_up(first, second);
  for (std::size_t i = 0; i < parts_.size(); ++i)
    parts_[i].of.add_mean({first_[i], first.over}, {second_[i], second.over});
}

void LossDivision::add_scatter(const LostTime& first, const LostTime& second) {
  add_up(first, second);
  for (std::size_t i = 0; i < parts_.size(); ++i)
    parts_[i].of.add_scatter({first_[i], first.over}, {second_[i], second.over});
}

double LossDivision::distance(const LostTime& first, const LostTime& second) {
  add_up(first, second);
  double distance = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const double own = value(second_[i], second.over) - value(first_[i], first.over);
    distance += std::abs(own - (parts_[i].second() - parts_[i].first()));
  }
  return distance;
}

std::vector<LossDifference> LossDivision::differences() const {
  std::vector<LossDifference> out;
  for (const Part& part : parts_)
    out.push_back({.cause = part.is.first,
                   .phase = part.is.second,
                   .first = part.first(),
                   .second = part.second(),
                   .of = part.of.difference()});
  std::ranges::stable_sort(out, std::greater<>(), [](const LossDifference& each) {
    return std::abs(each.of.difference.value_or(0));
  });
  return out;
}

}  // namespace gauntlet
