//! One hold: what an adapter makes its lock for, and what the client knows of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use crate::section::Early;
use crate::{say, Stopping};

/// Why an operation has no outcome.
#[derive(Debug)]
pub enum Failure {
    /// No answer came: the command may have been applied.
    Unknown(String),
    /// Anything else: an `error` answer.
    Other(String),
}

/// A lock of the library. Called on the main thread only.
pub trait Lock {
    /// Waits for at most `wait`, zero: it asks once; returns early when the program is told to
    /// stop, if the library can. Returns "acquired", or why not: "contended", "not_acquired".
    fn acquire(&mut self, wait: Duration, stopping: &Stopping) -> Result<&'static str, Failure>;

    /// Returns an outcome of the protocol.
    fn release(&mut self) -> Result<&'static str, Failure>;

    /// The capability "extend": asks for a new lease, zero: for the one that it was acquired with.
    /// Returns an outcome of the protocol.
    fn extend(&mut self, _lease: Duration) -> Result<&'static str, Failure> {
        let why = "the lease of this lock cannot be extended";
        Err(Failure::Other(why.into()))
    }

    /// What the library answers when it is asked whether the lock is still held, right before each
    /// write. None: it cannot be asked.
    fn held(&mut self) -> Option<Result<bool, Failure>> {
        None
    }

    /// Once it is acquired, if it has one.
    fn fencing_token(&self) -> Option<i64> {
        None
    }
}

/// What a lock is made for. The library renews it if `renewed`.
pub struct Hold {
    pub key: String,
    pub lease: Duration,
    pub renewed: bool,
    pub(crate) state: Arc<HoldState>,
}

impl Hold {
    /// To be called if the library tells of a loss; from any thread.
    pub fn lost(&self) {
        self.state.lose(false);
    }
}

#[derive(PartialEq)]
enum Standing {
    New,
    Held,
    Lost,
    Over,
}

/// Safe to share between threads.
pub(crate) struct HoldState {
    pub key: String,
    standing: Mutex<Standing>,
}

impl HoldState {
    pub fn new(key: String) -> Self {
        HoldState {
            key,
            standing: Mutex::new(Standing::New),
        }
    }

    pub fn begin(&self) {
        *self.standing.lock().unwrap() = Standing::Held;
    }

    pub fn end(&self) {
        *self.standing.lock().unwrap() = Standing::Over;
    }

    pub fn is_lost(&self) -> bool {
        *self.standing.lock().unwrap() == Standing::Lost
    }

    /// Lost, as the answer to an operation says.
    pub fn end_hold(&self) {
        *self.standing.lock().unwrap() = Standing::Lost;
    }

    /// Says so once, and only while the lock is held.
    pub fn lose(&self, asked: bool) {
        let mut standing = self.standing.lock().unwrap();
        if *standing != Standing::Held {
            return;
        }
        *standing = Standing::Lost;
        let mut event = json!({"event": "lost", "key": self.key});
        if asked {
            event["asked"] = true.into();
        }
        say(&event);
    }
}

/// A lock that is held, and by which thread.
pub(crate) struct Held<L: Lock> {
    pub lock: L,
    pub state: Arc<HoldState>,
    pub thread: i64,
    pub fence: Option<String>,
}

impl<L: Lock> Held<L> {
    /// What an application asks last, before it writes.
    pub fn check(&mut self) -> Result<(), Early> {
        if !self.state.is_lost() {
            if let Some(answer) = self.lock.held() {
                if !answer.unwrap_or(false) {
                    self.state.lose(true);
                }
            }
        }
        if self.state.is_lost() {
            return Err(Early::Abandoned("the lock was lost".into()));
        }
        Ok(())
    }
}
