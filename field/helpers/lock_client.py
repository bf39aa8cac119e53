"""The client protocol (docs/client-protocol.md) for an adapter in Python, which brings only a lock.

serve() answers the kit's requests until it is told to stop. The lock is a class (or a function):
    Lock(servers, key, lease_ms, renewed, lost)  one hold; call lost() if the library tells of it
    .acquire(wait_ms)  True, False, a dict of more fields for the answer, "not_acquired", or
                       "interrupted"
    .waits             optional: True if the library waits; else serve() asks again every 20 ms
    .release()         an outcome of the protocol, "not_mine", "not_released" or "no_outcome"
    .extend(lease_ms)  optional, the capability "extend": an outcome of the protocol; None: the same
    .held()            optional: what the library answers when asked; asked before each write
Thread 1 of a request is the program's main thread, as some libraries need it; a KeyboardInterrupt
there, by which some tell their holder of a loss, is one.
A wait_ms of 0 means: ask once. `connect(nodes)` is called once and makes `servers`; nodes are
(host, port). An exception in `unknown` means: no answer came, the command may have been applied.
Others become `error` answers.
"""
import json, os, queue, signal, sys, threading, time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from critical_section import Abandoned, Storage, change_account

def setting(name, default=None):
    value = os.environ.get(name, default)
    if not value:
        print(f"{name} is not set: the lab starts lock clients and sets it", file=sys.stderr)
        sys.exit(2)
    return value

NAME, LEASE_MS = setting("LOCK_CLIENT"), int(setting("LOCK_LEASE_MS", "30000"))
VARIANT = os.environ.get("LOCK_VARIANT", "default")  # lock.json names them
# Seconds until a command counts as unanswered; None in the other variants: as the library has it.
TIMEOUT = (min(500, int(setting("LOCK_TIMEOUT_MS", "1000"))) / 1000
           if VARIANT == "command_timeout" else None)
stopping, requests, say_one = threading.Event(), queue.SimpleQueue(), threading.RLock()

OPERATIONS = ("hello", "acquire", "release", "repeat", "extend", "held", "work", "bye")
REFUSED = (False, "not_acquired", "interrupted")

class Client:
    def __init__(self, name, version, capabilities, connect, lock, unknown):
        self.identity = {"name": name, "version": 1, "library": version,
                         "capabilities": capabilities}
        self.lock, self.unknown, self.holds = lock, unknown, []  # the newest hold last
        nodes = [(host, int(port)) for host, port in
                 (node.rsplit(":", 1) for node in setting("LOCK_NODES").split(","))]
        self.servers, self.storage = connect(nodes), Storage(setting("LOCK_STORAGE"), NAME)
        self.threads = defaultdict(lambda: ThreadPoolExecutor(1))  # a library may ask who calls it
        self.in_call = False  # the main thread is in an operation

    def find(self, request):
        place = (request.get("thread", 1), request["key"])
        return next((hold for hold in reversed(self.holds) if hold["place"] == place), None)

    def make(self, request):
        hold = {"place": (request.get("thread", 1), request["key"]), "lost": False, "fence": []}
        hold["lock"] = self.lock(self.servers, request["key"], request.get("lease_ms") or LEASE_MS,
                                 not request.get("lease_ms"), lambda: self.tell_lost(hold))
        return hold

    def tell_lost(self, hold, **more):
        if not hold["lost"] and any(each is hold for each in self.holds):
            hold["lost"] = True
            say({"event": "lost", "key": hold["place"][1], **more})

    def unless_unknown(self, call):
        try:
            return call()
        except (*self.unknown, KeyboardInterrupt) as error:
            return {"outcome": "unknown", "why": f"{type(error).__name__}: {error}"}

    def hello(self, request):
        return self.identity

    def acquire(self, request):
        return self.unless_unknown(lambda: self.ask_for(request))

    def ask_for(self, request):
        if "join" in request:
            raise RuntimeError("this lock cannot be joined")
        hold, tries = self.make(request), request.get("tries")
        wait_ms = request.get("wait_ms", 0)
        by_itself = wait_ms > 0 and not tries and getattr(hold["lock"], "waits", False)
        end = time.monotonic() + wait_ms / 1000
        while (got := hold["lock"].acquire(wait_ms if by_itself else 0)) in REFUSED:
            tries = tries and tries - 1
            over = time.monotonic() >= end and (tries is None or wait_ms > 0)
            if by_itself or over or tries == 0 or stopping.is_set():
                return {"outcome": got or "contended"}
            stopping.wait(0.02)
        more = got if isinstance(got, dict) else {}
        hold["fence"] = [more["fencing_token"]] if "fencing_token" in more else []
        self.holds.append(hold)
        return {"outcome": "acquired", "thread": hold["place"][0], **more}

    def release(self, request):
        hold = self.find(request)  # without one: a program with a bug asks too
        lock = (hold or self.make(request))["lock"]
        answer = self.unless_unknown(lambda: {"outcome": lock.release()})
        if hold and answer["outcome"] != "unknown":
            self.holds = [each for each in self.holds if each is not hold]
        return answer

    def repeat(self, request):  # a benchmark's
        end, pairs = time.monotonic() + request["for_ms"] / 1000, 0
        while time.monotonic() < end:
            outcome = self.acquire(request)["outcome"]
            if outcome in ("contended", "not_acquired"):
                continue  # it gave up
            if outcome == "acquired":
                outcome = self.release(request)["outcome"]
            if outcome not in ("released", "no_outcome"):
                raise RuntimeError(f"after {pairs} pairs: {outcome}")
            pairs += 1
        return {"outcome": "done", "pairs": pairs}

    def extend(self, request):
        hold = self.find(request)
        if not hold:
            return {"outcome": "not_held"}
        extend = hold["lock"].extend
        answer = self.unless_unknown(lambda: {"outcome": extend(request.get("lease_ms"))})
        if answer["outcome"] in ("not_mine", "not_held"):
            hold["lost"] = True
        return answer

    def held(self, request):
        hold = self.find(request)
        return {"held": hold is not None and not hold["lost"]}

    def work(self, request):
        hold = self.find(request)
        if not hold:
            raise RuntimeError("work needs the lock: acquire it first")
        try:
            change_account(self.storage, request, hold["fence"], stopping, lambda: self.check(hold))
        except (Exception, KeyboardInterrupt) as error:
            if isinstance(error, KeyboardInterrupt):
                self.tell_lost(hold)
            self.release(request)  # what leaves the critical section early gives the lock back
            if not isinstance(error, (Abandoned, KeyboardInterrupt)):
                raise
            return {"outcome": "abandoned", "why": str(error) or "KeyboardInterrupt"}
        return {"outcome": "done"}

    def check(self, hold):  # what an application asks last, before it writes
        if hold["lost"]:
            raise Abandoned("the lock is lost")
        ask = getattr(hold["lock"], "held", lambda: True)
        answer = self.unless_unknown(lambda: {"held": ask()})
        if "why" in answer:
            raise Abandoned(f"asked, the lock did not answer: {answer['why']}")
        if not answer["held"]:
            self.tell_lost(hold, asked=True)
            raise Abandoned("asked, the lock said that it is lost")

    def bye(self, request):
        for thread, key in [hold["place"] for hold in reversed(self.holds)]:
            try:
                self.call(self.release, {"thread": thread, "key": key})
            except Exception as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return {"outcome": "bye"}

    def call(self, run, request):
        thread = request.get("thread", 1)
        if thread != 1:
            return self.threads[thread].submit(run, request).result()
        self.in_call = True
        try:
            return run(request)
        finally:
            self.in_call = False

    def interrupted(self, *_):
        if self.in_call:
            raise KeyboardInterrupt
        for hold in list(self.holds):
            self.tell_lost(hold)

    def answer(self, line):
        request = {}
        try:
            request = json.loads(line)
            operation = request["op"]
            if operation not in OPERATIONS:
                raise RuntimeError(f'unknown operation "{operation}"')
            run = getattr(self, operation)
            answer = run(request) if operation == "bye" else self.call(run, request)
        except (Exception, KeyboardInterrupt) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        known = request if isinstance(request, dict) else {}
        say({**answer, **({"id": known["id"]} if "id" in known else {})})
        return known.get("op") != "bye"

def say(line):
    with say_one:
        print(json.dumps(line), flush=True)

def read_input():
    text = b""
    while block := os.read(0, 65536):
        *lines, text = (text + block).split(b"\n")
        for line in lines:
            requests.put(line)
    stop()

def stop():
    stopping.set()
    requests.put(None)

def told_to_stop(*_):  # the main thread may be inside a lock that stop() takes
    threading.Thread(target=stop).start()

def serve(name, version, capabilities, connect, lock, unknown=()):
    signal.signal(signal.SIGTERM, told_to_stop)
    client = Client(name, version, capabilities, connect, lock, unknown)
    signal.signal(signal.SIGINT, client.interrupted)
    threading.Thread(target=read_input, daemon=True).start()
    while (line := requests.get()) is not None and not stopping.is_set():
        if not client.answer(line):
            return
    client.bye({})
    say({"event": "stopped"})
