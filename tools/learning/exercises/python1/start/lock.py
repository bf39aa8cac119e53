"""Your lock. A holder keeps everybody else out until it gives the lock back."""

CAPABILITIES = []  # what the lock can do, for the program around it


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key

    def try_acquire(self, lease_ms):
        # To be written: ask self.server for self.key, for one caller only.
        #   self.server.command("PING") sends a command and returns its answer, as text; nil is None.
        #   If the answer never came it raises self.server.Lost: then nobody knows, and the outcome
        #   is "unknown". If somebody else has the lock, it is "contended".
        return "acquired"

    def release(self):
        # To be written: give it back.
        return "released"
