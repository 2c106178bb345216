#include "real/control/metrics.hpp"

#include "core/quantity.hpp"
#include "real/stream/listening.hpp"

#include <prometheus/exposer.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

using prometheus::Gauge;

/// Why nobody can listen at that port of 127.0.0.1, as the system has it; empty where one can. The exposer does not say.
std::string why_closed(std::uint16_t port) {
  Listening listening;
  const auto problem = listen_at(HostPort{"127.0.0.1", port}, listening);
  return problem ? problem->why : "";
}

}  // namespace

struct DrillMetrics::Served {
  Served(std::uint16_t port, const std::string& drill)
      : registry(std::make_shared<prometheus::Registry>()), name(drill) {
    exposer = std::make_unique<prometheus::Exposer>("127.0.0.1:" + std::to_string(port), 1);
    exposer->RegisterCollectable(registry);
  }
  Gauge& gauge(const char* metric, const char* help, std::pair<std::string, std::string> label = {}) {
    std::map<std::string, std::string> labels = {{"drill", name}};
    if (!label.first.empty()) labels.insert(std::move(label));
    return prometheus::BuildGauge().Name(metric).Help(help).Register(*registry).Add(labels);
  }
  Gauge& hosts(const char* state) {
    return gauge("gauntlet_hosts", "Hosts of the drill by state", {"state", state});
  }

  std::shared_ptr<prometheus::Registry> registry;
  std::string name;
  Gauge& in_job = hosts("in_job");
  Gauge& spare = hosts("spare");
  Gauge& in_repair = hosts("in_repair");
  Gauge& returned = hosts("returned");
  Gauge& retired = hosts("retired");
  Gauge& job_up = gauge("gauntlet_job_up", "1 while every rank of the job is up");
  Gauge& step = gauge("gauntlet_step", "The most steps that any start of the job has completed");
  Gauge& starts = gauge("gauntlet_starts", "Starts of the job");
  Gauge& incidents = gauge("gauntlet_incidents", "Stops of the job that a detector caused");
  Gauge& open_orders = gauge("gauntlet_open_orders", "Orders without an outcome, timers left out");
  Gauge& questions = gauge("gauntlet_questions", "Questions to a person without an answer");
  Gauge& injected = gauge("gauntlet_injected_faults", "Faults that were injected");
  Gauge& lag = gauge("gauntlet_heartbeat_lag_seconds", "Silence of the host that was silent for longest");
  Gauge& ettr = gauge("gauntlet_ettr", "Effective training time ratio so far");
  Gauge& detected = gauge("gauntlet_detected_faults", "Injected faults that a stop of the job followed on");
  Gauge& latency =
      gauge("gauntlet_detection_latency_seconds", "Mean time from such a fault to the order to stop the job");
  std::unique_ptr<prometheus::Exposer> exposer;  // last: it ends first
};

DrillMetrics::DrillMetrics(std::uint16_t port, const std::string& drill) {
  try {
    served_ = std::make_unique<Served>(port, drill);
  } catch (const std::exception& error) {
    const std::string closed = why_closed(port);
    throw std::runtime_error("--metrics " + std::to_string(port) + ": 127.0.0.1:" + std::to_string(port) +
                             " " +
                             (closed.empty() ? std::string("serves no metrics: ") + error.what() : closed) +
                             "; choose another port, or write --metrics 0 for any that is free");
  }
}
DrillMetrics::~DrillMetrics() = default;

std::uint16_t DrillMetrics::port() const {
  return static_cast<std::uint16_t>(served_->exposer->GetListeningPorts().front());
}

void DrillMetrics::set(const DrillStatus& status) {
  Served& to = *served_;
  to.in_job.Set(status.hosts.in_job);
  to.spare.Set(status.hosts.spare);
  to.in_repair.Set(status.hosts.in_repair);
  to.returned.Set(status.hosts.returned);
  to.retired.Set(status.hosts.retired);
  to.job_up.Set(status.job == DrillStatus::Job::up ? 1 : 0);
  to.step.Set(static_cast<double>(status.step));
  to.starts.Set(status.starts);
  to.incidents.Set(status.incidents);
  to.open_orders.Set(status.open_orders);
  to.questions.Set(status.questions);
  to.injected.Set(status.injected);
  to.lag.Set(to_seconds(status.heartbeat_lag));
  to.ettr.Set(status.ettr);
  to.detected.Set(status.detected);
  to.latency.Set(to_seconds(status.detection_latency));
}

}  // namespace gauntlet
