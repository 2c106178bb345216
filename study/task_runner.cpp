#include "core/contract.hpp"
#include "study/executor.hpp"
#include "study/policy_error.hpp"
#include "study/replica.hpp"

#include <utility>

namespace gauntlet {

struct TaskRunner::Workspace {
  std::shared_ptr<const Point> point;  // keeps alive what the simulation refers to
  Simulation simulation;

  explicit Workspace(std::shared_ptr<const Point> of)
      : point(std::move(of)), simulation(point->scenario.world, point->scenario.policies) {}
};

TaskRunner::TaskRunner(const StudyTerms& terms) : terms_(terms) {}
TaskRunner::~TaskRunner() = default;
TaskRunner::TaskRunner(TaskRunner&&) noexcept = default;

void TaskRunner::run(const std::shared_ptr<const Point>& point, const Task& task,
                     std::vector<Figures>& figures, const std::atomic<bool>* stop) {
  expect(point != nullptr, "there is a point to run");
  if (!workspace_ || workspace_->point != point) workspace_ = std::make_unique<Workspace>(point);
  figures.resize(task.count);
  for (std::uint32_t i = 0; i < task.count; ++i) {
    const std::uint32_t replica = task.first + i;
    const ReplicaOptions options = {.seed = terms_.seed,
                                    .replica = replica,
                                    .full_telemetry = terms_.full_telemetry,
                                    .bucket = terms_.bucket,
                                    .stop = stop};
    try {
      if (!workspace_->simulation.run(options, figures[i])) return figures.resize(i);
    } catch (PolicyError& error) {
      error.scenario = point->text;
      throw;
    }
    if (replica >= terms_.incident_replicas) figures[i].incidents.clear();
  }
}

bool hand_over(const Task& task, std::span<const Figures> figures, const Executor::Consume& consume) {
  const auto done = static_cast<std::uint32_t>(figures.size());
  const bool whole = done == task.count;
  if (whole || done > 0) consume({.point = task.point, .first = task.first, .count = done}, figures);
  return whole;
}

}  // namespace gauntlet
