//! What the lab sets in the environment of a client.

use std::time::Duration;
use std::{env, process};

/// The variant of lock.json.
pub fn variant() -> String {
    setting("LOCK_VARIANT", "default")
}

/// How long a command may stay unanswered in the variant command_timeout; none in others: as the
/// library has it.
pub fn timeout() -> Option<Duration> {
    let most = Duration::from_millis(500);
    (variant() == "command_timeout").then(|| milliseconds("LOCK_TIMEOUT_MS", "1000").min(most))
}

pub(crate) fn fail(why: &str) -> ! {
    eprintln!("{why}");
    process::exit(2)
}

pub(crate) fn setting(name: &str, usual: &str) -> String {
    let value = env::var(name).unwrap_or_default();
    let value = if value.is_empty() {
        usual.to_string()
    } else {
        value
    };
    if value.is_empty() {
        fail(&format!(
            "{name} is not set: the lab starts lock clients and sets it"
        ));
    }
    value
}

pub(crate) fn milliseconds(name: &str, usual: &str) -> Duration {
    match setting(name, usual).parse() {
        Ok(number) => Duration::from_millis(number),
        Err(_) => fail(&format!("{name} is not a number")),
    }
}
