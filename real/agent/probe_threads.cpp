#include "real/agent/probe_threads.hpp"

#include <exception>
#include <system_error>
#include <thread>

namespace gauntlet {
namespace {

ProbeSample failed(const std::string& why) {
  ProbeSample sample;
  sample.errors.push_back(why);
  return sample;
}

}  // namespace

void ProbeThreads::begin(const ProbeTask& task, std::uint64_t number) {
  const auto body = [task, number, where = where_, ended = ended_] {
    ProbeSample sample;
    try {
      sample = carry_out(task, where);
    } catch (const std::exception& error) {
      sample = failed(error.what());  // no memory is left
    }
    ended({number, std::move(sample)});
  };
  try {
    std::thread(body).detach();
  } catch (const std::system_error& error) {
    ended_({number, failed(std::string("no thread can be started: ") + error.what())});
  }
}

}  // namespace gauntlet
