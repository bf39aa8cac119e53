"""What the lock protects: the critical section of a client (docs/client-protocol.md, work)."""
import socket

class Abandoned(Exception):
    """Ends a critical section early."""

class Storage:
    """Reads and writes one account after the other. Not safe to share between threads."""
    def __init__(self, address, client):
        host, port = address.rsplit(":", 1)
        self.stream = socket.create_connection((host, int(port)), 600).makefile("rwb")
        self.client = client

    def ask(self, operation, account, *words):
        parts = [str(word).encode() for word in (operation, account, self.client, *words)]
        words = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self.stream.write(b"*%d\r\n%s" % (len(parts), words))
        self.stream.flush()
        line = self.stream.readline().decode().rstrip()
        if line.startswith("$"):
            return self.stream.read(int(line[1:]) + 2)[:-2].decode()
        if line.startswith("-FENCED"):
            raise Abandoned("the storage refused it: the lock was lost, and taken since")
        if not line or line.startswith("-"):
            raise RuntimeError(f"storage: {line[1:] or 'hung up'}")
        return line[1:]

def change_account(storage, request, fence, stopping, check):
    """Adds an amount; `check` raises Abandoned if the lock is lost, last before the write."""
    account, amount = request.get("account", "account"), request.get("amount", 1)
    value = int(storage.ask("READ", account, *fence))
    if request.get("throws"):
        raise Abandoned("an exception left the critical section")
    stopping.wait(request.get("think_ms", 0) / 1000)
    if stopping.is_set():
        raise Abandoned("told to stop")
    check()
    storage.ask("BEGIN", account, *fence)
    storage.ask("WRITE", account, value + amount, *fence)
