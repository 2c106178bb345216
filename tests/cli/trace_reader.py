"""A strict reader of the Chrome trace event format, for files that Perfetto shall open.

Perfetto drops what breaks these rules, and says so only in its statistics. They are read off its importer
(https://github.com/google/perfetto/tree/main/src/trace_processor/importers: json/json_trace_parser_impl.cc,
common/slice_tracker.cc, common/flow_tracker.cc). Times are whole nanoseconds here.
"""
import collections
import decimal
import json

ALLOWED = {"M": {"name", "pid", "tid", "args"},
           "X": {"ts", "dur", "name", "cat", "pid", "tid", "args", "cname"},
           "i": {"s", "ts", "name", "cat", "pid", "tid", "args"},
           "C": {"ts", "name", "cat", "pid", "args"},
           "s": {"id", "ts", "name", "cat", "pid", "tid"},
           "f": {"id", "ts", "bp", "name", "cat", "pid", "tid"}}
NEEDED = {"M": {"name", "pid", "args"}, "X": {"ts", "dur", "name"}, "i": {"s", "ts", "name"}, "C": {"ts", "name", "args"},
          "s": {"id", "ts", "name"}, "f": {"id", "ts", "bp", "name"}}
PROCESS_NAMES = ("process_name", "process_sort_index")
THREAD_NAMES = ("thread_name", "thread_sort_index")
MOST_DEPTH = 512  # of slices in each other

Slice = collections.namedtuple("Slice", "process track name category begin end arguments place")
Mark = collections.namedtuple("Mark", "process track name category at arguments")
Arrow = collections.namedtuple("Arrow", "name begin end")  # the slices that it leads from and to


class Wrong(Exception):
    """The file breaks a rule of the format."""


def need(holds, what):
    if not holds:
        raise Wrong(what)


def no_constant(text):
    raise Wrong(f"{text} is not JSON")


def without_repetition(pairs):
    need(len({name for name, _ in pairs}) == len(pairs), f"a member comes twice: {pairs}")
    return dict(pairs)


def nanoseconds(value):
    exact = decimal.Decimal(value) * 1000
    need(exact == int(exact) and exact >= 0, f"{value} is not a time in whole nanoseconds from zero on")
    return int(exact)


def as_perfetto_sorts(event):
    """By time; of one time slices with a length first, the longest before others, then all else as in the file."""
    return (nanoseconds(event["ts"]) if "ts" in event else -1), -nanoseconds(event["dur"]) if "dur" in event else 0


class Trace:
    """A whole trace. `processes`: name by number. `tracks`: name by (process, number)."""

    def __init__(self, text):
        need(not any(mark in text for mark in "<>&"), "a character that begins HTML is not escaped")
        document = json.loads(text, parse_float=decimal.Decimal, parse_constant=no_constant, object_pairs_hook=without_repetition)
        need(set(document) == {"otherData", "displayTimeUnit", "traceEvents"}, f"members {sorted(document)}")
        self.about = document["otherData"]
        self.processes, self.tracks, self.slices, self.marks, self.arrows = {}, {}, [], [], []
        self.counters = collections.defaultdict(list)  # (process, name) -> (time, value)
        self.order = {}
        self.stacks, self.begun, self.ended = collections.defaultdict(list), {}, {}
        self.check_order(document["traceEvents"])
        for event in sorted(document["traceEvents"], key=as_perfetto_sorts):
            self.read(event)
        need(set(self.begun) == set(self.ended), f"arrows without an end: {set(self.begun) ^ set(self.ended)}")
        need(len(set(self.tracks.values())) > 0, "there is no track")
        for process, _ in self.tracks:
            need(process in self.processes, f"process {process} has no name")
        numbers = [number for _, number in self.tracks]
        need(len(set(numbers)) == len(numbers), "two tracks have one number: names are given by number alone")
        need(not set(numbers) & set(self.processes), "a track has the number of a process, and is taken for its main thread")

    @staticmethod
    def check_order(events):
        last, names = 0, True
        for event in events:
            if event.get("ph") == "M":
                need(names, "names come first")
                continue
            names, at = False, nanoseconds(event.get("ts", 0))
            need(at >= last, f"time goes back from {last} to {at}: {event}")
            last = at

    def read(self, event):
        kind = event.get("ph")
        need(kind in ALLOWED, f"an event of kind {kind}")
        members = set(event) - {"ph"}
        need(members <= ALLOWED[kind] and members >= NEEDED[kind], f"members {sorted(members)} of kind {kind}")
        need(isinstance(event["name"], str) and event["name"], f"an event without a name: {event}")
        if kind == "M":
            return self.named(event)
        at = nanoseconds(event["ts"])
        need(event["pid"] in self.processes, f"process {event['pid']} has no name")
        if kind == "C":
            return self.count(event, at)
        need((event["pid"], event["tid"]) in self.tracks, f"track {event['pid']}, {event['tid']} has no name")
        {"X": self.slice, "i": self.mark, "s": self.begin_arrow, "f": self.end_arrow}[kind](event, at)
        return None

    def named(self, event):
        if event["name"] in PROCESS_NAMES:
            if event["name"] == "process_name":
                need(event["pid"] not in self.processes, f"process {event['pid']} has two names")
                self.processes[event["pid"]] = event["args"]["name"]
            return
        need(event["name"] in THREAD_NAMES, f"a name of kind {event['name']}")
        track = event["pid"], event["tid"]
        if event["name"] == "thread_sort_index":
            self.order[track] = event["args"]["sort_index"]
            return
        need(track not in self.tracks, f"track {track} has two names")
        self.tracks[track] = event["args"]["name"]

    def count(self, event, at):
        need(len(event["args"]) == 1, f"a counter has one value: {event}")
        member, value = next(iter(event["args"].items()))
        need(isinstance(value, (int, decimal.Decimal)) and decimal.Decimal(value).is_finite(), f"{value} is not finite")
        self.counters[event["pid"], event["name"] + " " + member].append((at, value))

    def slice(self, event, at):
        found = Slice(event["pid"], event["tid"], event["name"], event["cat"], at, at + nanoseconds(event["dur"]), event.get("args", {}),
                      len(self.slices))
        self.push(found)
        self.slices.append(found)

    def push(self, found):
        """Onto what is open in its track. Of no length: it lies on others of no length."""
        stack = self.stacks[found.process, found.track]
        has_length = found.begin < found.end
        while stack and (stack[-1].end < found.begin or
                         (stack[-1].end == found.begin and (has_length or stack[-1].begin < stack[-1].end))):
            stack.pop()
        need(not stack or found.end <= stack[-1].end, f"{found} overlaps {stack[-1] if stack else None}")
        need(len(stack) < MOST_DEPTH, f"{found} lies in {len(stack)} others")
        stack.append(found)

    def mark(self, event, at):
        need(event["s"] == "t", "an instant belongs to its track")
        found = Mark(event["pid"], event["tid"], event["name"], event["cat"], at, event.get("args", {}))
        self.marks.append(found)
        self.push(Slice(*found[:4], at, at, found.arguments, None))

    def enclosing(self, event, at):
        """What is open on top, whether it is over or not."""
        stack = self.stacks[event["pid"], event["tid"]]
        need(stack and stack[-1].begin <= at <= stack[-1].end, f"no slice encloses {event}")
        need(stack[-1].place is not None, f"an instant has an arrow: {event}")
        return stack[-1]

    def begin_arrow(self, event, at):
        need(event["id"] not in self.begun, f"arrow {event['id']} begins twice")
        self.begun[event["id"]] = self.enclosing(event, at), event["name"]

    def end_arrow(self, event, at):
        need(event["bp"] == "e", "an arrow ends in the slice around it")
        need(event["id"] in self.begun, f"arrow {event['id']} ends before it begins")
        need(event["id"] not in self.ended, f"arrow {event['id']} ends twice")
        begin, name = self.begun[event["id"]]
        need(name == event["name"], f"arrow {event['id']} changes its name")
        self.ended[event["id"]] = True
        self.arrows.append(Arrow(name, begin, self.enclosing(event, at)))

    # --- what tests ask ----------------------------------------------------------------------------------------------

    def of(self, category, process=None):
        return [each for each in self.slices if each.category == category and process in (None, each.process)]

    def track_name(self, of):
        return self.tracks[of.process, of.track]

    def leading(self, name, process=None):
        return [each for each in self.arrows if each.name == name and process in (None, each.begin.process)]


def read(path):
    return Trace(path.read_text(encoding="utf-8"))
