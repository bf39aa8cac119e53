// simple-redis-mutex, as its README shows it: tryLock() to ask once, lock() to wait.
import { createRequire } from "node:module";
import { createClient } from "redis";
import { lock as waitForLock, tryLock } from "simple-redis-mutex";
import { serve } from "../helpers/lock-client.mjs";

const connect = ([{ host, port }]) =>
  createClient({ socket: { host, port } })
    .on("error", (error) => console.error(error.message)).connect();

function lock(redis, key, leaseMs) {
  let giveBack;
  const inTime = (waitMs) => waitForLock(redis, key, { timeout: leaseMs, failAfter: waitMs })
    .then((release) => [true, release], (error) => {
      if (!/could not be acquired after/.test(error.message)) throw error;
      return [false];
    });
  return {
    waits: true,
    async acquire(waitMs) {
      const asked = waitMs > 0 ? inTime(waitMs) : tryLock(redis, key, { timeout: leaseMs });
      const [acquired, release] = await asked;
      if (!acquired) return false;
      giveBack = release;
      return { fencing_token: release.fencingToken };
    },
    async release() {
      if (!giveBack) return "not_held";
      await giveBack();
      return "no_outcome"; // it returns nothing, whether the lock was ours or not
    },
  };
}

const { version } = createRequire(import.meta.url)("simple-redis-mutex/package.json");
serve({
  name: "simple-redis-mutex", version,
  capabilities: ["lease", "token", "atomic_release", "fencing"],
  connect, lock,
});
