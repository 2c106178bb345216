// What the commands of Slurm print. The names and numbers that are found become words of further commands.
#include "real/launch/slurm_answers.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>

using namespace gauntlet;

namespace {

bool is_word(const std::string& text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  return !text.empty() && text.find_first_of(kSpaces) == std::string::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(text_of(data, size));
  for (const std::string& name : slurm_host_names(text)) ensure(is_word(name), "a node is one word");
  const std::string address = slurm_field(text, "NodeAddr");
  ensure(address.empty() || is_word(address), "an address is one word");
  if (const auto job = slurm_submitted_job(text)) {
    ensure(is_slurm_job(*job), "a job is a number");
    ensure(text.starts_with(*job), "it is the first that was printed");
  }
  for (const std::string& step : slurm_steps(text, "gauntlet-host-3"))
    ensure(is_word(step), "a step is one word");
  if (const auto job = slurm_job(text)) {
    const bool runs = job->state == SlurmJob::State::running;
    ensure(runs ? is_word(job->node) : job->node.empty(), "a job that runs is on a node, and no other is");
  }
  return 0;
}
