#include "real/probes/command_probe.hpp"

#include "real/system/command_run.hpp"

#include <re2/re2.h>

#include <cmath>

namespace gauntlet {

std::vector<double> metrics_in(const std::string& output, const std::string& expression) {
  re2::RE2::Options options(re2::RE2::Latin1);  // what programs print need not be UTF-8
  options.set_log_errors(false);
  options.set_one_line(false);
  options.set_posix_syntax(false);
  const re2::RE2 metric("(?m)" + expression, options);
  std::vector<double> values;
  re2::StringPiece rest(output);
  double value = 0;
  while (metric.ok() && re2::RE2::FindAndConsume(&rest, metric, &value))
    if (std::isfinite(value)) values.push_back(value);
  return values;
}

ProbeSample run_command_probe(const ProbeCommand& command, Duration deadline, const std::atomic<bool>* stop) {
  const CommandResult result = run_command(command.arguments, deadline, stop);
  if (!result.started) return unsupported_sample(result.why);
  ProbeSample sample;
  if (!result.ok) {
    sample.errors.push_back(result.why);
    return sample;
  }
  if (command.metric.empty()) return sample;
  std::vector<double> values = metrics_in(result.output, command.metric);
  if (values.empty())
    sample.inconclusive = command.arguments.front() + " printed no number where the expression " +
                          command.metric + " looks for it";
  else
    sample.parts.push_back({.part = "", .kind = "", .values = std::move(values), .remark = ""});
  return sample;
}

}  // namespace gauntlet
