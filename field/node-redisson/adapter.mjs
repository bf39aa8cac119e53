// node-redisson, as its README shows it: getLock(name), lock without a lease time for the watchdog.
import { createRequire } from "node:module";
import { ready, serve, timeoutMs } from "../helpers/lock-client.mjs";

const require = createRequire(import.meta.url);
const { Redisson } = require("node-redisson");
const lease = Number(process.env.LOCK_LEASE_MS || 30000);

async function connect([{ host, port }]) {
  const redisson = new Redisson({
    redis: { options: { host, port, commandTimeout: timeoutMs } },
    lockWatchdogTimeout: BigInt(lease),
  });
  const clients = [redisson.redis, redisson.commandExecutor.subscribeRedis];
  clients.forEach((client) => client.on("error", (error) => console.error(error.message)));
  await Promise.all(clients.map(ready));
  return redisson;
}

function lock(redisson, key, leaseMs, renewed) {
  const redissonLock = redisson.getLock(key);
  return {
    waits: true,
    // Milliseconds are a bigint; the lease time `true` means: the watchdog's, and renewed by it.
    acquire: (waitMs) => redissonLock.tryLock(BigInt(waitMs), renewed ? true : BigInt(leaseMs)),
    async release() {
      try {
        await redissonLock.unlock();
        return "released";
      } catch (error) {
        if (!/not locked by current client/.test(error.message)) throw error;
        return "not_found"; // never held, lost, or removed by its own resend: it does not say
      }
    },
  };
}

const { version } = require("node-redisson/package.json");
serve({
  name: "node-redisson", version, capabilities: ["lease", "token", "atomic_release", "renewal"],
  connect, lock,
});
