#!/usr/bin/env python3
"""Once without a lock: an idempotency key and an outbox, in one SQLite database.

A shop charges an account, and the account tells the warehouse. The reply to the charge is lost, so
the shop asks again; the sender dies after it has sent, so it sends again. Still there is one charge
and one parcel. --no-key: the account ignores the key of a request. Ends with 1 if anything was done
twice.
"""
import sqlite3
import sys

TABLES = """
    CREATE TABLE account (balance INTEGER);
    INSERT INTO account VALUES (100);
    CREATE TABLE request (key TEXT PRIMARY KEY, answer TEXT);
    CREATE TABLE outbox (id INTEGER PRIMARY KEY, message TEXT, sent INTEGER DEFAULT 0);
"""


class LostReply(Exception):
    """The request was carried out, and its answer never arrived."""


class Account:
    """The receiver: the change, the answer to its request and the message are one transaction."""

    def __init__(self, keeps_keys):
        self.keeps_keys = keeps_keys
        self.database = sqlite3.connect(":memory:")
        self.database.executescript(TABLES)

    def charge(self, key, amount, loses_reply=False):
        with self.database as database:  # commits, or rolls back if it raises
            known = database.execute("SELECT answer FROM request WHERE key = ?", (key,)).fetchone()
            if known and self.keeps_keys:
                return known[0]
            database.execute("UPDATE account SET balance = balance - ?", (amount,))
            database.execute("INSERT INTO outbox (message) VALUES (?)", (f"ship {key}",))
            database.execute("INSERT OR REPLACE INTO request VALUES (?, 'charged')", (key,))
        if loses_reply:
            raise LostReply
        return "charged"

    def balance(self):
        return self.database.execute("SELECT balance FROM account").fetchone()[0]


class Warehouse:
    """The receiver of messages, which may come twice: it remembers their numbers."""

    def __init__(self):
        self.seen = set()
        self.parcels = []

    def receive(self, number, message):
        if number not in self.seen:
            self.seen.add(number)
            self.parcels.append(message)


def send_outbox(database, warehouse, dies_after_sending=False):
    """Sends what is not marked as sent, and marks it. It may die in between."""
    unsent = database.execute("SELECT id, message FROM outbox WHERE sent = 0").fetchall()
    for number, message in unsent:
        warehouse.receive(number, message)
        print(f"sender:    message {number}, \"{message}\"")
        if dies_after_sending:
            return
        with database:
            database.execute("UPDATE outbox SET sent = 1 WHERE id = ?", (number,))


def main():
    account = Account(keeps_keys="--no-key" not in sys.argv)
    warehouse = Warehouse()
    try:
        account.charge("order-4711", 30, loses_reply=True)
    except LostReply:
        print("shop:      no answer, so it asks again with the same key")
    print("account:  ", account.charge("order-4711", 30))
    send_outbox(account.database, warehouse, dies_after_sending=True)
    print("sender:    died before it marked the message, and starts again")
    send_outbox(account.database, warehouse)
    print(f"balance:   {account.balance()} of 100")
    print(f"parcels:   {len(warehouse.parcels)}")
    return 0 if account.balance() == 70 and len(warehouse.parcels) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
