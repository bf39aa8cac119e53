// The client protocol (docs/client-protocol.md) for an adapter in Node, which brings only a lock.
//
// serve() answers the kit's requests until it is told to stop. The lock is a function:
//   lock(servers, key, leaseMs, renewed, lost)  one hold; call lost() if the library tells of it
//   .acquire(waitMs)  true, false, an object of more fields for the answer, or "not_acquired"
//   .waits            optional: true if the library waits; else serve() asks again every 20 ms
//   .release()        an outcome of the protocol, "not_mine", "not_released" or "no_outcome"
//   .extend(leaseMs)  optional, the capability "extend": an outcome; undefined: the same lease
//   .held()           optional: what the library answers when asked; asked before each write
// A waitMs of 0 means: ask once. `connect(nodes)` is called once and makes `servers`; nodes are
// {host, port}. `unknown(error)` says whether an error means: no answer came, the command may have
// been applied (noAnswer, if missing). Others become `error` answers. An error that nobody catches
// ends the program, as it would yours.
import { once } from "node:events";
import readline from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Abandoned, changeAccount, Storage } from "./critical-section.mjs";

function setting(name, otherwise) {
  const value = process.env[name] || otherwise;
  if (value) return value;
  console.error(`${name} is not set: the lab starts lock clients and sets it`);
  process.exit(2);
}

const LEASE_MS = Number(setting("LOCK_LEASE_MS", "30000"));
export const variant = process.env.LOCK_VARIANT || "default"; // lock.json names them
// Milliseconds until a command counts as unanswered; undefined in the other variants: as the
// library has it by default.
export const timeoutMs = variant === "command_timeout"
  ? Math.min(500, Number(setting("LOCK_TIMEOUT_MS", "1000"))) : undefined;
const stopping = new AbortController();
export const stopped = stopping.signal; // a library whose waiting can be cut short takes it

// What the client libraries say when no answer came.
export const noAnswer = ({ name, message, code }) =>
  /timed? ?out|closed|disconnects|max retries|ECONN|EPIPE|UNCERTAIN_STATE|NR_CLOSED|BROKEN/i
    .test(`${name} ${message} ${code}`);

// Waits until a client library's connection stands, or has failed for the first time.
export const ready = async (client) => client.status === "ready" || client.ready ||
  once(client, "ready").catch((error) => console.error(error.message));

// For a library that holds a lock around a function of yours: enter() starts that function and
// gives what it was called with; leave() ends it, and gives what the library then says.
export function around(use) {
  let end, ended;
  return {
    enter: () => new Promise((resolve, reject) => {
      const inside = new Promise((done) => { end = done; });
      ended = use((...given) => { resolve(given); return inside; });
      ended.catch(reject);
    }),
    leave: () => { end(); return ended; },
  };
}

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const sleep = (ms) => pause(ms, undefined, { signal: stopped }).catch(() => {});
const address = (text) => ({ host: text.split(":")[0], port: Number(text.split(":")[1]) });

export async function serve({ name, version, capabilities, connect, lock, unknown = noAnswer }) {
  const servers = await connect(setting("LOCK_NODES").split(",").map(address));
  const storage = new Storage(address(setting("LOCK_STORAGE")), setting("LOCK_CLIENT"));
  const holds = []; // {thread, key, lock, lost, fence}; the newest last
  const find = ({ thread = 1, key }) => holds.findLast((h) => h.thread === thread && h.key === key);

  function tellLost(hold, more) {
    if (hold.lost || !holds.includes(hold)) return;
    hold.lost = true;
    say({ event: "lost", key: hold.key, ...more });
  }

  function make({ thread = 1, key, lease_ms }) {
    const hold = { thread, key, lost: false, fence: [] };
    hold.lock = lock(servers, key, lease_ms || LEASE_MS, !lease_ms, () => tellLost(hold));
    return hold;
  }

  async function unlessUnknown(call) {
    try {
      return await call();
    } catch (error) {
      if (!unknown(error)) throw error;
      return { outcome: "unknown", why: `${error.name}: ${error.message}` };
    }
  }

  async function acquire(request) {
    if (request.join) throw new Error("this lock cannot be joined");
    const hold = make(request);
    const waitMs = request.wait_ms || 0;
    const end = performance.now() + waitMs;
    const byItself = waitMs > 0 && !request.tries && hold.lock.waits;
    for (let tries = request.tries; ; ) {
      const got = await hold.lock.acquire(byItself ? waitMs : 0);
      if (got && got !== "not_acquired") {
        if (got.fencing_token !== undefined) hold.fence = [got.fencing_token];
        holds.push(hold);
        return { outcome: "acquired", thread: hold.thread, ...(got === true ? {} : got) };
      }
      const over = end <= performance.now() && (!tries || waitMs > 0);
      const ended = byItself || over || stopped.aborted || (tries && --tries === 0);
      if (ended) return { outcome: got || "contended" };
      await sleep(20);
    }
  }

  async function release(request) {
    const hold = find(request); // without one: a program with a bug asks too
    const outcome = await (hold || make(request)).lock.release();
    if (hold && outcome !== "unknown") holds.splice(holds.indexOf(hold), 1);
    return { outcome };
  }

  async function extend(request) {
    const hold = find(request);
    if (!hold) return { outcome: "not_held" };
    if (!hold.lock.extend) throw new Error("the lease of this lock cannot be extended");
    const outcome = await hold.lock.extend(request.lease_ms || undefined);
    if (["not_mine", "not_held"].includes(outcome)) hold.lost = true;
    return { outcome };
  }

  async function repeat(request) { // a benchmark's
    const end = performance.now() + request.for_ms;
    let pairs = 0;
    while (performance.now() < end) {
      let { outcome } = await acquire(request);
      if (["contended", "not_acquired"].includes(outcome)) continue; // it gave up
      if (outcome === "acquired") ({ outcome } = await release(request));
      if (!["released", "no_outcome"].includes(outcome))
        throw new Error(`after ${pairs} pairs: ${outcome}`);
      ++pairs;
    }
    return { outcome: "done", pairs };
  }

  async function check(hold) { // what an application asks last, before it writes
    if (hold.lost) throw new Abandoned("the lock is lost");
    const held = hold.lock.held ? await unlessUnknown(() => hold.lock.held()) : true;
    if (held.outcome) throw new Abandoned(`asked, the lock did not answer: ${held.why}`);
    if (held) return;
    tellLost(hold, { asked: true });
    throw new Abandoned("asked, the lock said that it is lost");
  }

  async function work(request) {
    const hold = find(request);
    if (!hold) throw new Error("work needs the lock: acquire it first");
    try {
      const stopping = { sleep, stopped, check: () => check(hold) };
      await changeAccount(storage, request, hold.fence, stopping);
      return { outcome: "done" };
    } catch (error) {
      await unlessUnknown(() => release(request)); // what leaves it early gives the lock back
      if (!(error instanceof Abandoned)) throw error;
      return { outcome: "abandoned", why: error.message };
    }
  }

  async function giveBack() {
    for (const hold of [...holds]) await unlessUnknown(() => release(hold)).catch(console.error);
    return { outcome: "bye" };
  }

  const operations = {
    hello: () => ({ name, version: 1, library: version, capabilities }),
    acquire: (request) => unlessUnknown(() => acquire(request)),
    release: (request) => unlessUnknown(() => release(request)),
    extend: (request) => unlessUnknown(() => extend(request)),
    held: (request) => ({ held: Boolean(find(request)) && !find(request).lost }),
    repeat, work, bye: giveBack,
  };

  async function answer(line) {
    let request = {}, reply;
    try {
      request = JSON.parse(line);
      const known = Object.hasOwn(operations, request.op);
      if (!known) throw new Error(`unknown operation "${request.op}"`);
      reply = await operations[request.op](request);
    } catch (error) {
      reply = { error: `${error.name}: ${error.message}` };
    }
    say({ ...reply, id: request?.id });
    return request?.op !== "bye";
  }

  const lines = [];
  let wake = () => {};
  const stop = () => { stopping.abort(); wake(); };
  process.on("SIGTERM", stop);
  readline.createInterface({ input: process.stdin })
    .on("line", (line) => { lines.push(line); wake(); }).on("close", stop);
  while (!stopped.aborted) {
    if (!lines.length) await new Promise((resolve) => { wake = resolve; });
    else if (!(await answer(lines.shift()))) process.exit(0);
  }
  await giveBack();
  process.stdout.write('{"event":"stopped"}\n', () => process.exit(0));
}
