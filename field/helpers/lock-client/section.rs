//! What the lock protects: the critical section of a client (docs/client-protocol.md, work).

use std::io::{BufRead, BufReader, Error, Read, Write};
use std::net::TcpStream;

use crate::{Request, Stopping};

/// Why a critical section ended early.
pub(crate) enum Early {
    Abandoned(String),
    Failed(String),
}

impl From<Error> for Early {
    fn from(error: Error) -> Self {
        Early::Failed(format!("storage: {error}"))
    }
}

/// Reads and writes one account after the other. Not safe to share.
pub(crate) struct Storage {
    stream: BufReader<TcpStream>,
    client: String,
}

impl Storage {
    pub fn connect(address: &str, client: String) -> Result<Self, Error> {
        Ok(Storage {
            stream: BufReader::new(TcpStream::connect(address)?),
            client,
        })
    }

    fn ask(&mut self, operation: &str, account: &str, more: &[&str]) -> Result<String, Early> {
        let mut words = vec![operation, account, &self.client];
        words.extend(more);
        let mut command = format!("*{}\r\n", words.len());
        for word in words {
            command += &format!("${}\r\n{word}\r\n", word.len());
        }
        self.stream.get_mut().write_all(command.as_bytes())?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        self.rest_of(line.trim_end())
    }

    fn rest_of(&mut self, line: &str) -> Result<String, Early> {
        if let Some(size) = line.strip_prefix('$') {
            let size: usize = size.parse().map_err(|_| Early::Failed(line.into()))?;
            let mut text = vec![0; size + 2];
            self.stream.read_exact(&mut text)?;
            return Ok(String::from_utf8_lossy(&text[..size]).into_owned());
        }
        match line.chars().next() {
            None => Err(Early::Failed("storage: hung up".into())),
            Some('-') if line.starts_with("-FENCED") => Err(Early::Abandoned(
                "the storage refused it: the lock was lost, and taken since".into(),
            )),
            Some('-') => Err(Early::Failed(format!("storage: {}", &line[1..]))),
            Some(_) => Ok(line[1..].to_string()),
        }
    }
}

/// Adds an amount. `check` is called last before the write, and fails if the lock is lost.
pub(crate) fn change_account(
    storage: &mut Storage,
    request: &Request,
    fence: Option<String>,
    stopping: &Stopping,
    check: impl FnOnce() -> Result<(), Early>,
) -> Result<(), Early> {
    let account = request.text("account", "account");
    let fence: Vec<&str> = fence.iter().map(String::as_str).collect();
    let read = storage.ask("READ", &account, &fence)?;
    let value: i64 = read
        .parse()
        .map_err(|_| Early::Failed(format!("storage: {read}")))?;
    if request.0["throws"] == true {
        return Err(Early::Abandoned(
            "an exception left the critical section".into(),
        ));
    }
    stopping.wait(request.time("think_ms"));
    if stopping.is_set() {
        return Err(Early::Abandoned("told to stop".into()));
    }
    check()?;
    storage.ask("BEGIN", &account, &fence)?;
    let written = (value + request.number("amount", 1)).to_string();
    storage.ask(
        "WRITE",
        &account,
        &[&[written.as_str()], &fence[..]].concat(),
    )?;
    Ok(())
}
