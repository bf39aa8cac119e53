#!/usr/bin/python3
"""PostgreSQL's own locks through psycopg2, as its documentation describes them.

The default is an advisory lock of a session, "transaction" one of a transaction, "for_update" the
lock of a row. All three belong to a connection, and each hold has one of its own. "row" is a row
with an end: who inserts it, or finds it over and updates it, has the lock."""
import pathlib, sys, uuid
import psycopg2
from psycopg2.errors import LockNotAvailable

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "helpers"))
import lock_client

LOCK = {"default": "SELECT pg_{}advisory_lock(hashtext(%s))",
        "transaction": "SELECT pg_{}advisory_xact_lock(hashtext(%s))"}
# Only where no row is in the way, or one whose time is over by the server's clock.
INSERT = """INSERT INTO locks VALUES (%s, %s, clock_timestamp() + %s * interval '1 millisecond')
            ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, ends = excluded.ends
            WHERE locks.ends <= clock_timestamp()"""
HELD = "SELECT 1 FROM locks WHERE name = %s AND owner = %s AND ends > clock_timestamp()"

def connect(nodes):
    host, port = nodes[0]
    server = f"host={host} port={port} user=lab dbname=postgres"
    with psycopg2.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(0)")  # two that create it disturb each other
        cursor.execute("CREATE TABLE IF NOT EXISTS locks (name text PRIMARY KEY, owner text,"
                       " ends timestamptz)")
    connection.close()
    return server

class Session:
    waits = True

    def __init__(self, server, key, lease_ms, renewed, lost):  # it has no lease
        self.server, self.key, self.connection = server, key, None

    def open(self):
        self.connection = psycopg2.connect(self.server)
        self.connection.autocommit = lock_client.VARIANT == "default"
        return self.connection.cursor()

    def acquire(self, wait_ms):
        with self.open() as cursor:
            try:
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", (str(wait_ms),))
                if self.take(cursor, wait_ms > 0):
                    return True
            except LockNotAvailable:
                pass
        self.connection.close()
        return False

    def take(self, cursor, waits):
        cursor.execute(LOCK[lock_client.VARIANT].format("" if waits else "try_"), (self.key,))
        return waits or cursor.fetchone()[0]

    def held(self):  # while its connection lives it is
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True

    def release(self):
        if not self.connection:
            return "not_held"
        if lock_client.VARIANT == "default":
            with self.connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtext(%s))", (self.key,))
                released = cursor.fetchone()[0]
        else:
            self.connection.commit()
            released = True
        self.connection.close()
        return "released" if released else "not_held"

class ForUpdate(Session):
    def open(self):
        with psycopg2.connect(self.server) as connection, connection.cursor() as cursor:
            cursor.execute("INSERT INTO locks (name) VALUES (%s) ON CONFLICT DO NOTHING",
                           (self.key,))
        connection.close()
        return super().open()

    def take(self, cursor, waits):
        cursor.execute("SELECT FROM locks WHERE name = %s FOR UPDATE"
                       + ("" if waits else " NOWAIT"), (self.key,))
        return True

class Row:
    connections = {}  # one for each server

    def __init__(self, server, key, lease_ms, renewed, lost):
        self.server, self.key, self.lease_ms, self.owner = server, key, lease_ms, str(uuid.uuid4())

    def run(self, statement, *words):
        if self.server not in self.connections or self.connections[self.server].closed:
            self.connections[self.server] = psycopg2.connect(self.server)
            self.connections[self.server].autocommit = True
        with self.connections[self.server].cursor() as cursor:
            cursor.execute(statement, words)
            return cursor.rowcount == 1

    def acquire(self, wait_ms):
        return self.run(INSERT, self.key, self.owner, self.lease_ms)

    def held(self):
        return self.run(HELD, self.key, self.owner)

    def release(self):
        return "released" if self.run("DELETE FROM locks WHERE name = %s AND owner = %s",
                                      self.key, self.owner) else "not_mine"

row = lock_client.VARIANT == "row"
lock_client.serve("postgresql", psycopg2.__version__.split()[0],
                  ["lease", "token", "atomic_release"] if row else ["session", "token", "atomic_release"],
                  connect, {"row": Row, "for_update": ForUpdate}.get(lock_client.VARIANT, Session),
                  unknown=(psycopg2.OperationalError, psycopg2.InterfaceError))
