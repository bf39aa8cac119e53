#!/usr/bin/env python3
"""The program around the lock in lock.py: docs/client-protocol.md. Nothing is to be changed here."""
import json, os, random, signal, socket, sys, time

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)))

class Lost(Exception):
    """A command was sent, and its reply never came: it may have been applied."""

class Server:
    Lost = Lost  # for lock.py: except self.server.Lost

    def __init__(self, address, timeout):
        host, port = address.rsplit(":", 1)
        self.where, self.timeout, self.stream = (host, int(port)), timeout, None

    def command(self, *words):
        if self.stream is None:
            self.stream = socket.create_connection(self.where, self.timeout).makefile("rwb")
        try:
            parts = [b"$%d\r\n%s\r\n" % (len(w), w) for w in (str(w).encode() for w in words)]
            self.stream.write(b"*%d\r\n%s" % (len(parts), b"".join(parts)))
            self.stream.flush()
            return self.reply()
        except OSError as error:
            self.stream = None  # a late reply must not be taken for the next one
            raise Lost(f"no reply to {words[0]}: {error}") from error

    def reply(self):
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise OSError("hung up")
        kind, rest = line[:1], line[1:-2].decode()
        if kind == b"-":
            raise RuntimeError(rest)
        if kind in b"$*" and int(rest) < 0:
            return None
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        return self.stream.read(int(rest) + 2)[:-2].decode() if kind == b"$" else rest

import lock  # after Server, which it may need

ME, LEASE = os.environ["LOCK_CLIENT"], int(os.environ.get("LOCK_LEASE_MS", 30_000))
TIMEOUT = int(os.environ.get("LOCK_TIMEOUT_MS", 1_000)) / 1000
redis = Server(os.environ["LOCK_NODES"].split(",")[0], TIMEOUT)
storage = Server(os.environ["LOCK_STORAGE"], 60)
locks, held, stopping, idle = {}, set(), False, False  # locks: by key; held: the keys we have

def lock_of(request):
    key = request["key"]
    if key not in locks:
        locks[key] = lock.Lock(redis, key)
    return locks[key]

def acquire(request):
    start, tries, wait = time.monotonic(), 0, request.get("wait_ms", 0) / 1000
    limit = request.get("tries", 1 if wait == 0 else None)
    while True:
        outcome = lock_of(request).try_acquire(request.get("lease_ms") or LEASE)
        if outcome == "acquired":
            held.add(request["key"])
        tries += 1
        over = wait > 0 and time.monotonic() - start >= wait
        if outcome != "contended" or stopping or over or tries == limit:
            return {"outcome": outcome}
        time.sleep(random.uniform(0.005, 0.020))

def release(request):
    outcome = lock_of(request).release()
    if outcome != "unknown":
        held.discard(request["key"])
    return {"outcome": outcome}

class Abandoned(Exception):
    """Ends a critical section early."""

def change_account(request):
    account = request.get("account", "account")
    value = int(storage.command("READ", account, ME)) + request.get("amount", 1)
    if request.get("throws"):
        raise Abandoned("an exception left the critical section")
    time.sleep(request.get("think_ms", 0) / 1000)
    if stopping:
        raise Abandoned("told to stop")
    storage.command("BEGIN", account, ME)
    storage.command("WRITE", account, ME, value)

def work(request):
    if request["key"] not in held:
        raise RuntimeError("work needs the lock: acquire it first")
    try:
        change_account(request)
    except Exception as error:
        release(request)  # whatever leaves the critical section early gives the lock back
        if isinstance(error, Abandoned):
            return {"outcome": "abandoned", "why": str(error)}
        raise
    return {"outcome": "done"}

def repeat(request):
    until, pairs = time.monotonic() + request["for_ms"] / 1000, 0
    while not stopping and time.monotonic() < until:
        if acquire(request)["outcome"] == "acquired":
            release(request)
            pairs += 1
    return {"outcome": "done", "pairs": pairs}

OPERATIONS = {"acquire": acquire, "release": release, "work": work, "repeat": repeat,
              "held": lambda request: {"held": request["key"] in held},
              "bye": lambda request: {"outcome": "bye"},
              "hello": lambda request: {"name": "lock.py", "version": 1, "library": "1.0",
                                        "capabilities": lock.CAPABILITIES}}

def on_terminate(*_):
    global stopping
    stopping = True
    if idle:
        raise EOFError

def serve():
    global idle
    while not stopping:
        idle = True
        line = sys.stdin.readline()
        idle = False
        if not line:
            return
        request = {}
        try:
            request = json.loads(line)
            if request["op"] == "bye":
                give_back()
            answer = OPERATIONS[request["op"]](request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({**answer, "id": request.get("id")}), flush=True)
        if request.get("op") == "bye":
            sys.exit()

def give_back():
    for key in list(held):
        release({"key": key})

signal.signal(signal.SIGTERM, on_terminate)
try:
    serve()
except EOFError:
    pass
give_back()
print(json.dumps({"event": "stopped"}), flush=True)
