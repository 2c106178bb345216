#include "tests/reference/random_scenario.hpp"

#include "core/random/stream.hpp"

#include <algorithm>

namespace gauntlet::reference {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : draw_(Seed{.study = seed}, stream_name("reference scenario")) {}

  Lines make() {
    cluster();
    telemetry();
    storage();
    repair();
    kinds_ = 1 + below(3);
    for (std::uint64_t k = 0; k < kinds_; ++k) fault("fault" + std::to_string(k));
    probes();
    policies();
    if (chance(10)) wrong_numbers();
    if (chance(10)) dead_hosts();
    if (chance(20)) operators();
    std::string detect;
    for (const std::string& name : detect_) detect += (detect.empty() ? "\"" : ", \"") + name + "\"";
    keep("policies", "detect", "[" + detect + "]");
    return std::move(lines_);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return draw_.below(n); }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  template <std::size_t N>
  std::string one_of(const char* const (&values)[N]) {
    return values[below(N)];
  }
  static std::string seconds(std::uint64_t count) { return "\"" + std::to_string(count) + "s\""; }
  std::string seconds(std::uint64_t low, std::uint64_t high) { return seconds(between(low, high)); }
  void add(const std::string& table, const std::string& key, const std::string& value) {
    lines_.push_back({table, key, value});
  }
  void keep(const std::string& table, const std::string& key, const std::string& value) {
    lines_.push_back({table, key, value, true});
  }
  void maybe(std::uint64_t percent, const std::string& table, const std::string& key,
             const std::string& value) {
    if (chance(percent)) add(table, key, value);
  }

  void cluster() {
    pp_ = chance(40) ? 2 : 1;
    const std::uint64_t dp = between(1, 8 / pp_);
    hosts_ = pp_ * dp;
    spares_ = below(4);
    window_ = between(4, 30) * 3600;
    keep("cluster", "hosts", std::to_string(hosts_));
    keep("cluster", "hardware", "\"h100\"");
    if (spares_ > 0) add("spares", "count", std::to_string(spares_));
    keep("job", "model", "\"tiny-1b\"");
    keep("job", "global_batch", std::to_string(8 * dp));
    step_ = between(20, 90);
    keep("job", "step_time", seconds(step_));
    if (chance(30)) {
      add("job", "steps", std::to_string(between(100, 800)));
      maybe(50, "job", "window", seconds(window_));
    } else {
      add("job", "window", seconds(window_));
    }
    add("job", "give_up_after", seconds(7200, 80000));
    maybe(60, "job", "stop_time", seconds(1, 40));
    keep("job.layout", "tp", "8");
    if (pp_ > 1) keep("job.layout", "pp", std::to_string(pp_));
    keep("job.layout", "dp", std::to_string(dp));
    for (const char* phase :
         {"provisioning", "scheduling", "process_start", "communicator_init", "data_loader", "warm_up"})
      maybe(40, "job.start", phase, seconds(1, 300));
  }

  void telemetry() {
    // No multiple of anything else, so that no heartbeat comes at the same nanosecond as what does not depend on heartbeats.
    add("telemetry", "heartbeat_period",
        "\"" + std::to_string(between(30, 90)) + "s" + std::to_string(2 * between(1, 499) - 1) + "ms\"");
    keep("telemetry", "clock_error", "\"0s\"");
    maybe(50, "telemetry", "exit_delay",
          "\"" + std::to_string(between(0, 40)) + "s" + std::to_string(2 * between(1, 499)) + "ms\"");
    maybe(50, "telemetry", "delay", seconds(0, 20));
    maybe(50, "telemetry", "abort_hop", seconds(0, 20));
  }

  void storage() {
    keep("storage", "free", "true");
    maybe(70, "storage", "stall", seconds(1, 60));
    persist_ = chance(70) ? between(1, 900) : 0;
    if (persist_ > 0) add("storage", "persist", seconds(persist_));
    maybe(70, "storage", "load", seconds(1, 300));
    maybe(20, "storage", "mode", "\"synchronous\"");
    maybe(40, "storage", "keep_last", std::to_string(between(1, 5)));
    maybe(20, "storage", "keep_every", std::to_string(between(2, 4)));
    maybe(20, "storage", "corrupt", "0.3");
    if (chance(20)) {
      add("storage", "slow_write", "1.0");
      add("storage", "slow_factor", "3.0");
    }
    for (const char* tier : {"memory", "peers"}) {
      if (!chance(40)) continue;
      const bool peers = std::string(tier) == "peers";
      add("checkpoint", std::string(tier) + "_interval", peers ? seconds(310, 900) : seconds(60, 300));
      const std::string table = std::string("storage.") + tier;
      maybe(60, table, "stall", seconds(1, 20));
      maybe(60, table, "persist", seconds(1, 50));
      maybe(60, table, "load", seconds(1, 100));
    }
    maybe(20, "storage", "copies", std::to_string(between(2, 4)));
  }

  void repair() {
    add("repair", "time", seconds(600, 30000));
    maybe(50, "repair", "crew", std::to_string(between(1, 2)));
    if (chance(40)) {
      add("repair", "silent_failure", one_of({"0.5", "0.2"}));
      if (chance(50)) {
        add("repair", "burn_in", seconds(60, 3000));
        maybe(50, "repair", "burn_in_finds", "0.0");
      }
    } else {
      maybe(30, "repair", "burn_in", seconds(60, 3000));
      if (chance(40)) {
        add("repair.manual", "needed", one_of({"0.5", "1.0"}));
        add("repair.manual", "time", seconds(600, 30000));
      }
    }
    if (spares_ > 0) {
      if (chance(30)) {
        add("spares", "cold", std::to_string(between(1, 3)));
        maybe(70, "spares", "cold_time", seconds(10, 2000));
      }
      if (chance(30)) {
        add("spares", "pool", std::to_string(between(1, 3)));
        maybe(70, "spares", "preemption", seconds(10, 2000));
      }
      maybe(30, "spares", "selection", seconds(10, 500));
    }
    if (chance(25)) {
      add("job.evaluation", "every", std::to_string(between(5, 100)));
      add("job.evaluation", "time", seconds(10, 900));
    }
    if (chance(25)) {
      add("job.planned", "times", "[\"" + std::to_string(below(window_ * 1000)) + "ms\"]");
      maybe(50, "job.planned", "hold", seconds(10, 3000));
    }
    maybe(50, "cluster", "hosts_per_tor", std::to_string(between(1, 4)));
    maybe(50, "cluster.network", "hosts_per_rack", std::to_string(between(1, 4)));
    maybe(50, "cluster.network", "racks_per_power_domain", std::to_string(between(1, 2)));
  }

  /// Spare hosts, hosts in repair and hosts that are well, at any time.
  void operators() {
    for (std::uint64_t i = 0, n = 1 + below(4); i < n; ++i) {
      const std::string table = "operators.act" + std::to_string(i);
      add(table, "at", "\"" + std::to_string(below(window_ * 1000)) + "ms\"");
      add(table, "action", one_of({"\"evict\"", "\"evict\"", "\"maintenance\"", "\"readmit\""}));
      add(table, "host", std::to_string(below(hosts_ + spares_)));
    }
    if (!chance(15)) return;
    add("operators.end", "at", "\"" + std::to_string(below(window_ * 1000)) + "ms\"");
    add("operators.end", "action", "\"stop\"");
  }

  /// So that a few of them strike in the window.
  void often(const std::string& table, std::uint64_t components) {
    const std::uint64_t expected = between(1, 5);
    if (chance(50)) {
      add(table, "mtbf", seconds(window_ * components / expected));
      return;
    }
    std::string trace;
    std::vector<std::uint64_t> times;
    for (std::uint64_t i = 0; i < expected; ++i) times.push_back(below(window_ * 1000));
    std::sort(times.begin(), times.end());
    for (const std::uint64_t at : times)
      trace += std::string(trace.empty() ? "" : ", ") + "{ at = \"" + std::to_string(at) +
               "ms\", component = " + std::to_string(below(components)) + " }";
    add(table, "trace", "[" + trace + "]");
  }

  void fault(const std::string& name) {
    const std::uint64_t what = below(100);
    if (what < 50) {
      stop(name);
    } else if (what < 65) {
      domain(name);
    } else if (what < 90) {
      milder(name);
    } else {
      of_job(name);
    }
  }

  /// A crash or a hang of a host or of a part of it.
  void stop(const std::string& name) {
    const std::string table = "faults." + name;
    const std::uint64_t where = below(3);
    const char* const components[] = {"\"host\"", "\"gpu\"", "\"nic\""};
    add(table, "component", components[where]);
    add(table, "effect", chance(60) ? "\"crash\"" : "\"hang\"");
    const bool at_start = chance(15);
    if (at_start) {
      add(table, "clock", "\"start\"");
      add(table, "chance", one_of({"0.02", "0.1"}));
    } else {
      often(table, (hosts_ + spares_) * (where == 0 ? 1 : 8));
      maybe(30, table, "clock", "\"training\"");
    }
    if (chance(30)) {
      add(table, "remedy", chance(70) ? "\"restart\"" : "\"person\"");
    } else {
      maybe(15, "repair.by_cause." + name, "time", seconds(600, 30000));
    }
    maybe(10, table, "heals_after", chance(50) ? seconds(100, 9000) : uniform(100, 9000));
    if (!at_start) maybe(30, table, "heartbeat_lost", "true");
    line(name, where == 0);
    if (chance(20)) follower(name, where);
  }

  void line(const std::string& name, bool by_chance) {
    const std::string table = "faults." + name;
    if (!chance(40)) return;
    add(table, "log", "\"line_of_" + name + "\"");
    maybe(50, table, "log_delay", seconds(1, 120));
    // Which of two GPUs of a host wrote a line, nobody can tell.
    if (by_chance) maybe(30, table, "log_probability", "0.5");
    maybe(30, "detection.lines", "line_of_" + name,
          one_of({"\"restart\"", "\"alert\"", "\"save\"", "\"ignore\""}));
  }
  static std::string uniform(std::uint64_t low, std::uint64_t high) {
    return "{ name = \"uniform\", low = " + seconds(low) + ", high = " + seconds(high) + " }";
  }

  /// Of what strikes only after another fault.
  void follower(const std::string& of, std::uint64_t where) {
    const char* const components[] = {"\"host\"", "\"gpu\"", "\"nic\""};
    const std::string name = of + "_next", table = "faults." + name;
    add("faults." + of, "followed_by",
        "{ fault = \"" + name + "\", probability = " + one_of({"1.0", "0.6"}) +
            ", after = " + seconds(10, 40000) + " }");
    add(table, "component", components[where]);
    add(table, "effect", one_of({"\"crash\"", "\"hang\"", "\"none\""}));
    maybe(30, table, "remedy", "\"restart\"");
    line(name, false);
  }

  void domain(const std::string& name) {
    const std::string table = "faults." + name;
    add(table, "component",
        one_of({"\"rack\"", "\"tor\"", "\"power\"", "\"rack\"", "\"spine\"", "\"aggregation\""}));
    add(table, "mtbf", seconds(window_ / 3 * between(1, 4)));
    if (chance(30)) {
      add(table, "effect", "\"stall\"");
      add(table, "heals_after", seconds(5, 2000));
    } else {
      add(table, "effect", chance(70) ? "\"crash\"" : "\"hang\"");
      if (chance(50)) {
        add(table, "remedy", "\"restart\"");
      } else {
        add(table, "heals_after", seconds(100, 9000));
      }
      maybe(40, table, "heartbeat_lost", "true");
    }
    line(name, false);
  }

  /// What slows the job, pauses it, spoils its numbers or does nothing.
  void milder(const std::string& name) {
    const std::string table = "faults." + name;
    const std::uint64_t what = below(5);
    if (what == 0) {
      const bool host = chance(50);
      add(table, "component", host ? "\"host\"" : "\"gpu\"");
      often(table, (hosts_ + spares_) * (host ? 1 : 8));
      add(table, "effect", "\"slow\"");
      add(table, "factor", one_of({"1.1", "1.5", "2.5"}));
      maybe(30, table, "segment", one_of({"\"forward\"", "\"backward\"", "\"optimizer\""}));
      maybe(20, table, "grows_every", seconds(3000, 30000));
    } else if (what == 1) {
      add(table, "component", "\"nic\"");
      often(table, (hosts_ + spares_) * 8);
      add(table, "effect", "\"degrade\"");
      add(table, "factor", one_of({"2.0", "10.0"}));
    } else if (what == 2) {
      add(table, "component", one_of({"\"host\"", "\"nic\""}));
      often(table, hosts_ + spares_);
      add(table, "effect", "\"stall\"");
      add(table, "heals_after", chance(50) ? seconds(5, 2000) : uniform(5, 2000));
      maybe(30, table, "halts_storage", "true");
      maybe(40, table, "clock", "\"training\"");
      line(name, false);
      return;
    } else {
      add(table, "component", "\"host\"");
      often(table, hosts_ + spares_);
      add(table, "effect", what == 3 ? "\"corrupt\"" : "\"none\"");
      if (what == 4 && chance(50)) return tampering(table);
      maybe(70, table, "loss", one_of({"4.0", "20.0", "\"nan\""}));
    }
    maybe(60, table, "heals_after", chance(50) ? seconds(5, 80) : uniform(100, 9000));
    maybe(30, table, "remedy", "\"restart\"");
    maybe(30, table, "clock", "\"training\"");
    line(name, false);
  }

  /// Of a host's clock and heartbeats.
  void tampering(const std::string& table) {
    const std::string tampers =
        one_of({"\"clock\"", "\"late_heartbeats\"", "\"repeated_heartbeats\"", "\"partition\""});
    add(table, "tampers", tampers);
    if (tampers != "\"clock\"") add(table, "heals_after", chance(50) ? seconds(5, 800) : uniform(100, 9000));
    maybe(30, table, "clock", "\"training\"");
  }

  void of_job(const std::string& name) {
    const std::string table = "faults." + name;
    add(table, "component", "\"job\"");
    add(table, "mtbf", seconds(window_ / between(1, 4)));
    if (chance(20)) {
      add(table, "effect", "\"none\"");
      add(table, "tampers", "\"checkpoint\"");
      add(table, "remedy", "\"restart\"");
      return line(name, false);
    }
    const std::string effect = one_of({"\"crash\"", "\"hang\"", "\"stall\"", "\"planned\"", "\"preempt\""});
    add(table, "effect", effect);
    if (effect == "\"crash\"" || effect == "\"hang\"") {
      add(table, "remedy", one_of({"\"restart\"", "\"person\""}));
      line(name, false);
    } else {
      add(table, "heals_after", seconds(5, 2000));
      add(table, "remedy", "\"restart\"");
    }
  }

  void probes() {
    if (!chance(50)) return;
    add("probes.look", "time", seconds(10, 900));
    maybe(40, "probes.look", "group", std::to_string(between(1, 4)));
    maybe(40, "probes.look", "at_once", std::to_string(between(1, 3)));
    maybe(30, "probes.look", "false_positive", "0.1");
    std::string detects;
    for (std::uint64_t k = 0; k < kinds_; ++k)
      if (chance(70))
        detects +=
            (detects.empty() ? "" : ", ") + ("fault" + std::to_string(k)) + " = " + one_of({"1.0", "0.7"});
    add("probes.look", "detects", "{ " + detects + " }");
    add("diagnosis", "suite", "[\"look\"]");
    maybe(30, "diagnosis", "examine_degraded", "true");
  }

  void policies() {
    for (const char* name :
         {"heartbeat", "exit", "log", "collective-timeout", "hang", "learned-hang", "loss"})
      if (chance(70)) detect_.emplace_back(name);
    maybe(60, "policies", "diagnose", one_of({"\"suite\"", "\"evidence\"", "\"person\"", "\"localise\""}));
    maybe(60, "policies", "recover",
          one_of({"\"replace\"", "\"restart-in-place\"", "\"restart\"", "\"person\""}));
    add("detection", "timeout", seconds(100, 600));
    add("detection.learned_hang", "floor", "\"500s\"");
    maybe(50, "detection", "hang_timeout", "\"" + std::to_string(between(200, 2000)) + "s3ms\"");
    // Never just as long as anything else that is waited for.
    add("detection", "collective_timeout", "\"" + std::to_string(between(100, 1500)) + "s7ms\"");
    maybe(50, "detection", "gather", "\"" + std::to_string(between(0, 400)) + "s11ms\"");
    maybe(70, "checkpoint", "interval", seconds(std::max<std::uint64_t>(910, persist_ + 60), 3000));
    maybe(30, "policies", "checkpoint", one_of({"\"young\"", "\"daly\"", "\"exact\""}));
    maybe(30, "policies", "restore", "\"every-rank\"");
    maybe(20, "policies", "retire", one_of({"\"threshold\"", "\"score\""}));
    maybe(30, "retirement", "evictions", std::to_string(between(1, 3)));
    maybe(30, "recovery", "roll_back", std::to_string(between(1, 3)));
    maybe(20, "recovery", "start_attempts", std::to_string(between(1, 4)));
    maybe(20, "recovery", "start_backoff", seconds(10, 250));
    maybe(20, "recovery", "reschedule", "false");
    maybe(50, "recovery", "restarts_in_place", std::to_string(below(3)));
    maybe(50, "recovery", "relapse_window", seconds(0, 4000));
    maybe(50, "people", "response", seconds(10, 4000));
    maybe(50, "people", "notice", seconds(600, 9000));
  }

  // --- what is rare otherwise ----------------------------------------------------------------------------------------

  /// In place of the line, where there is one.
  void set(const std::string& table, const std::string& key, const std::string& value) {
    std::erase_if(lines_, [&](const Line& line) { return line.table == table && line.key == key; });
    add(table, key, value);
  }
  void detects(const std::string& name, bool with) {
    std::erase(detect_, name);
    if (with) detect_.push_back(name);
  }

  /// Wrong numbers that come and go, and a job that goes back behind them.
  void wrong_numbers() {
    const std::string table = "faults.wrong";
    add(table, "component", "\"host\"");
    often(table, hosts_ + spares_);
    add(table, "effect", one_of({"\"corrupt\"", "\"none\""}));
    add(table, "loss", one_of({"20.0", "\"nan\""}));
    maybe(80, table, "heals_after", chance(70) ? seconds(5, 80) : uniform(5, 900));
    maybe(30, table, "remedy", "\"restart\"");
    detects("loss", true);
    if (chance(50)) set("recovery", "roll_back", std::to_string(between(1, 3)));
  }

  /// Hosts whose agents are gone, which nobody misses until they are examined by a probe that detects something else.
  void dead_hosts() {
    const std::string table = "faults.gone";
    add(table, "component", "\"host\"");
    often(table, hosts_ + spares_);
    add(table, "effect", chance(50) ? "\"crash\"" : "\"hang\"");
    add(table, "heartbeat_lost", "true");
    maybe(30, table, "remedy", "\"restart\"");
    set("probes.look", "time", seconds(10, 900));
    set("diagnosis", "suite", "[\"look\"]");
    set("policies", "diagnose", chance(70) ? "\"suite\"" : "\"localise\"");
    detects("heartbeat", false);
    detects("collective-timeout", true);
  }

  Stream draw_;
  Lines lines_;
  std::vector<std::string> detect_;
  std::uint64_t pp_ = 1, hosts_ = 1, spares_ = 0, window_ = 0, step_ = 0, persist_ = 0, kinds_ = 0;
};

}  // namespace

Lines random_scenario(std::uint64_t seed) { return Generator(seed).make(); }

}  // namespace gauntlet::reference
