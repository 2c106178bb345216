#include "study/experiment.hpp"

#include "core/contract.hpp"
#include "study/statistics.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

// Thrown out of a run when the store has failed: running on would be of no use.
struct StoreFailed {};

// Few replicas are handed out in smaller tasks, so that they keep all threads busy to the end. Smaller tasks cost more: a thread that
// changes to another point makes a new simulation (docs/performance.md).
constexpr std::uint64_t kFewestTasksEach = 16;

std::uint32_t replicas_of_task(std::uint64_t missing, std::size_t tasks_at_once) {
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(missing / (kFewestTasksEach * tasks_at_once), 1, kTaskReplicas));
}

StoredPoint stored_form(const Point& point) {
  StoredPoint out{.label = point.label, .settings = {}, .text = point.text, .facts = point.facts};
  for (const Setting& setting : point.settings) out.settings.emplace_back(setting.path, setting.value);
  return out;
}

}  // namespace

Experiment::Experiment(Executor& executor, Store& store, Options options)
    : executor_(&executor), store_(&store), options_(std::move(options)) {}

PointNumber Experiment::add(std::shared_ptr<const Point> point) {
  const std::uint32_t stored = store_->add_point(stored_form(*point));
  const auto next = static_cast<PointNumber>(points_.size());
  const auto [known, is_new] = by_stored_.try_emplace(stored, next);
  if (!is_new) {
    if (points_[known->second]->scenario.policies.custom != point->scenario.policies.custom)
      throw std::invalid_argument(
          "two points of the study have custom policies of the same names; give one of the policies another "
          "name");
    return known->second;
  }
  executor_->add(next, point);
  points_.push_back(std::move(point));
  stored_.push_back(stored);
  asked_.push_back(0);
  return next;
}

const Point& Experiment::point(PointNumber number) const { return *points_.at(number); }

std::size_t Experiment::points() const { return points_.size(); }

std::vector<Task> Experiment::missing(std::span<const Want> wants) const {
  std::vector<std::uint32_t> wanted(points_.size(), 0);
  std::vector<PointNumber> order;  // each point once, as they were first named
  for (const Want& want : wants) {
    std::uint32_t& most = wanted.at(want.point);
    if (most == 0 && want.replicas > 0) order.push_back(want.point);
    most = std::max(most, want.replicas);
  }
  std::uint64_t missing = 0;
  for (const PointNumber point : order) missing += wanted[point] - std::min(wanted[point], replicas(point));
  const std::uint32_t at_once = replicas_of_task(missing, executor_->at_once());
  std::vector<Task> tasks;
  for (const PointNumber point : order)
    for (std::uint32_t first = replicas(point); first < wanted[point]; first += tasks.back().count)
      tasks.push_back({.point = point, .first = first, .count = std::min(at_once, wanted[point] - first)});
  // Whoever interrupts this finds about as many replicas of one point as of another.
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const Task& a, const Task& b) { return a.first < b.first; });
  return tasks;
}

bool Experiment::run(std::span<const Task> tasks) {
  if (tasks.empty() && !store_->problem()) return true;
  std::uint64_t left = 0;
  std::vector<Task> by_faults(tasks.begin(), tasks.end());  // with the numbers that faults are drawn by
  for (Task& task : by_faults) {
    left += task.count;
    task.first += points_.at(task.point)->first_faults;
  }
  const auto consume = [&](const Task& task, std::span<const Figures> figures) {
    store_->add(stored_.at(task.point), task.first - points_.at(task.point)->first_faults, figures);
    if (store_->problem()) throw StoreFailed{};
    left -= task.count;
    if (options_.progress) options_.progress(task.count, left);
  };
  try {
    check_policies_first(by_faults);
    if (!store_->problem()) executor_->run(by_faults, consume, options_.stop);
    if (left == 0) check_policies_again(by_faults);
  } catch (const StoreFailed&) {  // it says why
  }
  fell_short_ = fell_short_ || left > 0 || store_->problem();
  return left == 0 && !store_->problem();
}

/// Of points with custom policies, one replica runs before the others. The points of a study mostly have the same policies, and
/// its record of a long run takes megabytes: so only of the first ones.
void Experiment::check_policies_first(std::span<const Task> tasks) {
  constexpr std::size_t kMostChecked = 16;
  for (const Task& task : tasks) {
    if (checks_.size() == kMostChecked) return;
    const auto& point = points_.at(task.point);
    if (!point->scenario.policies.custom || checks_.contains(task.point)) continue;
    const ReplicaOptions first = {.seed = point->facts.seed, .replica = task.first, .stop = options_.stop};
    checks_.try_emplace(task.point, point, first);
  }
}

/// And is compared with fresh policies after them.
void Experiment::check_policies_again(std::span<const Task> tasks) const {
  for (const auto& [number, check] : checks_)
    if (std::any_of(tasks.begin(), tasks.end(), [of = number](const Task& task) { return task.point == of; }))
      check.repeat();
}

bool Experiment::ensure(std::span<const Want> wants) {
  for (const Want& want : wants) asked_.at(want.point) = std::max(asked_.at(want.point), want.replicas);
  return run(missing(wants));
}

bool Experiment::ensure(std::span<const PointNumber> points, std::uint32_t replicas) {
  std::vector<Want> wants;
  for (const PointNumber point : points) wants.push_back({.point = point, .replicas = replicas});
  return ensure(wants);
}

bool Experiment::run_again(Simulation& simulation, ReplicaOptions options, Figures& figures) {
  options.stop = options_.stop;
  const bool finished = simulation.run(options, figures);
  fell_short_ = fell_short_ || !finished;
  return finished;
}

bool Experiment::run_again(Executor& executor, PointNumber point, const Executor::Consume& consume) {
  const std::uint32_t first = store_->first_replica(stored_.at(point)), count = replicas(point),
                      faults = points_.at(point)->first_faults,
                      at_once = replicas_of_task(count, executor.at_once());
  std::vector<Task> tasks;
  for (std::uint32_t done = 0; done < count; done += tasks.back().count)
    tasks.push_back({.point = 0, .first = faults + first + done, .count = std::min(at_once, count - done)});
  executor.add(0, points_.at(point));
  std::uint64_t left = count;
  const auto numbered = [&](const Task& task, std::span<const Figures> figures) {
    consume({.point = point, .first = task.first - faults, .count = task.count}, figures);
    left -= task.count;
    if (options_.progress) options_.progress(task.count, left);
  };
  executor.run(tasks, numbered, options_.stop);
  fell_short_ = fell_short_ || left > 0;
  return left == 0;
}

bool Experiment::ensure_only(PointNumber point, std::uint32_t replica) {
  asked_.at(point) = 1;
  if (replicas(point) > 0) {
    expect(store_->first_replica(stored_.at(point)) == replica, "the study is of this replica");
    return run({});
  }
  const Task alone = {.point = point, .first = replica, .count = 1};
  return run({&alone, 1});
}

std::uint32_t Experiment::replicas(PointNumber point) const { return store_->replicas(stored_.at(point)); }

std::vector<Fraction> Experiment::values(PointNumber point, std::string_view metric,
                                         std::uint32_t count) const {
  const std::vector<Metric> metrics = metrics_of(points_.at(point)->facts);
  const auto named =
      std::find_if(metrics.begin(), metrics.end(), [&](const Metric& each) { return each.name == metric; });
  expect(named != metrics.end(), "there is a metric of that name");
  std::vector<Fraction> out;
  out.reserve(count);
  visit(point, count, [&](std::uint32_t, const Figures& figures) { out.push_back(named->of(figures)); });
  return out;
}

bool Experiment::metric_exists(PointNumber point, std::string_view metric) const {
  const std::vector<Metric> metrics = metrics_of(points_.at(point)->facts);
  return std::any_of(metrics.begin(), metrics.end(), [&](const Metric& each) { return each.name == metric; });
}

Controls Experiment::controls(PointNumber point, std::uint32_t first, std::uint32_t count,
                              std::size_t most) const {
  const ScenarioFacts& facts = points_.at(point)->facts;
  const std::size_t borne = std::min(most, controls_borne(facts, count));
  if (borne == 0) return {};
  KnownControls& known = controls_[point];
  if (known.first == first && known.count == count && known.borne == borne) return known.controls;
  std::vector<double> counts;
  visit(point, first, count,
        [&](std::uint32_t, const Figures& figures) { add_controls(facts, borne, figures, counts); });
  known = {.first = first, .count = count, .borne = borne, .controls = Controls(counts, borne)};
  return known.controls;
}

void Experiment::visit(PointNumber point, std::uint32_t count, const See& see) const {
  visit(point, 0, count, see);
}

void Experiment::visit(PointNumber point, std::uint32_t from, std::uint32_t count, const See& see) const {
  expect(from <= replicas(point) && count <= replicas(point) - from,
         "no more replicas are asked for than there are");
  store_->read(stored_.at(point), store_->first_replica(stored_.at(point)) + from, count, see);
}

Summary Experiment::summary(PointNumber point, std::uint32_t count) const {
  expect(count <= replicas(point), "no more replicas are asked for than there are");
  const auto known = summaries_.find(point);
  if (known != summaries_.end() && known->second.replicas == count) return known->second;
  return summaries_[point] = summarize(*store_, stored_.at(point), count);
}

Summary Experiment::summary(PointNumber point, std::uint32_t count, const See& see) const {
  expect(count <= replicas(point), "no more replicas are asked for than there are");
  return summaries_[point] = summarize(*store_, stored_.at(point), count, see);
}

void Experiment::drop_unasked() {
  expect(!fell_short_, "everything that was asked for is there");
  std::vector<Store::Kept> kept;
  for (std::size_t i = 0; i < points_.size(); ++i)
    kept.push_back({.point = stored_[i], .replicas = asked_[i]});
  store_->keep(kept);
  by_stored_.clear();
  for (PointNumber i = 0; i < points_.size(); ++i) by_stored_[stored_[i] = i] = i;
}

void Experiment::put_summary(PointNumber point) {
  store_->put_summary(stored_.at(point), summary(point, replicas(point)));
}

}  // namespace gauntlet
