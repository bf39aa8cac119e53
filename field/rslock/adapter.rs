//! rslock, as its README shows it: a manager, and lock(), here without its guard: acquire() has no
//! end. release() gives back.

use std::rc::Rc;
use std::time::{Duration, Instant};

use lock_client::{serve, Adapter, Failure, Hold, Lock, Stopping};
use rslock::{LockError, LockManager};
use tokio::runtime::{Builder, Runtime};

const RETRY_DELAY: Duration = Duration::from_millis(200); // its default

struct Servers {
    manager: LockManager,
    runtime: Runtime,
}

fn connect(nodes: &[&str]) -> Result<Rc<Servers>, String> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    Ok(Rc::new(Servers {
        manager: LockManager::new(
            nodes
                .iter()
                .map(|node| format!("redis://{node}/"))
                .collect(),
        ),
        runtime: runtime.map_err(|error| error.to_string())?,
    }))
}

struct RsLock {
    servers: Rc<Servers>,
    hold: Hold,
    held: Option<rslock::Lock>,
}

impl RsLock {
    fn new(servers: &Rc<Servers>, hold: Hold) -> Self {
        RsLock {
            servers: servers.clone(),
            hold,
            held: None,
        }
    }
}

impl Lock for RsLock {
    fn acquire(&mut self, wait: Duration, stopping: &Stopping) -> Result<&'static str, Failure> {
        let mut manager = self.servers.manager.clone();
        if wait.is_zero() {
            manager.set_retry(1, RETRY_DELAY);
        }
        let (key, end) = (self.hold.key.as_bytes(), Instant::now() + wait);
        loop {
            match self
                .servers
                .runtime
                .block_on(manager.lock(key, self.hold.lease))
            {
                Ok(lock) => {
                    self.held = Some(lock);
                    return Ok("acquired");
                }
                // Taken, or too few servers answered in time.
                Err(LockError::Unavailable | LockError::TtlExceeded) => {}
                Err(error) => return Err(Failure::Other(error.to_string())),
            }
            if Instant::now() >= end || stopping.is_set() {
                return Ok("not_acquired");
            }
        }
    }

    fn release(&mut self) -> Result<&'static str, Failure> {
        let Some(lock) = self.held.take() else {
            return Ok("not_held");
        };
        self.servers.runtime.block_on(lock.release());
        Ok("no_outcome") // it returns nothing, whether the lock was ours or not
    }

    fn extend(&mut self, lease: Duration) -> Result<&'static str, Failure> {
        let Some(lock) = &self.held else {
            return Ok("not_held");
        };
        let lease = if lease.is_zero() {
            self.hold.lease
        } else {
            lease
        };
        let Servers { manager, runtime } = &*self.servers;
        match runtime.block_on(manager.extend(lock, lease)) {
            Ok(lock) => {
                self.held = Some(lock);
                Ok("extended")
            }
            // Too few servers had the lock or answered in time.
            Err(LockError::Unavailable | LockError::TtlExceeded) => Ok("not_extended"),
            Err(error) => Err(Failure::Other(error.to_string())),
        }
    }
}

fn main() {
    serve(Adapter {
        name: "rslock",
        version: "0.10.0",
        capabilities: &["lease", "token", "atomic_release", "quorum", "extend"],
        connect,
        lock: RsLock::new,
        waits: true,
    })
}
