//! Speaks the client protocol (docs/client-protocol.md) for an adapter in Rust, which brings only a
//! lock.
//!
//! `serve` answers the kit's requests until it is told to stop. A thread of a request is a number:
//! all requests are answered on the main thread. Outcomes are those of the protocol.

mod hold;
mod section;
mod settings;

use std::io::BufRead;
use std::sync::{mpsc, Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use std::{process, thread};

use serde_json::{json, Value};

pub use hold::{Failure, Hold, Lock};
use hold::{Held, HoldState};
use section::{change_account, Early, Storage};
use settings::{fail, milliseconds, setting};
pub use settings::{timeout, variant};

/// What a library brings. `connect` is called once, with addresses "HOST:PORT". `waits`: the
/// library waits by itself; else `serve` asks it again every 20 ms.
pub struct Adapter<Servers, L: Lock> {
    pub name: &'static str,
    pub version: &'static str,
    pub capabilities: &'static [&'static str],
    pub connect: fn(&[&str]) -> Result<Servers, String>,
    pub lock: fn(&Servers, Hold) -> L,
    pub waits: bool,
}

/// True once the program was told to stop. Safe to share.
#[derive(Clone, Default)]
pub struct Stopping(Arc<(Mutex<bool>, Condvar)>);

impl Stopping {
    pub fn is_set(&self) -> bool {
        *self.0 .0.lock().unwrap()
    }

    /// Returns after that time, or when the program is told to stop.
    pub fn wait(&self, time: Duration) {
        let stopped = self.0 .0.lock().unwrap();
        drop(
            self.0
                 .1
                .wait_timeout_while(stopped, time, |stopped| !*stopped),
        );
    }

    fn set(&self) {
        *self.0 .0.lock().unwrap() = true;
        self.0 .1.notify_all();
    }
}

/// One line of the kit.
struct Request(Value);

impl Request {
    fn text(&self, field: &str, usual: &str) -> String {
        self.0[field].as_str().unwrap_or(usual).to_string()
    }

    fn number(&self, field: &str, usual: i64) -> i64 {
        self.0[field].as_i64().unwrap_or(usual)
    }

    fn time(&self, field: &str) -> Duration {
        Duration::from_millis(self.number(field, 0).max(0) as u64)
    }
}

type Answer = Result<Value, String>;

struct Client<Servers, L: Lock> {
    adapter: Adapter<Servers, L>,
    servers: Servers,
    storage: Storage,
    lease: Duration,
    stopping: Stopping,
    holds: Vec<Held<L>>, // the newest last
}

impl<Servers, L: Lock> Client<Servers, L> {
    fn find(&self, request: &Request) -> Option<usize> {
        let (key, thread) = (request.text("key", ""), request.number("thread", 1));
        self.holds
            .iter()
            .rposition(|held| held.state.key == key && held.thread == thread)
    }

    fn make(&self, request: &Request) -> Held<L> {
        let state = Arc::new(HoldState::new(request.text("key", "")));
        let named = request.time("lease_ms");
        let renewed = named.is_zero();
        let lease = if renewed { self.lease } else { named };
        let hold = Hold {
            key: state.key.clone(),
            lease,
            renewed,
            state: state.clone(),
        };
        let lock = (self.adapter.lock)(&self.servers, hold);
        Held {
            lock,
            state,
            thread: request.number("thread", 1),
            fence: None,
        }
    }

    fn acquire(&mut self, request: &Request) -> Answer {
        if !request.0["join"].is_null() {
            return Err("this lock cannot be joined".into());
        }
        let mut held = self.make(request);
        let got = self.ask(&mut held, request);
        match got {
            Ok("acquired") => Ok(self.acquired(held)),
            other => outcome(other),
        }
    }

    fn ask(&self, held: &mut Held<L>, request: &Request) -> Result<&'static str, Failure> {
        let (wait, limit) = (request.time("wait_ms"), request.number("tries", 0));
        let by_itself = !wait.is_zero() && limit == 0 && self.adapter.waits;
        let end = Instant::now() + wait;
        let mut tries = 0;
        loop {
            let once = if by_itself { wait } else { Duration::ZERO };
            let got = held.lock.acquire(once, &self.stopping)?;
            tries += 1;
            let over = Instant::now() > end && (limit == 0 || !wait.is_zero());
            if got == "acquired" || by_itself || over || tries == limit || self.stopping.is_set() {
                return Ok(got);
            }
            self.stopping.wait(Duration::from_millis(20));
        }
    }

    fn acquired(&mut self, mut held: Held<L>) -> Value {
        let mut said = json!({"outcome": "acquired", "thread": held.thread});
        if let Some(token) = held.lock.fencing_token() {
            said["fencing_token"] = token.into();
            held.fence = Some(token.to_string());
        }
        held.state.begin();
        self.holds.push(held);
        said
    }

    fn release(&mut self, request: &Request) -> Answer {
        let Some(place) = self.find(request) else {
            return outcome(self.make(request).lock.release()); // a program with a bug asks too
        };
        let said = outcome(self.holds[place].lock.release());
        let is_unknown = said
            .as_ref()
            .is_ok_and(|answer| answer["outcome"] == "unknown");
        if !is_unknown {
            self.holds.remove(place).state.end();
        }
        said
    }

    /// A benchmark's.
    fn repeat(&mut self, request: &Request) -> Answer {
        let (end, mut pairs) = (Instant::now() + request.time("for_ms"), 0);
        while Instant::now() < end {
            let mut said = self.acquire(request)?;
            if said["outcome"] == "contended" || said["outcome"] == "not_acquired" {
                continue; // it gave up
            }
            if said["outcome"] == "acquired" {
                said = self.release(request)?;
            }
            if said["outcome"] != "released" && said["outcome"] != "no_outcome" {
                return Err(format!("after {pairs} pairs: {}", said["outcome"]));
            }
            pairs += 1;
        }
        Ok(json!({"outcome": "done", "pairs": pairs}))
    }

    fn extend(&mut self, request: &Request) -> Answer {
        let Some(place) = self.find(request) else {
            return Ok(json!({"outcome": "not_held"}));
        };
        let held = &mut self.holds[place];
        let got = held.lock.extend(request.time("lease_ms"));
        if matches!(got, Ok("not_mine" | "not_held")) {
            held.state.end_hold();
        }
        outcome(got)
    }

    fn held(&self, request: &Request) -> Answer {
        let is_held = self
            .find(request)
            .is_some_and(|place| !self.holds[place].state.is_lost());
        Ok(json!({ "held": is_held }))
    }

    /// What leaves the critical section early gives the lock back.
    fn work(&mut self, request: &Request) -> Answer {
        let Some(place) = self.find(request) else {
            return Err("work needs the lock: acquire it first".into());
        };
        let held = &mut self.holds[place];
        let fence = held.fence.clone();
        let done = change_account(&mut self.storage, request, fence, &self.stopping, || {
            held.check()
        });
        let Err(early) = done else {
            return Ok(json!({"outcome": "done"}));
        };
        let _ = self.release(request);
        match early {
            Early::Abandoned(why) => Ok(json!({"outcome": "abandoned", "why": why})),
            Early::Failed(why) => Err(why),
        }
    }

    fn bye(&mut self) {
        while let Some(mut held) = self.holds.pop() {
            let _ = held.lock.release();
            held.state.end();
        }
    }

    fn run(&mut self, request: &Request) -> Answer {
        let adapter = &self.adapter;
        match request.text("op", "").as_str() {
            "hello" => Ok(
                json!({"name": adapter.name, "version": 1, "library": adapter.version,
                                 "capabilities": adapter.capabilities}),
            ),
            "acquire" => self.acquire(request),
            "release" => self.release(request),
            "repeat" => self.repeat(request),
            "extend" => self.extend(request),
            "held" => self.held(request),
            "work" => self.work(request),
            "bye" => {
                self.bye();
                Ok(json!({"outcome": "bye"}))
            }
            other => Err(format!("unknown operation \"{other}\"")),
        }
    }

    fn answer(&mut self, line: &str) {
        let request = Request(serde_json::from_str(line).unwrap_or_default());
        let mut said = self
            .run(&request)
            .unwrap_or_else(|why| json!({ "error": why }));
        if !request.0["id"].is_null() {
            said["id"] = request.0["id"].clone();
        }
        say(&said);
        if request.text("op", "") == "bye" {
            process::exit(0);
        }
    }
}

fn outcome(got: Result<&'static str, Failure>) -> Answer {
    match got {
        Ok(word) => Ok(json!({ "outcome": word })),
        Err(Failure::Unknown(why)) => Ok(json!({"outcome": "unknown", "why": why})),
        Err(Failure::Other(why)) => Err(why),
    }
}

fn say(line: &Value) {
    println!("{line}");
}

/// The lines of the input; none when the program is told to stop.
fn read_input(stopping: &Stopping) -> mpsc::Receiver<Option<String>> {
    let (lines, input) = mpsc::channel();
    let (stopped, on_signal) = (lines.clone(), stopping.clone());
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM])
        .unwrap_or_else(|error| fail(&error.to_string()));
    thread::spawn(move || {
        signals.forever().next();
        on_signal.set();
        let _ = stopped.send(None);
    });
    let at_end = stopping.clone();
    thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = lines.send(Some(line));
        }
        at_end.set();
        let _ = lines.send(None);
    });
    input
}

/// Answers requests until the input ends or SIGTERM comes, and gives back all that is held.
pub fn serve<Servers, L: Lock>(adapter: Adapter<Servers, L>) {
    let (addresses, lease) = (
        setting("LOCK_NODES", ""),
        milliseconds("LOCK_LEASE_MS", "30000"),
    );
    let storage = Storage::connect(&setting("LOCK_STORAGE", ""), setting("LOCK_CLIENT", ""))
        .unwrap_or_else(|error| fail(&error.to_string()));
    let nodes: Vec<&str> = addresses.split(',').collect();
    let servers = (adapter.connect)(&nodes).unwrap_or_else(|why| fail(&why));
    let stopping = Stopping::default();
    let input = read_input(&stopping);
    let mut client = Client {
        adapter,
        servers,
        storage,
        lease,
        stopping,
        holds: Vec::new(),
    };
    while let Ok(Some(line)) = input.recv() {
        if client.stopping.is_set() {
            break;
        }
        client.answer(&line);
    }
    client.bye();
    say(&json!({"event": "stopped"}));
}
