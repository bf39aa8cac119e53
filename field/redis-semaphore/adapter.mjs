// redis-semaphore's Mutex, as its README shows it: it renews itself at 0.8 of the lease.
import { createRequire } from "node:module";
import Redis from "ioredis";
import { Mutex } from "redis-semaphore";
import { ready, serve, stopped, timeoutMs } from "../helpers/lock-client.mjs";

async function connect([{ host, port }]) {
  const client = new Redis({ host, port, commandTimeout: timeoutMs });
  client.on("error", (error) => console.error(error.message));
  await ready(client);
  return client;
}

function lock(client, key, leaseMs, renewed, lost) {
  let mutex;
  return {
    waits: true,
    async acquire(waitMs) {
      const tries = waitMs > 0 ? { acquireTimeout: waitMs } : { acquireAttemptsLimit: 1 };
      const renewal = renewed ? {} : { refreshInterval: 0 };
      const options = { lockTimeout: leaseMs, onLockLost: lost, ...tries, ...renewal };
      mutex = new Mutex(client, key, options);
      return mutex.tryAcquire(stopped).catch((error) => {
        if (error !== stopped.reason) throw error;
        return false;
      });
    },
    async release() {
      if (!mutex) return "not_held";
      await mutex.release();
      return "no_outcome"; // it returns nothing, whether the lock was ours or not
    },
    held: () => mutex.isAcquired,
  };
}

const { version } = createRequire(import.meta.url)("redis-semaphore/package.json");
serve({
  name: "redis-semaphore", version,
  capabilities: ["lease", "token", "atomic_release", "renewal", "loss_notice"], connect, lock,
});
