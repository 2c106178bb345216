#include "commands/run/over_time.hpp"

#include "core/quantity.hpp"
#include "report/units.hpp"
#include "study/store/export/over_time.hpp"
#include "study/work.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet {
namespace {

constexpr const char* kOption = "--over-time";

Problem refused(const std::string& text, const std::string& why, const std::string& suggestion) {
  return {.file = kOption, .what = fmt::format("\"{}\"", text), .why = why, .suggestion = suggestion};
}

/// Of so many rows of replicas whose wall times add up to `wall` seconds.
Problem too_many(Duration bucket, double rows, double wall, std::uint32_t replicas,
                 const std::string& remedy) {
  // Each replica ends within a part, which makes one row more.
  const double free = static_cast<double>(kMostOverTimeRows) - replicas;
  std::string suggestion = "run fewer replicas";
  if (free > 0) {
    const auto least = std::chrono::ceil<std::chrono::minutes>(from_seconds(wall / free));
    suggestion = fmt::format("write {} {} or longer, or {}", kOption,
                             to_text(std::max<Duration>(least, std::chrono::minutes(1))), suggestion);
  }
  return refused(to_text(bucket),
                 fmt::format("gives {} rows, more than {}", count_text(rows),
                             count_text(static_cast<double>(kMostOverTimeRows))),
                 suggestion + remedy);
}

Problem not_the_same(std::uint32_t replica) {
  return {.file = kOption,
          .what = fmt::format("replica {}", replica),
          .why = "gave other results when it ran again",
          .suggestion =
              "a policy must give the same orders for the same observations: it must not keep state outside "
              "of its object, read a clock or draw random numbers"};
}

}  // namespace

OverTimeBucket over_time_bucket(const std::string& text, const Point& point, std::uint32_t replicas) {
  const Parsed<Duration> parsed = parse_duration(text);
  if (!parsed.value) return {{}, refused(text, parsed.why, parsed.suggestion)};
  if (*parsed.value <= Duration::zero())
    return {{}, refused(text, "is not above zero", fmt::format("write for example {} 6h", kOption))};
  const Duration bucket = *parsed.value, wall = shortest_run(point.scenario.world);
  const double rows = static_cast<double>(buckets_in(wall, bucket)) * replicas;
  if (rows > static_cast<double>(kMostOverTimeRows))
    return {{}, too_many(bucket, rows, to_seconds(wall) * replicas, replicas, "")};
  return {bucket, std::nullopt};
}

OverTimeText over_time_text(Experiment& experiment, PointNumber point, Duration bucket, StudyTerms terms,
                            unsigned threads) {
  const std::uint32_t replicas = experiment.replicas(point);
  double rows = 0, wall = 0;
  experiment.visit(point, replicas, [&](std::uint32_t, const Figures& figures) {
    rows += static_cast<double>(buckets_in(figures.wall, bucket));
    wall += to_seconds(figures.wall);
  });
  if (rows > static_cast<double>(kMostOverTimeRows))
    return {{}, too_many(bucket, rows, wall, replicas, "; the replicas are kept: continue with --resume")};
  terms.bucket = bucket;
  terms.incident_replicas = 0;
  const auto executor = make_thread_executor(terms, threads);
  OverTimeRows lines(experiment.point(point).facts);
  std::string text = OverTimeRows::header();
  std::uint32_t done = 0;
  std::optional<std::uint32_t> different;  // a replica that was another the first time
  const bool whole =
      experiment.run_again(*executor, point, [&](const Task& task, std::span<const Figures> figures) {
        const auto count = static_cast<std::uint32_t>(figures.size());
        experiment.visit(point, done, count, [&](std::uint32_t replica, const Figures& before) {
          if (!different && before.fingerprint != figures[replica - task.first].fingerprint)
            different = replica;
        });
        done += count;
        for (std::uint32_t i = 0; i < count; ++i)
          for (std::size_t number = 0; number < figures[i].over_time.size(); ++number)
            lines.append(task.first + i, number, figures[i].over_time[number], bucket, figures[i].wall, text);
      });
  if (different) return {{}, not_the_same(*different)};
  return {whole ? std::optional(std::move(text)) : std::nullopt, std::nullopt};
}

}  // namespace gauntlet
