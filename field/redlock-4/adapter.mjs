// redlock 4 with node_redis 3, as its README shows it: lock(resource, ttl), then unlock().
import { createRequire } from "node:module";
import { ready, serve } from "../helpers/lock-client.mjs";

const require = createRequire(import.meta.url);
const redis = require("redis");
const Redlock = require("redlock");
const retryDelay = 200; // its default

async function connect(nodes) {
  const clients = nodes.map(({ host, port }) => redis.createClient(port, host));
  clients.forEach((client) => client.on("error", (error) => console.error(error.message)));
  await Promise.all(clients.map(ready));
  // A retryCount of 0 counts only here: lockWithOptions() takes 0 for "not given".
  const redlock = { once: new Redlock(clients, { retryCount: 0 }), waiting: new Redlock(clients) };
  for (const each of Object.values(redlock)) {
    each.on("clientError", (error) => console.error(error.message));
  }
  return redlock;
}

function lock(redlock, key, leaseMs) {
  let held;
  return {
    waits: true,
    async acquire(waitMs) {
      const retryCount = Math.ceil(waitMs / retryDelay);
      try {
        held = waitMs > 0 ? await redlock.waiting.lockWithOptions(key, leaseMs, { retryCount })
          : await redlock.once.lock(key, leaseMs);
        return true;
      } catch (error) {
        if (error.name !== "LockError") throw error;
        return "not_acquired"; // taken, or too few servers answered: the error does not say
      }
    },
    async release() {
      if (!held) return "not_held";
      try {
        await held.unlock();
        return "released";
      } catch (error) {
        if (error.name !== "LockError") throw error;
        return "not_released"; // expired, stolen, or too few servers answered: it does not say
      }
    },
  };
}

serve({
  name: "redlock-4", version: require("redlock/package.json").version,
  capabilities: ["lease", "token", "atomic_release", "quorum"], connect, lock,
});
