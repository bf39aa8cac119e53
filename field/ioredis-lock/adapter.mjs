// @microfleet/ioredis-lock, as its README shows it: createLock(client, options), acquire() and
// release().
import {
  createLock, LockAcquisitionError, LockExtendError, LockReleaseError,
} from "@microfleet/ioredis-lock";
import Redis from "ioredis";
import { ready, serve, timeoutMs } from "../helpers/lock-client.mjs";

const delay = 50; // its default

async function connect([node]) {
  const client = new Redis({ ...node, commandTimeout: timeoutMs });
  client.on("error", (error) => console.error(error.message));
  await ready(client);
  return client;
}

// Its errors wrap those of the client, whose messages they keep.
const says = (error, kind, text) => error instanceof kind && text.test(error.message);

function lock(client, key, leaseMs) {
  let held;
  return {
    waits: true,
    async acquire(waitMs) {
      const retries = Math.ceil(waitMs / delay);
      try {
        held = await createLock(client, { timeout: leaseMs, retries }).acquire(key);
        return true;
      } catch (error) {
        if (says(error, LockAcquisitionError, /Could not acquire/)) return false;
        throw error;
      }
    },
    async release() {
      if (!held) return "not_held";
      try {
        await held.release();
        return "released";
      } catch (error) {
        if (says(error, LockReleaseError, /had expired/)) return "not_mine"; // or stolen
        if (says(error, LockReleaseError, /not been acquired/)) return "not_held";
        throw error;
      }
    },
    async extend(leaseMs) {
      try {
        await held.extend(leaseMs);
        return "extended";
      } catch (error) {
        if (says(error, LockExtendError, /had expired/)) return "not_mine"; // or stolen
        if (says(error, LockExtendError, /not been acquired/)) return "not_held";
        throw error;
      }
    },
  };
}

serve({
  name: "ioredis-lock", version: "6.0.1",
  capabilities: ["lease", "token", "atomic_release", "extend"],
  connect, lock,
});
