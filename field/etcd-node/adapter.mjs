// npm's etcd3, as its documentation shows it: client.lock(name).ttl(seconds); it keeps the lease
// alive. The variant "fencing" asks for the revision of the lock's key for the storage.
import { createRequire } from "node:module";
import { serve, timeoutMs, variant } from "../helpers/lock-client.mjs";

const require = createRequire(import.meta.url);
const { Etcd3, EtcdLockFailedError, GRPCGenericError } = require("etcd3");
const fencing = variant === "fencing";
const more = { fencing: ["fencing"], three_nodes: ["quorum"] }[variant] ?? [];

async function connect(nodes) {
  const defaultCallOptions = timeoutMs && (() => ({ deadline: Date.now() + timeoutMs }));
  const hosts = nodes.map(({ host, port }) => `http://${host}:${port}`);
  const client = new Etcd3({ hosts, defaultCallOptions });
  await client.maintenance.status();
  return client;
}

function lock(client, key, leaseMs) {
  let made, held = false;
  return {
    async acquire() { // asks once: it cannot wait
      made = client.lock(key).ttl(Math.ceil(leaseMs / 1000)); // whole seconds, rounded up
      try {
        await made.acquire();
      } catch (error) {
        if (!(error instanceof EtcdLockFailedError)) throw error;
        return false;
      }
      held = true;
      if (!fencing) return true;
      const [kept] = (await client.get(key).exec()).kvs;
      const ours = kept.lease === (await made.leaseId());
      return ours ? { fencing_token: Number(kept.create_revision) } : true;
    },
    async release() {
      if (!held) return "not_held";
      await made.release();
      return "no_outcome"; // a lease that is over counts as revoked
    },
  };
}

const { version } = require("etcd3/package.json");
serve({
  name: "etcd-node", version,
  capabilities: ["lease", "token", "atomic_release", "renewal", ...more],
  connect, lock, unknown: (error) => error instanceof GRPCGenericError,
});
