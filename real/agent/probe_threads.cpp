#include "real/agent/probe_threads.hpp"

#include <exception>
#include <system_error>
#include <thread>

namespace gauntlet {

void ProbeThreads::begin(const ProbeTask& task, std::uint64_t number) {
  const auto body = [task, number, where = where_, ended = ended_] {
    ProbeSample sample;
    try {
      sample = carry_out(task, where);
    } catch (const std::exception& error) {
      sample = unsupported_sample(error.what());  // no memory is left
    }
    ended({number, std::move(sample)});
  };
  try {
    std::thread(body).detach();
  } catch (const std::system_error& error) {
    ended_({number, unsupported_sample(std::string("no thread can be started: ") + error.what())});
  }
}

}  // namespace gauntlet
