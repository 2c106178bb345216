"""What must hold of the commands that run many points: compare, sweep, tune, plan, rank and scale."""
import re

import figures
import runner
from case import FAILED, SKIPPED, SUCCESS, WRONG_INPUT
from properties import effective, first_of, json_of, same_directories, seconds, the_run

# A study of scenarios that take longer than that for one replica says nothing more, and takes minutes.
MOST_SECONDS = 0.2
# Of a study's replicas, the most that it was seen to take.
TUNED_RUNS, PLANNED_RUNS, RANKED_RUNS, UNCERTAIN_RUNS = 100, 400, 200, 8000
VARIED = ("spares.count=0,2", "checkpoint.interval=10min,20min,1h", "detection.timeout=2min,1h", "recovery.restarts_in_place=0:3",
          "policies.recover=\"replace\",\"restart\"", "telemetry.clock_error=0s,1s")


def study(case, command, *words, codes=(SUCCESS, FAILED), replicas=None, fewer=None):
    """Runs a study twice, on one thread and on three, the second time with `fewer` replicas first and then with the rest; None
    where it is refused, with a reason that the caller allows."""
    the_run(case)
    if case.seconds > MOST_SECONDS:
        return None
    whole = ("--replicas", replicas) if replicas else ()
    first = case.run(command, *words, *whole, "--threads", 1, "--quiet", "--json", "--out", command + "-1", codes=codes)
    if first.code == WRONG_INPUT:
        return None
    found = json_of(case, first)
    rest = ("--threads", 3, "--quiet", "--out", command + "-2")
    if fewer:
        case.run(command, *words, "--replicas", fewer, *rest, codes=(SUCCESS, FAILED))
        rest += ("--resume",)
    second = case.run(command, *words, *whole, *rest, "--json", codes=(SUCCESS, FAILED))
    if second.out != first.out or second.code != first.code:
        case.fail(command, "threads, or a pause, change the JSON", second)
    same_directories(case, command, command + "-1", command + "-2", second)
    checked = case.run("results", command + "-1", "--check")
    if "Every file is as it was written" not in checked.out:
        case.fail(command, "--check does not say that all is well", checked)
    for rows in (figures.read_csv(case.folder / (command + "-1") / "replicas.csv"),):
        for row in rows[:20]:
            first_of(case, "sums", figures.sum_problems({key: value for key, value in row.items() if value != ""}), first)
    return found


def compared(case):
    """A scenario with itself: nothing differs. With another value: the first is as it was alone."""
    replicas, _, alone, _ = the_run(case)
    found = study(case, "compare", case.scenario, "--with", "people.notice=45min", "--with", "people.response=1min",
                  replicas=replicas, codes=(SUCCESS, FAILED))
    if not found:
        return SKIPPED
    for name, each in found["scenarios"][0]["metrics"].items():
        if name in alone["metrics"] and each["mean"] != alone["metrics"][name]["mean"]:
            case.fail("compare", f"{name} is {each['mean']}, and {alone['metrics'][name]['mean']} of the scenario alone")
    today = effective(case)["job"]["stop_time"]
    itself = case.run("compare", case.scenario, "--with", f"job.stop_time={today}", "--replicas", replicas, "--quiet", "--json",
                      codes=(SUCCESS, FAILED, WRONG_INPUT))
    if itself.code == WRONG_INPUT:
        return None  # the same point twice
    lost = json_of(case, itself)["differences"][0]["lost"]["difference_s"]
    if lost:
        case.fail("compare", f"a scenario differs from itself by {lost} s", itself)
    return None


def swept(case):
    vary = case.chance.choice(VARIED)
    found = study(case, "sweep", case.scenario, "--vary", vary, replicas=3, fewer=1, codes=(SUCCESS, FAILED, WRONG_INPUT))
    if found and not all(each["replicas"] == 3 for each in found["points"]):
        case.fail("sweep", f"--vary {vary}: a point has {[each['replicas'] for each in found['points']]} replicas")
    return None if found else SKIPPED


def takes_long(case, runs):
    """Whether a study of so many replicas takes too much of the CPU time that a command has."""
    the_run(case)
    return case.seconds * runs > runner.CPU_SECONDS / 4


def tuned(case):
    if takes_long(case, TUNED_RUNS):
        return SKIPPED
    over = case.chance.choice(("checkpoint.interval", "spares.count=0:3", "detection.timeout"))
    return study(case, "tune", case.scenario, "--over", over, "--budget", 100, codes=(SUCCESS, FAILED, WRONG_INPUT)) or SKIPPED


def planned(case):
    job = effective(case)["job"]
    finish = max(60.0, (seconds(job["step_time"]) or 1.0) * max(1, job["steps"]) * 2)
    drawn = ("--uncertainty",) if case.chance.happens(0.3) else ()
    if takes_long(case, UNCERTAIN_RUNS if drawn else PLANNED_RUNS):
        return SKIPPED
    return study(case, "plan", case.scenario, "--finish-by", f"{finish:.0f}s", *drawn, replicas=2,
                 codes=(SUCCESS, FAILED, WRONG_INPUT)) or SKIPPED


def ranked(case):
    """A lever of what is not there does nothing; those that are told to gain stand before those that are told to lose."""
    if takes_long(case, RANKED_RUNS):
        return SKIPPED
    found = study(case, "rank", case.scenario, replicas=2, fewer=1, codes=(SUCCESS, FAILED, WRONG_INPUT))
    if not found:
        return SKIPPED
    ranking = found["ranking"]
    gains = [lever["goodput"]["by"] for lever in ranking["levers"] if lever["goodput"]["by"] is not None]
    if gains != sorted(gains, reverse=True):
        case.fail("rank", f"levers are not in the order of what they gain: {gains}")
    for lever in ranking["without_effect"]:
        if any(lever[what]["by"] for what in ("time_s", "tokens", "goodput")):
            case.fail("rank", f"{lever['path']} is without effect and gains {lever}")
    named = {lever["path"] for part in ("levers", "without_effect", "untried") for lever in ranking[part]}
    for fault, keys in effective(case).get("faults", {}).items():
        if isinstance(keys, dict) and f"faults.{fault}" not in named:
            case.fail("rank", f"the fault {fault} has no lever")
    return None


def scaled(case):
    settings = effective(case)
    gpus = settings["cluster"]["hosts"] * settings["cluster"]["hardware"]["gpus_per_host"]
    batch = ("--keep-batch",) if case.chance.happens(0.3) else ()
    return study(case, "scale", case.scenario, "--gpus", f"{gpus},{2 * gpus}", *batch, replicas=2, fewer=1,
                 codes=(SUCCESS, FAILED, WRONG_INPUT)) or SKIPPED


# --- known answers ---------------------------------------------------------------------------------------------------

STILL = """extends = "{scenario}"
inherit_faults = false
[job]
steps = {steps}
step_time = "{step}ns"
window = "0s"
[job.start]
provisioning = "1s"
scheduling = "2s"
process_start = "3s"
communicator_init = "4s"
data_loader = "5s"
warm_up = "6s"
at_gpus = 0
growth = {{ scheduling = 0.0, process_start = 0.0, communicator_init = 0.0, data_loader = 0.0, warm_up = 0.0 }}
[job.planned]
times = []
[job.evaluation]
every = 0
time = "0s"
[telemetry]
gap_mtbf = "0s"
blip_mtbf = "0s"
[policies]
detect = []
checkpoint = "fixed"
[checkpoint]
interval = "{interval}ns"
{quick}[storage]
stall = "{stall}ns"
persist = "{persist}ns"
free = true
slow_write = 0.0
"""
START_NS = 21 * 10**9
STEPS = 20_000


def without_faults(case):
    """A job that nothing befalls takes its steps, its first start and its checkpoints, to the nanosecond."""
    settings = effective(case)
    tiers = {"memory_interval", "peers_interval"} & set(settings["checkpoint"])
    if settings["cluster"].get("shared", {}).get("jobs") or settings["job"]["tokens"]:
        return SKIPPED
    patience = settings["job"].get("give_up_after")
    if isinstance(patience, str) and seconds(patience) * 1e9 <= START_NS:
        return SKIPPED  # it gives up before its first start is over
    step_ns = round((seconds(settings["job"]["step_time"]) or 1.5) * 1e9)
    interval_ns = round(case.chance.between(20, 2000) * step_ns)
    stall_ns = case.chance.choice((0, 1, step_ns // 3, 2 * step_ns))
    stage = interval_ns // 4
    quarters = {"memory_interval": 1, "peers_interval": 2}
    quick = "".join(f'{tier} = "{stage * count}ns"\n' for tier, count in quarters.items() if tier in tiers)
    # Whatever operators are to do comes after its end. Their actions are inherited, and an action cannot be taken away.
    never = "".join(f'[operators.{name}]\nat = "250y"\n' for name in settings.get("operators", {}))
    still = STILL.format(scenario=case.scenario, interval=interval_ns, steps=STEPS, step=step_ns, stall=stall_ns,
                         persist=5 * step_ns, quick=quick) + never
    (case.folder / "still.toml").write_text(still, encoding="utf-8")
    done = case.run("run", "still.toml", "--replicas", 1, "--quiet", "--json", "--out", "still",
                    codes=(SUCCESS, FAILED, WRONG_INPUT))
    if done.code == WRONG_INPUT:
        case.kept["still"] = done
        return SKIPPED  # what its other keys ask for is no longer there
    row = figures.read_csv(case.folder / "still/replicas.csv")[0]
    stalls = int(row["lost.checkpoint.checkpoint_stall_ns"])
    wanted = {"ending": "completed", "steps": str(STEPS), "iterations": str(STEPS), "effective_ns": str(STEPS * step_ns),
              "interruptions": "0", "restarting_ns": str(START_NS), "wall_ns": str(STEPS * step_ns + START_NS + stalls)}
    for column, value in wanted.items():
        if row[column] != value and not (column == "ending" and row[column] == "gave_up"):
            case.fail("closed form", f"{column} is {row[column]}, not {value}", done)
    apart = -(-interval_ns // step_ns)  # steps between checkpoints
    count = (STEPS - 1) // apart
    if not tiers and stalls != stall_ns * count:
        case.fail("closed form", f"checkpoints took {stalls} ns, not {count} of {stall_ns} ns", done)
    return None


Z_MOST = 3.719  # one side of 1e-4
PAIRS = 200


def worse(case, words, seed):
    """By how many standard errors the second loses more than the first."""
    found = json_of(case, case.run("compare", *words, "--replicas", PAIRS, "--seed", seed, "--quiet", "--json",
                                   codes=(SUCCESS, FAILED)))
    lost = found["differences"][0]["lost"]
    return lost["difference_s"] / lost["se"] if lost["se"] else 0.0


def no_worse(case):
    """Restarts that take half the time, or two spares more, may cost more in one replica, but not on average."""
    _, result, *_ = the_run(case)
    if case.seconds > MOST_SECONDS / 40:
        return SKIPPED
    if "would be taken for a hang" in result.err:
        return SKIPPED  # as the warning says, the job is stopped at each evaluation, and a quicker restart comes to more of them
    settings = effective(case)
    # The faults of a trace strike at the same times in every replica. A quicker restart may meet one that a slower one does not, and
    # there is no chance to average over.
    if any(isinstance(fault, dict) and fault.get("trace") for fault in settings.get("faults", {}).values()):
        return SKIPPED
    # Spares of one more switch bring the faults of that switch, and those of the switches above.
    of_switches = any(fault.get("component") in ("tor", "aggregation", "spine") for fault in settings.get("faults", {}).values()
                      if isinstance(fault, dict))
    of_one_job = settings["spares"]["policy"] == "fixed" and not settings["cluster"]["shared"].get("jobs")
    # A host that seems slow is replaced where a spare stands by; where none does, a person is told and the job goes on. Blips
    # make healthy hosts seem slow, so that spares lead to restarts in vain.
    blips = seconds(settings["telemetry"]["blip_mtbf"]) > 0
    if of_one_job and not of_switches and not blips and case.chance.happens(0.5):
        change = f"spares.count={settings['spares']['count'] + 2}"
    else:
        times = {"job.restart_time": settings["job"].get("restart_time")}
        times.update({f"job.start.{name}": value for name, value in settings["job"].get("start", {}).items() if name != "source"})
        times = {path: seconds(value) for path, value in times.items() if isinstance(value, str) and seconds(value) > 0}
        if not times:
            return SKIPPED
        change = " ".join(f"{path}={value / 2:.9f}s" for path, value in times.items())
    words = (case.scenario, "--with", change)
    if case.run("compare", *words, "--replicas", 1, "--quiet", codes=(SUCCESS, FAILED, WRONG_INPUT)).code == WRONG_INPUT:
        return SKIPPED
    # Whatever is found by chance with one seed is not there with another.
    if all(worse(case, words, seed) > Z_MOST for seed in (1, 2)):
        shown = case.run("compare", *words, "--replicas", PAIRS, "--quiet", codes=(SUCCESS, FAILED))
        case.fail("no worse", f"`{re.sub('[0-9.]+', '#', change)}` loses more", shown)
    return None
