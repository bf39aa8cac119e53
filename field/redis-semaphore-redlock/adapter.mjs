// redis-semaphore's RedlockMutex, as its README shows it: it renews itself at 0.8 of the lease.
import { createRequire } from "node:module";
import Redis from "ioredis";
import { RedlockMutex } from "redis-semaphore";
import { ready, serve, stopped, timeoutMs } from "../helpers/lock-client.mjs";

async function connect(nodes) {
  const clients = nodes.map((node) => new Redis({ ...node, commandTimeout: timeoutMs }));
  clients.forEach((client) => client.on("error", (error) => console.error(error.message)));
  await Promise.all(clients.map(ready));
  return clients;
}

function lock(clients, key, leaseMs, renewed, lost) {
  let mutex;
  return {
    waits: true,
    async acquire(waitMs) {
      const tries = waitMs > 0 ? { acquireTimeout: waitMs } : { acquireAttemptsLimit: 1 };
      const renewal = renewed ? {} : { refreshInterval: 0 };
      const options = { lockTimeout: leaseMs, onLockLost: lost, ...tries, ...renewal };
      mutex = new RedlockMutex(clients, key, options);
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
  name: "redis-semaphore-redlock", version,
  capabilities: ["lease", "token", "atomic_release", "renewal", "loss_notice", "quorum"],
  connect, lock,
});
