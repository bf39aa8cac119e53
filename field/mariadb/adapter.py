#!/usr/bin/python3
"""MariaDB's GET_LOCK through PyMySQL, as its documentation describes it.

The lock belongs to a connection, and each hold has one of its own."""
import pathlib, sys
import pymysql

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "helpers"))
import lock_client

def connect(nodes):
    host, port = nodes[0]
    return {"host": host, "port": port, "user": "root"}

class Lock:
    waits = True

    def __init__(self, server, key, lease_ms, renewed, lost):  # it has no lease
        self.server, self.key, self.connection = server, key, None

    def run(self, statement, *words):
        with self.connection.cursor() as cursor:
            cursor.execute(statement, words)
            return cursor.fetchone()[0]

    def acquire(self, wait_ms):
        self.connection = pymysql.connect(**self.server)
        if self.run("SELECT GET_LOCK(%s, %s)", self.key, wait_ms / 1000) == 1:
            return True
        self.connection.close()
        return False

    def held(self):
        return self.run("SELECT IS_USED_LOCK(%s) = CONNECTION_ID()", self.key) == 1

    def release(self):  # 0: another one's; NULL: nobody's
        if not self.connection:
            return "not_held"
        released = self.run("SELECT RELEASE_LOCK(%s)", self.key)
        self.connection.close()
        return {1: "released", 0: "not_mine"}.get(released, "not_held")

lock_client.serve("mariadb", ".".join(str(part) for part in pymysql.VERSION[:3]),
                  ["session", "token", "atomic_release"], connect, Lock,
                  unknown=(pymysql.err.OperationalError, pymysql.err.InterfaceError))
