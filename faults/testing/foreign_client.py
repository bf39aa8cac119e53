#!/usr/bin/python3
"""A lock that nobody here would write, for tests: its words of the command line say how it differs.

    start_ms=150      it takes that long to start
    key=mutex:%s      another key           type=zset      of another type
    retry_ms=2500     it waits by itself, and asks again only every so often
    refused=word      said instead of contended            released=word  instead of released
    renews=always     also a lease that was asked for
    waits=for_word    it subscribes, takes its time, asks once more, and then waits for a message
    fence=at_once     a fencing token, counted with the lock; fence=late: in a command of its own
    replica=waits     refuses what no replica acknowledges
    unknown=taken_back
    unknown_tries=1   so many of its first acquires that may wait say "unknown"
    resend_ms=2000    a command whose connection broke is sent again after that time
    gone_ms=6000      a command to a server that is gone fails after that time
    keeps=yes         what it could not send to one of several servers it sends when that is back
    quiet_tries=4     it connects at once, and so many tries after a lost connection send nothing
    quorum=yes        it asks every server, one after the other, and needs a majority of them
    more=word         says that it can do that, too
    extend=checked    its holder can extend the lease; extend=late: and believes an answer that comes
                      after it; extend=any: gives a lease to whatever lock is there
    depth=counted     its holder takes it again, and gives one level back, without asking a server
    refused_ms=400    it takes that long to say that the lock is taken
    interrupt=obeyed  its waiting can be interrupted; interrupt=goes_on: and a thread waits on
    wrong=id | garbage | dies | hangs | does_not_ask | swallows_sigterm | dies_at_release |
          dies_holding | seconds | impatient | hears_late | own_lease (of 6 s) |
          no_end (of a default lease of 2 s or more) | repeats_once | counts_too_many | counts_none
"""
import collections, itertools, json, os, pathlib, secrets, signal, socket, sys, threading, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "field" / "helpers"))
options = dict(word.split("=", 1) for word in sys.argv[1:])
wrong = options.get("wrong")

if wrong == "dies":
    raise RuntimeError("there is no such library")
if wrong == "garbage":
    print("Listening on port 1234", flush=True)
    time.sleep(600)
if wrong == "hangs":
    time.sleep(600)
time.sleep(int(options.get("start_ms", 0)) / 1000)

import lock_client

DELETE = {"string": """if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
                       redis.call('PUBLISH', KEYS[1], 'free')
                       return redis.call('DEL', KEYS[1])""",
          "zset": "return redis.call('ZREM', KEYS[1], ARGV[1])"}
ADD = {"string": """if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end  -- a resend
                    if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
                    return 0""",
       "zset": """if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
                  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
                  return redis.call('PEXPIRE', KEYS[1], ARGV[2])"""}
RENEW = """if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
           return redis.call('PEXPIRE', KEYS[1], ARGV[2])"""
RENEW_ANY = "return redis.call('PEXPIRE', KEYS[1], ARGV[2])"
TYPE = options.get("type", "string")
COUNT = "return redis.call('INCR', KEYS[1])"
if options.get("fence") == "at_once":
    ADD["string"] = """if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
                         return redis.call('INCR', 'fence')
                       end
                       return 0"""

class Connection:
    def __init__(self, host, port):
        self.server, self.stream = (host, port), None
        self.quiet = 0
        if "quiet_tries" in options:
            self.stream = self.connect()

    def run(self, *words):
        if self.quiet > 0:
            self.quiet -= 1
            return 0
        self.stream = self.stream or self.connect()
        try:
            return self.ask(*words)
        except OSError:
            self.stream = None
            self.quiet = int(options.get("quiet_tries", 0))
            if "resend_ms" not in options and "gone_ms" not in options:
                raise
        time.sleep(int(options.get("resend_ms", 0)) / 1000)
        self.stream = self.connect()
        return self.ask(*words)

    def run_or_keep(self, *words):
        try:
            return self.run(*words)
        except OSError:  # the connection is lost: is the server gone?
            try:
                return self.run(*words)
            except ConnectionRefusedError:
                keeper = Connection(*self.server)
                threading.Thread(target=keeper.run_when_back, args=words, daemon=True).start()
                return 0

    def run_when_back(self, *words):
        while True:
            try:
                return self.run(*words)
            except OSError:
                time.sleep(0.002)

    def connect(self):
        end = time.monotonic() + int(options.get("gone_ms", 0)) / 1000
        while True:
            try:
                return socket.create_connection(self.server).makefile("rwb")
            except OSError:
                if time.monotonic() >= end:
                    raise
                time.sleep(0.05)

    def ask(self, script, key, *arguments):
        return self.say("EVAL", script, 1, key, *arguments)

    def say(self, *words):
        parts = [str(word).encode() for word in words]
        whole = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self.stream.write(b"*%d\r\n%s" % (len(parts), whole))
        self.stream.flush()
        line = self.stream.readline().decode().rstrip()
        if not line:
            raise ConnectionError("the server hung up")
        return int(line[1:]) if line[0] == ":" else 0

class Interruptible:
    """The queue of the requests, that sees interrupts before they wait in it."""

    def __init__(self, requests):
        self.requests, self.get = requests, requests.get

    def put(self, line):
        request = json.loads(line) if line else {}
        if request.get("op") != "interrupt":
            return self.requests.put(line)
        interrupted.set()
        lock_client.say({"id": request["id"], "outcome": "interrupted"})

tries = itertools.count(1)
depth = collections.Counter()  # by key, where the holder counts its levels
interrupted = threading.Event()
if "interrupt" in options:
    lock_client.requests = Interruptible(lock_client.requests)

class Lock:
    waits = any(word in options for word in ("retry_ms", "waits", "unknown_tries"))

    def __init__(self, servers, key, lease_ms, renewed, lost):
        self.servers, self.name, self.released = servers, key, threading.Event()
        self.lease_ms = lease_ms * (1000 if wrong == "seconds" else 1)
        if wrong == "own_lease" and renewed:
            self.lease_ms = 6_000
        if wrong == "no_end" and renewed and lease_ms >= 2_000:
            self.lease_ms = 1_000_000
        self.key, self.token = options.get("key", "%s") % key, secrets.token_hex(16)

    def acquire(self, wait_ms):
        if wrong == "does_not_ask":
            return True
        if "depth" in options and depth[self.key] > 0:
            depth[self.key] += 1
            return True
        if wait_ms > 0 and next(tries) <= int(options.get("unknown_tries", 0)):
            raise ConnectionError("its connection went with a server that died")
        if "waits" in options:
            return self.try_once() or wait_ms > 0 and self.wait_for_word(wait_ms / 1000)
        retry = int(options.get("retry_ms", 0)) / 1000
        end = time.monotonic() + wait_ms / 1000
        while not (added := self.try_once()):
            if not self.waits or time.monotonic() + retry > end:
                time.sleep(int(options.get("refused_ms", 0)) / 1000)
                return options.get("refused") or False
            if interrupted.wait(retry):
                if options["interrupt"] == "goes_on":
                    threading.Thread(target=self.wait_on, daemon=True).start()
                return "interrupted"
        depth[self.key] = 1
        if "renews" in options:
            threading.Thread(target=self.renew, daemon=True).start()
        if options.get("replica") == "waits" and self.name == "lock":
            if not self.servers[0].say("WAIT", 1, 50):
                self.run(DELETE[TYPE], self.key, self.token)
                return "not_acquired"
        if options.get("fence") == "late":
            added = self.servers[0].run(COUNT, "fence")
        return {"fencing_token": added} if "fence" in options else True

    def wait_on(self):
        while not self.try_once():
            time.sleep(0.01)

    def try_once(self):
        try:
            return self.run(ADD[TYPE], self.key, self.token, self.lease_ms)
        except OSError:
            if options.get("unknown") == "taken_back":
                self.run(DELETE[TYPE], self.key, self.token)
            raise

    def wait_for_word(self, seconds):
        with socket.create_connection(self.servers[0].server, timeout=seconds) as stream:
            stream.sendall(b"SUBSCRIBE %s\r\n" % self.key.encode())
            stream.recv(100)
            be_busy(0.1)
            try:
                return self.try_once() or bool(stream.recv(100)) and self.try_once()
            except TimeoutError:
                return False

    def renew(self):
        connection = Connection(*self.servers[0].server)
        while not self.released.wait(self.lease_ms / 3000):
            connection.run(RENEW, self.key, self.token, self.lease_ms)

    def extend(self, lease_ms):
        lease_ms, asked = lease_ms or self.lease_ms, time.monotonic()
        renew = RENEW_ANY if options["extend"] == "any" else RENEW
        if not self.run(renew, self.key, self.token, lease_ms):
            return "not_mine"
        in_time = time.monotonic() < asked + lease_ms / 1000
        return "extended" if in_time or options["extend"] == "late" else "not_extended"

    def run(self, *words):  # of several servers a majority said yes
        if len(self.servers) == 1:
            return self.servers[0].run(*words)
        votes = 0
        for server in self.servers:
            try:
                votes += server.run_or_keep(*words) if "keeps" in options else server.run(*words)
            except OSError:
                pass
        return votes > len(self.servers) / 2

    def held(self):
        if wrong == "dies_holding" and self.name == "lock":
            os._exit(9)
        return True

    def release(self):
        self.released.set()
        if wrong == "dies_at_release" and self.name == "lock":
            os._exit(7)
        depth[self.key] -= 1
        if "depth" in options and depth[self.key] > 0:
            return "still_held"
        removed = self.run(DELETE[TYPE], self.key, self.token)
        return options.get("released", "released") if removed else "not_mine"

def be_busy(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass

def stop_later(stop):
    be_busy(0.1)
    stop()

if wrong == "id":
    say = lock_client.say
    lock_client.say = lambda line: say({**line, "id": 4711})
if wrong == "impatient":
    acquire = lock_client.Client.acquire
    lock_client.Client.acquire = lambda self, request: acquire(self, {**request, "wait_ms": 0})
if wrong in ("repeats_once", "counts_too_many", "counts_none"):
    repeat = lock_client.Client.repeat
    for_ms = {"for_ms": 1} if wrong == "repeats_once" else {}
    count = {"counts_too_many": {"pairs": 1_000_000}, "counts_none": {"pairs": 0}}.get(wrong, {})
    lock_client.Client.repeat = lambda self, request: repeat(self, {**request, **for_ms}) | count
if wrong == "hears_late":
    stop = lock_client.stop
    lock_client.stop = lambda *_: threading.Thread(target=stop_later, args=(stop,)).start()
if wrong == "swallows_sigterm":
    lock_client.stop = lambda *_: None
more = [options["more"]] if "more" in options else []
more += [word for word in ("extend", "interrupt") if word in options]
used = slice(None) if "quorum" in options else slice(1)
lock_client.serve("foreign", "1.0", ["lease", "token", "atomic_release", *more],
                  lambda nodes: [Connection(*node) for node in nodes[used]], Lock,
                  unknown=(OSError,))
