// The times of segments as messages to a topic of Apache Kafka, for an analytical database of your own.
//
// A message is one segment of one rank in one step, as JSON: scenario, seed, run, step, name, rank, host, pp, dp, cp, tp, took_ns,
// reported_ns. Its key is "RUN/RANK". A message may come twice, and out of order, as Kafka's do where nothing else is set.
#pragma once

#include "core/problem.hpp"
#include "real/telemetry/segment_sink.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gauntlet {

class SegmentQueue final : public SegmentSink {
 public:
  struct Opened {
    std::unique_ptr<SegmentQueue> queue;
    std::optional<Problem> problem;
  };
  /// `settings`: a file of lines NAME=VALUE, of which one is the topic and the others are librdkafka's, bootstrap.servers at least; "#"
  /// begins a comment. Nobody waits for a broker. `say` takes a sentence when messages do not arrive for the first time, and at the end how
  /// many did not.
  static Opened open(const std::string& settings, const SegmentOrigin& origin,
                     std::function<void(const std::string&)> say);
  /// Waits for what is on the way, five seconds at most, and for what librdkafka's threads are doing: to look up the name of a broker may
  /// take longer.
  ~SegmentQueue() override;
  SegmentQueue(const SegmentQueue&) = delete;
  SegmentQueue& operator=(const SegmentQueue&) = delete;

  void begin(std::uint32_t run, std::span<const RankSeat> seats) override;
  void add(const SegmentTime& segment) override;
  void flush() override;

 private:
  struct Producer;
  explicit SegmentQueue(std::unique_ptr<Producer> producer);
  std::unique_ptr<Producer> producer_;
};

}  // namespace gauntlet
