"""What a rank of a training job tells Gauntlet, and what it is told. Copy this file into your project; it needs Python alone.

    rank = gauntlet_rank.Rank()
    rank.phase("process_start")
    ...
    rank.phase("communicator_init")
    rank.resumed(step)                       # the state after this step is loaded, 0 for none
    while step < steps and not rank.stop_wanted():
        step += 1
        with rank.step(step):
            with rank.segment("forward"):
                ...
            with rank.collective("all_reduce", "dp"):
                ...
        rank.loss(step, loss)
        if rank.checkpoint_wanted(step):
            with rank.stall(step):
                save()
            rank.saved(step)                 # by one rank of the job, once the checkpoint is durable as a whole
    rank.finished(step, parameter_bytes)

Outside a drill (without $GAUNTLET_RANK_SOCKET) everything here does nothing, and checkpoint_wanted(step) is false. A
rank never waits for Gauntlet: a message that does not fit is dropped and counted. `phase`, `resumed`, `saved` and `finished` alone wait,
for a second at most, and a collective where an injected fault holds this rank. Call it from one thread. real/rank/PROTOCOL.md describes
the messages.
"""
import collections
import contextlib
import hashlib
import mmap
import os
import select
import socket
import struct
import time

LONGEST = 4096  # bytes of a message
MARKS = 256  # that the recorder keeps
MARK = struct.Struct("=QqIIq16s16s")
NUMBER = struct.Struct("=Q")  # the first of a mark
HEADER = struct.Struct("=8sQII40x")
SENT = struct.Struct("=Q")
SENT_AT = 8  # in the header
SEGMENTS = 8  # names of a step's segments; those beyond are in the recorder alone
DEVICE_SEGMENTS = 1024  # whose end the device has not reached; a step with more is not told
MAGIC = b"GNTLMRK1"
STEP_BEGAN, STEP_ENDED, SEGMENT, ENTERED, LEFT = 1, 2, 3, 4, 5
PATIENCE_S = 1.0  # of the messages that wait


class Rank:
    """This process's end of the line to its agent."""

    def __init__(self, number=None, environment=None):
        environment = os.environ if environment is None else environment
        self.number = int(environment.get("RANK", "0")) if number is None else number
        self.every = 0
        self.dropped = 0
        self._unsaid_drops = 0
        self._socket = None
        self._marks = None
        self._next = 0
        self._sequence = {}
        self._segments = {}
        self._make_event = None
        self._events = []  # that are free
        self._on_device = collections.deque()  # (step, name, begin, end), in the order of their ends
        self._device_segments = {}  # of the step of the last one that ended
        self._device_step = 0
        self._told_in = 0  # the last step in which device segments of earlier ones were told
        self._untimed_steps = set()  # some of whose device segments were not timed
        self._sent = 0
        self._checkpoint = False
        self._stop = False
        self._held = False
        self._step = 0  # the last that began
        path = environment.get("GAUNTLET_RANK_SOCKET")
        if path:
            self._connect(path)
        if self.connected:
            self.every = int(environment.get("GAUNTLET_CHECKPOINT_EVERY", "0"))
        if self.connected and environment.get("GAUNTLET_RANK_MARKS"):
            self._open_marks(environment["GAUNTLET_RANK_MARKS"] + str(self.number))

    @property
    def connected(self):
        """Whether this is a drill whose agent listens."""
        return self._socket is not None

    # --- what it tells

    def phase(self, name):
        """This phase of the start is complete: "process_start", "communicator_init", "load" or "data_loader"."""
        self._say(f"phase {name}", wait=True)

    def resumed(self, step):
        """The groups stand and the state is loaded: training goes on after this step."""
        self._say(f"up {step}", wait=True)

    @contextlib.contextmanager
    def step(self, step):
        """A step, from 1. It is complete unless the block raises."""
        began = self.begin_step(step)
        yield
        self.end_step(step, began)

    def begin_step(self, step):
        """Returns the time, for end_step."""
        self._listen()
        now = time.monotonic_ns()
        self._mark(now, STEP_BEGAN, step)
        self._step = step
        self._segments = {}
        self._forget_device_segments(step)
        return now

    def end_step(self, step, began):
        now = time.monotonic_ns()
        self._mark(now, STEP_ENDED, step)
        segments = "".join(f"\n{now} segment {step} {name} {took}" for name, took in self._segments.items())
        self._say(f"step {step} {now - began}{segments}", now)

    @contextlib.contextmanager
    def segment(self, name):
        """A named part of a step, by this process's clock. The name is one word; blanks in it become underscores.

        "forward" and "backward" are what detectors compare between hosts: computation, without the wait for other ranks.
        """
        name = "_".join(name.split())
        began = time.monotonic_ns()
        yield
        now = time.monotonic_ns()
        self._mark(now, SEGMENT, now - began, name)
        if name in self._segments or len(self._segments) < SEGMENTS:
            self._segments[name] = self._segments.get(name, 0) + now - began

    def time_device(self, make_event):
        """For device_segment. Makes an event of the device, as `lambda: torch.cuda.Event(enable_timing=True)` does: it has record(), query()
        and elapsed_time(end) in milliseconds."""
        self._make_event = make_event

    @contextlib.contextmanager
    def device_segment(self, name):
        """A named part of a step as the device computes it, between two events on its current stream.

        Nothing waits for the device: the time is told in a later step, behind its first such part, so that the device has work meanwhile.
        Steps that the device has not reached when the job is finished are not told. What the stream waits for is timed too: put no collective between the two. A name
        is timed by segment or by device_segment, not by both.
        """
        if self._make_event is None or self._socket is None:
            yield
            return
        if len(self._on_device) >= DEVICE_SEGMENTS:
            self._collect_device_segments()
        if len(self._on_device) >= DEVICE_SEGMENTS:
            self._untimed_steps.add(self._step)
            yield
            return
        begin, end = self._event(), self._event()
        begin.record()
        try:
            yield
        except BaseException:
            self._events += (begin, end)
            raise
        end.record()
        self._on_device.append((self._step, "_".join(name.split()), begin, end))
        if self._told_in != self._step:
            self._told_in = self._step
            self._tell_device_segments(self._step)

    def sent(self, count):
        """So many bytes went to other ranks. The agent reads the sum where it has no counters of interfaces."""
        self._sent += count
        if self._marks is not None:
            SENT.pack_into(self._marks, SENT_AT, self._sent)

    @contextlib.contextmanager
    def collective(self, kind, group):
        """A collective of that kind in that group. The recorder counts them for each group, and survives this process."""
        if self._held:
            self._wait_while_held()
        sequence = self._sequence.get(group, 0) + 1
        self._sequence[group] = sequence
        self._mark(time.monotonic_ns(), ENTERED, sequence, kind, group)
        yield
        self._mark(time.monotonic_ns(), LEFT, sequence, kind, group)

    @contextlib.contextmanager
    def stall(self, step):
        """The checkpoint after this step blocks training for as long as the block takes."""
        began = time.monotonic_ns()
        yield
        now = time.monotonic_ns()
        self._say(f"stall {step} {now - began}", now)

    def saved(self, step):
        self._say(f"saved {step}", wait=True)

    def loss(self, step, value):
        """By one rank of the job, such as the first one of the last pipeline stage."""
        self._say(f"loss {step} {float(value)!r}")

    def mfu(self, step, value):
        """Model FLOPs utilisation of this step, from 0 to 1."""
        self._say(f"mfu {step} {float(value)!r}")

    def log(self, pattern, text=""):
        """A log line of a kind that policies can watch for. The pattern is one word."""
        self._say(f"log {pattern.split()[0]} {text}".replace("\n", " ").rstrip())

    def finished(self, step, parameters=b""):
        """All steps are complete. Two runs that end with the same `parameters` (bytes) print the same hash."""
        self._tell_device_segments(step + 1)
        digest = hashlib.sha256(parameters).hexdigest()[:16] if parameters else "0" * 16
        self._say(f"finished {step} {digest}", wait=True)

    # --- what it is told

    def checkpoint_wanted(self, step):
        """Whether a checkpoint is due after this step: by the interval of the policies, or because one is ordered.

        Ranks hear of a changed interval or an order at different steps, so one rank should ask, and tell the others.
        """
        self._listen()
        wanted = self._checkpoint or (self.every > 0 and step % self.every == 0)
        self._checkpoint = False
        return wanted

    def stop_wanted(self):
        """Whether the job should end at this step boundary."""
        self._listen()
        return self._stop

    # --- how

    def _event(self):
        return self._events.pop() if self._events else self._make_event()

    def _forget_device_segments(self, step):
        """Of a step that is tried again: it raised, as where memory is out."""
        if any(each[0] == step for each in self._on_device):
            self._on_device = collections.deque(each for each in self._on_device if each[0] != step)
        if self._device_step == step:
            self._device_segments = {}

    def _tell_device_segments(self, before):
        """Those of the steps before that one with which the device is through."""
        self._collect_device_segments()
        if self._device_step < before and (not self._on_device or self._on_device[0][0] != self._device_step):
            self._end_device_step()

    def _collect_device_segments(self):
        """One stream completes its events in their order."""
        while self._on_device and self._on_device[0][3].query():
            step, name, begin, end = self._on_device.popleft()
            if step != self._device_step:
                self._end_device_step()
                self._device_step = step
            self._events += (begin, end)
            if name in self._device_segments or len(self._device_segments) < SEGMENTS:
                self._device_segments[name] = self._device_segments.get(name, 0) + round(1e6 * begin.elapsed_time(end))

    def _end_device_step(self):
        now = time.monotonic_ns()
        lines = [f"segment {self._device_step} {name} {took}" for name, took in self._device_segments.items()]
        self._device_segments = {}
        whole = self._device_step not in self._untimed_steps
        self._untimed_steps = {step for step in self._untimed_steps if step > self._device_step}
        if lines and whole:
            self._say(f"\n{now} ".join(lines), now)

    def _wait_while_held(self):
        """An injected fault: this rank does not enter its collective until it is told to go on or nobody listens."""
        self._say(f"held {self._step}", wait=True)
        while self._held and self._socket is not None:
            select.select([self._socket], [], [])
            self._listen()

    def _connect(self, path):
        try:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._socket.settimeout(PATIENCE_S)
            self._socket.connect(path)
            self._socket.setblocking(False)
            self._socket.send(f"hello {self.number}".encode())
        except OSError:
            self._close()

    def _close(self):
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _open_marks(self, path):
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            try:
                # Written, not only made longer: a full disk must be met here, and not by a mark, where it is SIGBUS.
                empty = HEADER.pack(MAGIC, 0, os.getpid(), self.number) + bytes(MARKS * MARK.size)
                if os.write(file, empty) == len(empty):
                    self._marks = mmap.mmap(file, len(empty))
            finally:
                os.close(file)
        except OSError:
            self._marks = None

    def _mark(self, now, what, value, name="", group=""):
        if self._marks is None:
            return
        place = HEADER.size + (self._next % MARKS) * MARK.size
        self._next += 1
        # Another process may read it at any time: a mark counts once it has its number.
        MARK.pack_into(self._marks, place, 0, now, what, 0, value, name.encode()[:16], group.encode()[:16])
        NUMBER.pack_into(self._marks, place, self._next)

    def _say(self, text, now=None, wait=False):
        if self._socket is None:
            return
        line = f"{time.monotonic_ns() if now is None else now} {text}"
        if self._unsaid_drops:
            line = f"{time.monotonic_ns()} dropped {self._unsaid_drops}\n{line}"
        try:
            if wait:
                select.select([], [self._socket], [], PATIENCE_S)
            self._socket.send(line.encode(errors="replace")[:LONGEST])
            self._unsaid_drops = 0
        except BlockingIOError:
            self.dropped += 1
            self._unsaid_drops += 1
        except OSError:
            self._close()

    def _listen(self):
        while self._socket is not None:
            try:
                message = self._socket.recv(LONGEST)
            except BlockingIOError:
                return
            except OSError:
                return self._close()
            if not message:
                return self._close()
            self._obey(message.decode(errors="replace").split())

    def _obey(self, words):
        if words == ["checkpoint"]:
            self._checkpoint = True
        elif words == ["stop"]:
            self._stop = True
        elif words == ["hold"]:
            self._held = True
        elif words == ["go", "on"]:
            self._held = False
        elif len(words) == 2 and words[0] == "cadence" and words[1].isdecimal():
            self.every = int(words[1])
