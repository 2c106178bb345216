// How the policies and the simulator do against closed forms and against another simulator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// How a measured figure is held to what is expected of it.
enum class PolicyJudge : std::uint8_t {
  z,         // |measured - expected| / standard error stays below the limit
  relative,  // |measured / expected - 1| is at most the limit
  absolute,  // |measured - expected| is at most the limit
  none,      // shown, not judged
};
struct PolicyBound {
  PolicyJudge judge = PolicyJudge::z;
  double limit = 4;
};

struct PolicyCheck {
  std::string subject;      // "spares, S = 16, lognormal repair"
  std::string conventions;  // the clock and what else it holds for
  std::string figure;       // "share of the time that waits for a spare"
  std::string unit;         // of the figures; may be empty
  double expected = 0;
  std::string source;               // of what is expected
  std::optional<double> published;  // what was printed, where `expected` is a better value of the same figure
  std::uint32_t replicas = 0;
  std::optional<double> measured, error;  // the mean and its standard error; nothing where no replica was run
  PolicyBound bound;
  std::string problem;  // why there is nothing: the scenario does not load

  /// As the bound judges it; nothing where nothing was measured.
  std::optional<double> off() const;
  /// Whether it can fail. What is only shown neither holds nor fails, and is not counted; that it could not be measured is a
  /// failure of every figure.
  bool judged() const;
  bool holds() const;
  bool fails() const { return judged() && !holds(); }
};

struct PolicyValidation {
  std::string version;
  std::uint64_t seed = 0;
  bool quick = false;        // as few replicas as a test runs
  bool interrupted = false;  // checks that were not reached are not there
  std::vector<PolicyCheck> checks;
  bool holds() const;
};

std::string to_json(const PolicyValidation& result);

}  // namespace gauntlet
