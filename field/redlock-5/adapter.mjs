// redlock 5 with ioredis, as its README shows it: using() for a lock that is
// renewed, acquire() and release() for one that is not.
import Redis from "ioredis";
import Redlock, { ExecutionError } from "redlock";
import { around, ready, serve, timeoutMs } from "../helpers/lock-client.mjs";

const retryDelay = 200; // its default

async function connect(nodes) {
  const clients = nodes.map((node) => new Redis({ ...node, commandTimeout: timeoutMs }));
  clients.forEach((client) => client.on("error", (error) => console.error(error.message)));
  await Promise.all(clients.map(ready));
  return new Redlock(clients);
}

function lock(redlock, key, leaseMs, renewed, lost) {
  let held;
  const acquire = async (settings) => {
    const acquired = await redlock.acquire([key], leaseMs, settings);
    return () => acquired.release();
  };
  const use = async (settings) => {
    const hold = around((routine) => redlock.using([key], leaseMs, settings, routine));
    const [signal] = await hold.enter();
    signal.addEventListener("abort", lost);
    return hold.leave;
  };
  return {
    waits: true,
    async acquire(waitMs) {
      try {
        held = await (renewed ? use : acquire)({ retryCount: Math.ceil(waitMs / retryDelay) });
        return true;
      } catch (error) {
        if (!(error instanceof ExecutionError)) throw error;
        return "not_acquired"; // taken, or too few servers answered: the error does not say
      }
    },
    async release() {
      if (!held) return "not_held";
      try {
        await held();
        return "released";
      } catch (error) {
        if (!(error instanceof ExecutionError)) throw error;
        return "not_released"; // expired, stolen, or too few servers answered: it does not say
      }
    },
  };
}

serve({
  name: "redlock-5", version: "5.0.0-beta.2",
  capabilities: ["lease", "token", "atomic_release", "renewal", "loss_notice", "quorum"],
  connect, lock,
});
