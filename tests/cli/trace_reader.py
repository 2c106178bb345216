"""A strict reader of the Chrome trace event format, for files that Perfetto shall open.

Perfetto drops what breaks these rules, and says so only in its statistics. Times are whole nanoseconds here.
"""
import collections
import decimal
import json

ALLOWED = {"M": {"name", "pid", "tid", "args"},
           "X": {"ts", "dur", "name", "cat", "pid", "tid", "args", "cname"},
           "i": {"s", "ts", "name", "cat", "pid", "tid", "args"},
           "C": {"ts", "name", "cat", "pid", "tid", "args"},
           "s": {"id", "ts", "name", "cat", "pid", "tid"},
           "f": {"id", "ts", "bp", "name", "cat", "pid", "tid"}}
NEEDED = {"M": {"name", "pid", "args"}, "X": {"ts", "dur", "name"}, "i": {"s", "ts", "name"}, "C": {"ts", "name", "args"},
          "s": {"id", "ts", "name"}, "f": {"id", "ts", "bp", "name"}}
PROCESS_NAMES = ("process_name", "process_sort_index")
THREAD_NAMES = ("thread_name", "thread_sort_index")

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
        self.stacks, self.last, self.begun, self.ended = collections.defaultdict(list), 0, {}, {}
        for event in document["traceEvents"]:
            self.read(event)
        need(set(self.begun) == set(self.ended), f"arrows without an end: {set(self.begun) ^ set(self.ended)}")
        need(len(set(self.tracks.values())) > 0, "there is no track")
        for process, _ in self.tracks:
            need(process in self.processes, f"process {process} has no name")

    def read(self, event):
        kind = event.get("ph")
        need(kind in ALLOWED, f"an event of kind {kind}")
        members = set(event) - {"ph"}
        need(members <= ALLOWED[kind] and members >= NEEDED[kind], f"members {sorted(members)} of kind {kind}")
        need(isinstance(event["name"], str) and event["name"], f"an event without a name: {event}")
        if kind == "M":
            return self.named(event)
        at = nanoseconds(event["ts"])
        need(at >= self.last, f"time goes back from {self.last} to {at}: {event}")
        self.last = at
        need(event["pid"] in self.processes, f"process {event['pid']} has no name")
        if kind == "C":
            return self.count(event, at)
        need((event["pid"], event["tid"]) in self.tracks, f"track {event['pid']}, {event['tid']} has no name")
        {"X": self.slice, "i": self.mark, "s": self.begin_arrow, "f": self.end_arrow}[kind](event, at)
        return None

    def named(self, event):
        need(self.last == 0 and not self.slices, "names come first")
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
        need(list(event["args"]) == ["value"], f"a counter has one value: {event}")
        value = event["args"]["value"]
        need(isinstance(value, (int, decimal.Decimal)) and decimal.Decimal(value).is_finite(), f"{value} is not finite")
        self.counters[event["pid"], event["name"]].append((at, value))

    def slice(self, event, at):
        stack = self.stacks[event["pid"], event["tid"]]
        end = at + nanoseconds(event["dur"])
        while stack and stack[-1].end <= at:
            stack.pop()
        need(not stack or end <= stack[-1].end, f"{event} overlaps {stack[-1] if stack else None}")
        found = Slice(event["pid"], event["tid"], event["name"], event["cat"], at, end, event.get("args", {}), len(self.slices))
        stack.append(found)
        self.slices.append(found)

    def mark(self, event, at):
        need(event["s"] == "t", "an instant belongs to its track")
        self.marks.append(Mark(event["pid"], event["tid"], event["name"], event["cat"], at, event.get("args", {})))

    def enclosing(self, event, at):
        stack = self.stacks[event["pid"], event["tid"]]
        while len(stack) > 1 and stack[-1].end < at:
            stack.pop()
        need(stack and stack[-1].begin <= at <= stack[-1].end, f"no slice encloses {event}")
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
