// The labels of the reports, and the words for phases and causes: the texts that no other list has.
#pragma once

#include <span>
#include <string_view>

namespace gauntlet {

/// What a report prints beside or above its numbers.
struct LabelWords {
  std::string_view name;      // as it is printed, without unit; TIME, NAME and N stand for what differs
  std::string_view metric;    // not empty: the metric that it shows, which has the meaning
  std::string_view meaning;   // empty where the metric says all
  std::string_view see = {};  // names of other words, separated by "; "
};
std::span<const LabelWords> label_words();

/// By Phase (score/figures.hpp): what the job does.
std::span<const std::string_view> phase_words();
/// By Cause, those without a fault.
std::span<const std::string_view> cause_words();

}  // namespace gauntlet
