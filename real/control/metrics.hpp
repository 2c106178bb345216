// The Prometheus endpoint of a drill, on loopback alone: it has neither encryption nor a password. A proxy with both may forward it.
#pragma once

#include "real/control/drill_status.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace gauntlet {

class DrillMetrics {
 public:
  /// Listens on 127.0.0.1 at `port`; 0: any that is free. `drill` labels every metric. Throws std::runtime_error where the port
  /// cannot be listened on.
  DrillMetrics(std::uint16_t port, const std::string& drill);
  ~DrillMetrics();
  DrillMetrics(const DrillMetrics&) = delete;
  DrillMetrics& operator=(const DrillMetrics&) = delete;

  std::uint16_t port() const;
  /// What is read from now on. Thread-safe.
  void set(const DrillStatus& status);

 private:
  struct Served;
  std::unique_ptr<Served> served_;
};

}  // namespace gauntlet
