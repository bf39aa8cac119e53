//! NAME: a lock to fill in. As it stands it is the lock of stage 4, with a Redis client of its own:
//! put your library in the place of Connection and of the two functions of MyLock.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::rc::Rc;
use std::time::Duration;

use lock_client::{serve, timeout, Adapter, Failure, Hold, Lock, Stopping};

const DELETE_OWN: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0";

struct Connection {
    address: String,
    stream: Option<BufReader<TcpStream>>, // none: the next command connects
}

impl Connection {
    fn command(&mut self, words: &[&str]) -> Result<String, Failure> {
        if self.stream.is_none() {
            let opened = TcpStream::connect(&self.address).and_then(|stream| {
                stream.set_read_timeout(timeout())?;
                Ok(BufReader::new(stream))
            });
            self.stream = Some(opened.map_err(|error| Failure::Other(error.to_string()))?);
        }
        let line = self.exchange(words).map_err(|error| {
            self.stream = None;
            Failure::Unknown(format!("no answer came: {error}"))
        })?;
        match line.strip_prefix('-') {
            Some(error) => Err(Failure::Other(error.to_string())),
            None => Ok(line),
        }
    }

    fn exchange(&mut self, words: &[&str]) -> Result<String, Error> {
        let stream = self.stream.as_mut().ok_or(ErrorKind::NotConnected)?;
        let mut text = format!("*{}\r\n", words.len());
        for word in words {
            text += &format!("${}\r\n{word}\r\n", word.len());
        }
        stream.get_mut().write_all(text.as_bytes())?;
        let mut line = String::new();
        match stream.read_line(&mut line)? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_string()),
        }
    }
}

type Server = Rc<RefCell<Connection>>;

fn connect(nodes: &[&str]) -> Result<Server, String> {
    Ok(Rc::new(RefCell::new(Connection {
        address: nodes[0].to_string(),
        stream: None,
    })))
}

struct MyLock {
    server: Server,
    hold: Hold,
    token: String,
}

impl MyLock {
    fn new(server: &Server, hold: Hold) -> Self {
        let mut random = [0u8; 16];
        let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut random));
        read.expect("/dev/urandom gives random bytes");
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        MyLock {
            server: server.clone(),
            hold,
            token,
        }
    }
}

impl Lock for MyLock {
    fn acquire(&mut self, _: Duration, _: &Stopping) -> Result<&'static str, Failure> {
        let lease = self.hold.lease.as_millis().to_string();
        let set = ["SET", &self.hold.key, &self.token, "NX", "PX", &lease];
        let reply = self.server.borrow_mut().command(&set)?;
        Ok(if reply == "$-1" {
            "contended"
        } else {
            "acquired"
        })
    }

    fn release(&mut self) -> Result<&'static str, Failure> {
        let delete = ["EVAL", DELETE_OWN, "1", &self.hold.key, &self.token];
        let removed = self.server.borrow_mut().command(&delete)?;
        Ok(if removed == ":0" {
            "not_mine"
        } else {
            "released"
        })
    }
}

fn main() {
    serve(Adapter {
        name: "NAME",
        version: "0.1",
        capabilities: &["lease", "token", "atomic_release"],
        connect,
        lock: MyLock::new,
        waits: false,
    })
}
