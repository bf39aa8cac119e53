// node-redis-warlock with node_redis 3, as its README shows it: lock(key, ttl), then unlock().
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { ready, serve } from "../helpers/lock-client.mjs";

const require = createRequire(import.meta.url);
const { createClient } = require("redis");
const Warlock = require("node-redis-warlock");

async function connect([{ host, port }]) {
  const client = createClient({ host, port });
  client.on("error", (error) => console.error(error.message));
  await ready(client);
  return Warlock(client);
}

function lock(warlock, key, leaseMs) {
  let unlock;
  return {
    async acquire() { // asks once; optimistic(), which asks again, has no default to take
      unlock = await promisify(warlock.lock)(key, leaseMs);
      return Boolean(unlock);
    },
    async release() {
      if (!unlock) return "not_held";
      const removed = await promisify(unlock)();
      if (removed === undefined) return "no_outcome"; // no answer came: it gives neither 0 nor 1
      return removed === 1 ? "released" : "not_mine"; // expired or stolen: 0
    },
  };
}

const { version } = require("node-redis-warlock/package.json");
serve({
  name: "node-redis-warlock", version, capabilities: ["lease", "token", "atomic_release"],
  connect, lock,
});
