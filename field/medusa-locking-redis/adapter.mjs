// Medusa's locking provider on Redis, as its documentation shows it: execute() for a lock that is
// renewed, acquire() and release() with an owner for one that is not.
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import Redis from "ioredis";
import { around, ready, serve, timeoutMs } from "../helpers/lock-client.mjs";

const require = createRequire(import.meta.url);
const { RedisLockingProvider } = require("@medusajs/locking-redis/dist/services/redis-lock.js");

async function connect([node]) {
  const redisClient = new Redis({ ...node, commandTimeout: timeoutMs });
  redisClient.on("error", (error) => console.error(error.message));
  await ready(redisClient);
  return new RedisLockingProvider({ redisClient });
}

const isConflict = (error) => error.type === "conflict";
// execute()'s timer ended the waiting: taken, or no answer came; the error does not say.
const isTimedOut = (error) => isConflict(error) && /^Timed-out/.test(error.message);
const seconds = (ms) => Math.ceil(ms / 1000); // of a lease: Redis takes whole ones

// execute() cannot ask once: it waits for a second at least.
function renewedLock(provider, key, leaseMs, lost) {
  let hold;
  return {
    waits: true,
    async acquire(waitMs) {
      const entered = around((job) =>
        provider.execute(key, job, { timeout: waitMs / 1000, expire: seconds(leaseMs) }));
      try {
        const [signal] = await entered.enter();
        signal.addEventListener("abort", lost);
      } catch (error) {
        if (isTimedOut(error)) return "not_acquired";
        if (isConflict(error)) return false;
        throw error;
      }
      hold = entered;
      return true;
    },
    async release() {
      if (!hold) return "not_held";
      try {
        await hold.leave();
        return "no_outcome"; // execute() returns what its job returned
      } catch (error) {
        if (isConflict(error)) return "not_mine"; // it had lost the lock before
        throw error;
      }
    },
  };
}

function plainLock(provider, key, leaseMs) {
  const ownerId = randomUUID();
  return {
    async acquire() {
      try {
        await provider.acquire(key, { ownerId, expire: seconds(leaseMs) });
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        throw error;
      }
    },
    async release() {
      const released = await provider.release(key, { ownerId });
      return released ? "released" : "not_mine"; // expired or stolen: the script says 0 to both
    },
  };
}

const { version } = require("@medusajs/locking-redis/package.json");
serve({
  name: "medusa-locking-redis", version,
  capabilities: ["lease", "token", "atomic_release", "renewal", "loss_notice"],
  connect,
  lock: (provider, key, leaseMs, renewed, lost) => renewed
    ? renewedLock(provider, key, leaseMs, lost) : plainLock(provider, key, leaseMs),
});
