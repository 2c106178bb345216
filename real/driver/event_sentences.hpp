// Events of a drill's log as sentences.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {

/// Feed it the lines of a log from the first: a signal is named where its watch is ordered.
class EventSentences {
 public:
  /// Keeps no more than the last `most` sentences.
  explicit EventSentences(std::size_t most) : most_(most) {}

  /// A line of JSON. What is not an event, and what nobody waits for, such as timers and watches, leaves no sentence.
  void add(const std::string& line);
  /// "6.037s  The policy stops the job (fault)"
  const std::vector<std::string>& sentences() const { return sentences_; }

 private:
  std::size_t most_;
  std::map<long, std::string> signals_;  // by watch; the last that was ordered under its number
  std::map<long, std::string> orders_;   // their kinds, until they are answered
  std::vector<std::string> sentences_;
};

}  // namespace gauntlet
