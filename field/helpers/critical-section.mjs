// What the lock protects: the critical section of a client (docs/client-protocol.md, work).
import net from "node:net";
import readline from "node:readline";

export class Abandoned extends Error {} // ends a critical section early

// Reads and writes one account after the other.
export class Storage {
  constructor(where, client) {
    this.client = client;
    this.socket = net.connect(where);
    this.waiting = [];
    readline.createInterface({ input: this.socket }).on("line", (line) => {
      // A number comes as :1, or as $1 and then 1.
      if (!line.startsWith("$")) this.waiting.shift()?.(line);
    });
  }

  async ask(operation, account, ...words) {
    const parts = [operation, account, this.client, ...words]
      .map((word) => `$${Buffer.byteLength(`${word}`)}\r\n${word}\r\n`);
    this.socket.write(`*${parts.length}\r\n${parts.join("")}`);
    const line = await new Promise((resolve) => { this.waiting.push(resolve); });
    if (line.startsWith("-FENCED")) {
      throw new Abandoned("the storage refused it: the lock was lost, and taken since");
    }
    if (line.startsWith("-")) throw new Error(`storage: ${line.slice(1)}`);
    return Number(line.replace(/^[:+]/, ""));
  }
}

// Adds an amount; `check` throws Abandoned if the lock is lost, last of all before the write.
export async function changeAccount(storage, request, fence, { sleep, stopped, check }) {
  const { account = "account", amount = 1, think_ms = 0, throws } = request;
  const value = await storage.ask("READ", account, ...fence);
  if (throws) throw new Abandoned("an exception left the critical section");
  if (think_ms) await sleep(think_ms);
  if (stopped.aborted) throw new Abandoned("told to stop");
  await check();
  await storage.ask("BEGIN", account, ...fence);
  await storage.ask("WRITE", account, value + amount, ...fence);
}
