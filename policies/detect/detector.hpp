// Detectors: small state machines that order watches and turn what these let through into suspicions. One a file; each
// states its latency and its blind spot there.
#pragma once

#include "policies/detect/change_point_detector.hpp"
#include "policies/detect/collective_timeout_detector.hpp"
#include "policies/detect/exit_detector.hpp"
#include "policies/detect/fail_slow_detector.hpp"
#include "policies/detect/flap_detector.hpp"
#include "policies/detect/hang_detector.hpp"
#include "policies/detect/heartbeat_detector.hpp"
#include "policies/detect/learned_hang_detector.hpp"
#include "policies/detect/log_detector.hpp"
#include "policies/detect/loss_detector.hpp"
#include "policies/detect/mfu_detector.hpp"
#include "policies/detect/suspicion.hpp"
#include "policies/detect/traffic_period_detector.hpp"
#include "policies/detect/traffic_stopped_detector.hpp"

#include <variant>

namespace gauntlet {

using Detector = std::variant<HeartbeatDetector, ExitDetector, LogDetector, HangDetector, LearnedHangDetector,
                              CollectiveTimeoutDetector, TrafficStoppedDetector, TrafficPeriodDetector,
                              FailSlowDetector, ChangePointDetector, MfuDetector, LossDetector, FlapDetector>;

}  // namespace gauntlet
