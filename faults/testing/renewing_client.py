#!/usr/bin/python3
"""A lock that speaks as client libraries of today do, for tests: in RESP3, with scripts that it
sends by digest, renewed by a thread. Words of the command line say how it differs:

    resp=2       it speaks RESP2
    ping=each    it says PING before each command, as from a pool     ping=aside  and one aside
    timeout_ms=300  it gives up on a reply after that time
    renews_after=1.0  and not a third of its lease
    pauses=by_chance  it waits for a time at random before it connects again
    notes=FILE      client A adds a line for each acquire: its clock's nanoseconds in a millisecond
    wrong=stops_renewing  since a reply to a renewal was lost        wrong=tells_twice  at a release

If LOCK_NODES is redis-sentinel://HOST:PORT,…/lock, it asks the first Sentinel for the others, and
each of these for the master.
"""
import hashlib, os, pathlib, random, secrets, socket, sys, threading, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "field" / "helpers"))
options = dict(word.split("=", 1) for word in sys.argv[1:])
in_url = os.environ["LOCK_NODES"].partition("redis-sentinel://")[2]
sentinels = in_url.split("/")[0]
if sentinels:
    os.environ["LOCK_NODES"] = sentinels

import lock_client

ACQUIRE = """if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
             return false"""
RENEW = """redis.setresp(3)
           if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {double = 0.5} end
           return {map = {renewed = redis.call('PEXPIRE', KEYS[1], ARGV[2])}}"""
RELEASE = """redis.setresp(3)
             return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) == 1"""

class Refused(Exception):
    pass

def read(stream):
    line = stream.readline()
    if not line:
        raise ConnectionError("the server hung up")
    kind, rest = line[:1].decode(), line[1:-2].decode()
    if kind == "_" or kind in "$*" and rest == "-1":
        return None
    if kind in "$=":
        return stream.read(int(rest) + 2)[:-2].decode()
    if kind in "*~>%":
        return [read(stream) for _ in range(int(rest) * (2 if kind == "%" else 1))]
    if kind == "-":
        raise Refused(rest)
    return rest == "t" if kind == "#" else int(rest) if kind == ":" else rest

class Connection:
    """To a server, or to the master that the Sentinels name."""

    def __init__(self, nodes):
        self.nodes, self.stream, self.one = nodes, None, threading.Lock()
        self.unread, self.has_lost = 0, False

    def say(self, *words):
        parts = [str(word).encode() for word in words]
        self.stream.write(b"*%d\r\n" % len(parts) + b"".join(
            b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
        self.stream.flush()
        self.unread += 1

    def ask(self, *words):
        self.say(*words)
        while self.unread > 1:
            self.unread -= 1
            read(self.stream)
        self.unread -= 1
        return read(self.stream)

    def connect(self, host, port):
        timeout = int(options["timeout_ms"]) / 1000 if "timeout_ms" in options else None
        self.stream = socket.create_connection((host, port), timeout).makefile("rwb")
        self.unread = 0
        if options.get("resp") != "2":
            self.ask("HELLO", 3)
        return self

    def connect_to_master(self):
        if not sentinels:
            return self.connect(*self.nodes[0])
        asked = Connection(None).connect(*self.nodes[0]).ask("SENTINEL", "SENTINELS", "lock")
        other = {each[i]: each[i + 1] for each in asked[:1] for i in range(0, len(each), 2)}
        host, port = Connection(None).connect(other["ip"], int(other["port"])).ask(
            "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "lock")
        return self.connect(host, int(port))

    def run(self, script, *words, then=()):
        with self.one:
            try:
                if not self.stream:
                    if self.has_lost and options.get("pauses") == "by_chance":
                        time.sleep(random.uniform(0.001, 0.02))
                    self.connect_to_master()
                if options.get("ping") == "each":
                    self.ask("PING")
                command = ("EVALSHA", hashlib.sha1(script.encode()).hexdigest(), 1, *words)
                try:
                    return self.ask(*command)
                except Refused as error:
                    if not str(error).startswith("NOSCRIPT"):
                        raise
                    self.ask("SCRIPT", "LOAD", script)
                    return self.ask(*command)
                finally:
                    if then:
                        self.say(*then)
            except OSError:
                self.stream, self.has_lost = None, True
                raise

class Lock:
    def __init__(self, server, key, lease_ms, renewed, lost):
        self.server, self.key, self.lease_ms, self.lost = server, key, lease_ms, lost
        self.token, self.renewed, self.over = secrets.token_hex(16), renewed, threading.Event()

    def acquire(self, wait_ms):
        if "notes" in options and os.environ["LOCK_CLIENT"] == "A":
            print(time.monotonic_ns() % 1_000_000, file=open(options["notes"], "a"))
        if not self.server.run(ACQUIRE, self.key, self.token, self.lease_ms):
            return False
        if self.renewed:
            threading.Thread(target=self.renew, daemon=True).start()
        return True

    def renew(self):
        period = self.lease_ms / 1000 * float(options.get("renews_after", 1 / 3))
        while not self.over.wait(period):
            try:
                renewed = self.server.run(RENEW, self.key, self.token, self.lease_ms)
                if not isinstance(renewed, list):
                    return self.lost()
            except OSError:
                if options.get("wrong") == "stops_renewing":
                    return

    def release(self):
        self.over.set()
        then = ("EVALSHA", hashlib.sha1(RELEASE.encode()).hexdigest(), 1, self.key, self.token)
        twice = options.get("wrong") == "tells_twice"
        removed = self.server.run(RELEASE, self.key, self.token, then=then if twice else ())
        return "released" if removed else "not_mine"

def ping(connection):
    while True:
        try:
            connection.ask("PING")
        except OSError:
            return
        threading.Event().wait(0.02)

def connect(nodes):
    if options.get("ping") == "aside":
        aside = Connection(nodes).connect_to_master()
        threading.Thread(target=ping, args=(aside,), daemon=True).start()
    return Connection(nodes)

lock_client.serve("renewing", "1.0", ["lease", "token", "atomic_release", "renewal", "loss_notice"],
                  connect, Lock, unknown=(OSError,))
