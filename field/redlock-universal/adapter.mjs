// redlock-universal with ioredis, as its README shows it: createLock() for one server,
// createRedlock() for several; using() for a lock that is renewed.
import { readFileSync } from "node:fs";
import Redis from "ioredis";
import { createLock, createRedlock, IoredisAdapter, LockAcquisitionError } from "redlock-universal";
import { around, ready, serve, timeoutMs } from "../helpers/lock-client.mjs";

async function connect(nodes) {
  const clients = nodes.map((node) => new Redis({ ...node, commandTimeout: timeoutMs }));
  clients.forEach((client) => client.on("error", (error) => console.error(error.message)));
  await Promise.all(clients.map(ready));
  return clients.map((client) => new IoredisAdapter(client));
}

function lock(adapters, key, leaseMs, renewed, lost) {
  const retryDelay = adapters.length > 1 ? 200 : 100; // its defaults
  let held;
  const make = (waitMs) => {
    const settings = { key, ttl: leaseMs, retryAttempts: Math.ceil(waitMs / retryDelay) };
    return adapters.length > 1 ? createRedlock({ adapters, ...settings })
      : createLock({ adapter: adapters[0], ...settings });
  };
  const acquire = async (made) => {
    const handle = await made.acquire();
    const refused = adapters.length > 1 ? "not_released" : "not_mine"; // or too few answered
    return async () => ((await made.release(handle)) ? "released" : refused);
  };
  const use = async (made) => {
    const hold = around((routine) => made.using(routine));
    const [signal] = await hold.enter();
    signal.addEventListener("abort", lost);
    return () => hold.leave().then(() => "no_outcome"); // using() drops what its release says
  };
  return {
    waits: true,
    async acquire(waitMs) {
      try {
        held = await (renewed ? use : acquire)(make(waitMs));
        return true;
      } catch (error) {
        if (!(error instanceof LockAcquisitionError)) throw error;
        return /already held/.test(error.message) ? false : "not_acquired";
      }
    },
    release: async () => (held ? held() : "not_held"),
  };
}

const installed = new URL("node_modules/redlock-universal/package.json", import.meta.url);
serve({
  name: "redlock-universal", version: JSON.parse(readFileSync(installed)).version,
  capabilities: ["lease", "token", "atomic_release", "renewal", "loss_notice", "quorum"],
  connect, lock,
  unknown: (error) => error.code === "LOCK_RELEASE_ERROR",
});
