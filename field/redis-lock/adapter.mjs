// redis-lock with node-redis 4, as its README shows it: done = await lock(name, timeout).
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { serve } from "../helpers/lock-client.mjs";

const require = createRequire(import.meta.url);
const { createClient } = require("redis");
const redisLock = require("redis-lock");
// It cannot ask once, and never gives up: this is the time of one try. It asks every 50 ms, and a try
// that we no longer wait for must not ask when the next one begins.
const once = 80;

async function connect([{ host, port }]) {
  const client = createClient({ socket: { host, port } });
  client.on("error", (error) => console.error(error.message));
  await client.connect();
  return redisLock(client);
}

function lock(lockByName, key, leaseMs) {
  let done;
  return {
    waits: true,
    async acquire(waitMs) {
      const acquired = lockByName(key, leaseMs);
      done = await Promise.race([acquired, pause(waitMs || once)]);
      if (done) return true;
      acquired.then((late) => late()); // it goes on by itself; what it gets is given back at once
      return "not_acquired"; // it was not refused: we stopped waiting
    },
    async release() {
      if (!done) return "not_held";
      const removed = await done();
      if (removed === undefined) return "not_mine"; // over by its own clock: it sent nothing
      return removed === 1 ? "released" : "expired"; // the number of keys that DEL removed
    },
  };
}

const { version } = require("redis-lock/package.json");
serve({ name: "redis-lock", version, capabilities: ["lease"], connect, lock });
