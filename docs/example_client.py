#!/usr/bin/env python3
"""A lock client of the lab in plain Python: docs/client-protocol.md, with the lock of stage 3."""
import json, os, random, secrets, signal, socket, sys, time

class Lost(Exception):
    """A command was sent, and its reply never came: it may have been applied."""

class Server:
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
            line = self.stream.readline()
            if not line.endswith(b"\r\n"):
                raise OSError("hung up")
            if line.startswith(b"$") and line != b"$-1\r\n":
                return self.stream.read(int(line[1:]) + 2)[:-2].decode()
        except OSError as error:
            self.stream = None  # a late reply must not be taken for the next one
            raise Lost(f"no reply to {words[0]}: {error}") from error
        if line.startswith(b"-"):
            raise RuntimeError(line[1:-2].decode())
        return None if line.startswith(b"$") else line[1:-2].decode()

ME, LEASE = os.environ["LOCK_CLIENT"], int(os.environ.get("LOCK_LEASE_MS", 30_000))
TIMEOUT = int(os.environ.get("LOCK_TIMEOUT_MS", 1_000)) / 1000
redis = Server(os.environ["LOCK_NODES"].split(",")[0], TIMEOUT)
storage = Server(os.environ["LOCK_STORAGE"], 60)
tokens, stopping, idle = {}, False, False  # tokens: what we hold, by key

def remove(key, token):
    holder = redis.command("GET", key)
    if holder != token:
        return "expired" if holder is None else "stolen"
    return "released" if redis.command("DEL", key) == "1" else "expired"

def acquire(request):
    key, token, start, tries = request["key"], secrets.token_hex(16), time.monotonic(), 0
    wait = request.get("wait_ms", 0) / 1000
    limit = request.get("tries", 1 if wait == 0 else None)
    while True:
        try:
            lease = request.get("lease_ms") or LEASE
            if redis.command("SET", key, token, "NX", "PX", lease) == "OK":
                tokens[key] = token
                return {"outcome": "acquired"}
        except Lost:
            try:
                remove(key, token)  # what may have been set is taken back
            except (Lost, OSError):
                pass  # the lease will do it
            return {"outcome": "unknown"}
        tries += 1
        over = wait > 0 and time.monotonic() - start >= wait
        if stopping or over or tries == limit:
            return {"outcome": "contended"}
        time.sleep(random.uniform(0.005, 0.020))

def release(request):
    if request["key"] not in tokens:
        return {"outcome": "not_held"}
    try:
        outcome = remove(request["key"], tokens[request["key"]])
    except Lost:
        return {"outcome": "unknown"}
    del tokens[request["key"]]
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
    if request["key"] not in tokens:
        raise RuntimeError("work needs the lock: acquire it first")
    try:
        change_account(request)
    except Exception as error:
        release(request)  # whatever leaves the critical section early gives the lock back
        if isinstance(error, Abandoned):
            return {"outcome": "abandoned", "why": str(error)}
        raise
    return {"outcome": "done"}

OPERATIONS = {"acquire": acquire, "release": release, "work": work,
              "held": lambda request: {"held": request["key"] in tokens},
              "bye": lambda request: {"outcome": "bye"},
              "hello": lambda request: {"name": "example_client.py", "version": 1, "library": "1.0",
                                        "capabilities": ["lease", "token"]}}

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
    for key in list(tokens):
        release({"key": key})

signal.signal(signal.SIGTERM, on_terminate)
try:
    serve()
except EOFError:
    pass
give_back()
print(json.dumps({"event": "stopped"}), flush=True)
