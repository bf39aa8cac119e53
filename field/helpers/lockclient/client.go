// Package lockclient speaks the client protocol (docs/client-protocol.md) for an adapter in Go, which
// brings only a lock.
//
// Serve answers the kit's requests until it is told to stop. A thread of a request is a number: Go
// has none of its own. Outcomes are those of the protocol.
package lockclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Lock is one hold. Acquire waits for at most `wait`, 0: it asks once; its context ends when the
// program is told to stop. It returns "acquired", or why not: "contended", "not_acquired". Release
// returns an outcome. Errors for which the adapter's Unknown is true become "unknown", others
// `error` answers.
type Lock interface {
	Acquire(stopping context.Context, wait time.Duration) (string, error)
	Release() (string, error)
}

// Asked is a Lock that can be asked whether it is still held; it is, right before each write.
type Asked interface{ Held() (bool, error) }

// Extended is a Lock, of the capability "extend", whose holder can ask for a new lease; 0: for the
// one that it was acquired with. It returns an outcome.
type Extended interface {
	Extend(lease time.Duration) (string, error)
}

// Fenced is a Lock with a fencing token, once it is acquired.
type Fenced interface{ FencingToken() int64 }

// Hold is what a lock is made for. The library renews it if Renewed; call Lost if it tells of a loss.
type Hold struct {
	Key     string
	Lease   time.Duration
	Renewed bool
	Lost    func()
}

// Adapter is what a library brings. Connect is called once, with addresses "HOST:PORT". Waits: the
// library waits by itself; else Serve asks it again every 20 ms.
type Adapter[Servers any] struct {
	Name, Version string
	Capabilities  []string
	Connect       func(nodes []string) (Servers, error)
	New           func(servers Servers, hold Hold) Lock
	Unknown       func(error) bool
	Waits         bool
}

// Request is one line of the kit.
type Request struct {
	ID      json.RawMessage `json:"id"`
	Op      string          `json:"op"`
	Key     string          `json:"key"`
	LeaseMs int             `json:"lease_ms"`
	WaitMs  int             `json:"wait_ms"`
	Tries   int             `json:"tries"`
	Join    *string         `json:"join"`
	Thread  int             `json:"thread"`
	Account string          `json:"account"`
	Amount  int             `json:"amount"`
	ThinkMs int             `json:"think_ms"`
	Throws  bool            `json:"throws"`
	ForMs   int             `json:"for_ms"`
}

type answer = map[string]any

type held struct {
	Lock
	key    string
	thread int
	lost   bool
	fence  []string
}

type client[Servers any] struct {
	adapter  Adapter[Servers]
	servers  Servers
	storage  *storage
	lease    time.Duration
	stopping context.Context
	mutex    sync.Mutex // guards what follows, and standard output
	holds    []*held    // the newest last
	// Of the acquire that is under way: its context's end, and whether an interrupt asked for it.
	endWaiting  context.CancelFunc
	interrupted bool
}

// Variant is the variant of lock.json; Timeout is how long a command may stay unanswered in the
// variant command_timeout, and 0 in others: as the library has it.
var Variant = setting("LOCK_VARIANT", "default")

func Timeout() time.Duration {
	if Variant != "command_timeout" {
		return 0
	}
	timeout := milliseconds("LOCK_TIMEOUT_MS", "1000")
	if timeout > 500*time.Millisecond {
		timeout = 500 * time.Millisecond
	}
	return timeout
}

func setting(name, usual string) string {
	value := os.Getenv(name)
	if value == "" {
		value = usual
	}
	if value == "" {
		fmt.Fprintf(os.Stderr, "%s is not set: the lab starts lock clients and sets it\n", name)
		os.Exit(2)
	}
	return value
}

func milliseconds(name, usual string) time.Duration {
	number, err := strconv.Atoi(setting(name, usual))
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s is not a number\n", name)
		os.Exit(2)
	}
	return time.Duration(number) * time.Millisecond
}

func (c *client[S]) say(line answer) {
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func (c *client[S]) tellLost(hold *held, asked bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if hold.lost || !c.has(hold) {
		return
	}
	hold.lost = true
	event := answer{"event": "lost", "key": hold.key}
	if asked {
		event["asked"] = true
	}
	c.say(event)
}

func (c *client[S]) isLost(hold *held) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return hold.lost
}

// has needs the mutex.
func (c *client[S]) has(wanted *held) bool {
	for _, hold := range c.holds {
		if hold == wanted {
			return true
		}
	}
	return false
}

func (c *client[S]) find(request Request) *held {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for i := len(c.holds) - 1; i >= 0; i-- {
		if c.holds[i].key == request.Key && c.holds[i].thread == request.Thread {
			return c.holds[i]
		}
	}
	return nil
}

func (c *client[S]) forget(hold *held) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	kept := c.holds[:0]
	for _, each := range c.holds {
		if each != hold {
			kept = append(kept, each)
		}
	}
	c.holds = kept
}

func (c *client[S]) make(request Request) *held {
	hold := &held{key: request.Key, thread: request.Thread}
	lease := c.lease
	if request.LeaseMs > 0 {
		lease = time.Duration(request.LeaseMs) * time.Millisecond
	}
	hold.Lock = c.adapter.New(c.servers, Hold{
		Key: request.Key, Lease: lease, Renewed: request.LeaseMs == 0,
		Lost: func() { c.tellLost(hold, false) }})
	return hold
}

func (c *client[S]) outcome(outcome string, err error) (answer, error) {
	if err == nil {
		return answer{"outcome": outcome}, nil
	}
	if c.adapter.Unknown != nil && c.adapter.Unknown(err) {
		return answer{"outcome": "unknown", "why": err.Error()}, nil
	}
	return nil, err
}

func (c *client[S]) acquire(request Request) (answer, error) {
	if request.Join != nil {
		return nil, errors.New("this lock cannot be joined")
	}
	hold, wait := c.make(request), time.Duration(request.WaitMs)*time.Millisecond
	byItself := wait > 0 && request.Tries == 0 && c.adapter.Waits
	waiting, end := c.beginWaiting(), time.Now().Add(wait)
	defer c.endWaiting()
	for tries := 1; ; tries++ {
		once := time.Duration(0)
		if byItself {
			once = wait
		}
		got, err := hold.Acquire(waiting, once)
		if err == nil && got == "acquired" {
			return c.acquired(hold), nil
		}
		if c.isInterrupted() {
			return answer{"outcome": "interrupted"}, nil // whatever the library calls it
		}
		over := time.Now().After(end) && (request.Tries == 0 || wait > 0)
		if err != nil || byItself || over || tries == request.Tries || c.stopping.Err() != nil {
			return c.outcome(got, err)
		}
		select {
		case <-waiting.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (c *client[S]) beginWaiting() context.Context {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var waiting context.Context
	waiting, c.endWaiting = context.WithCancel(c.stopping)
	c.interrupted = false
	return waiting
}

// An interrupt ends the context of the acquire that is under way. It is not queued with the others.
func (c *client[S]) interrupt() answer {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.interrupted = true
	if c.endWaiting != nil {
		c.endWaiting()
	}
	return answer{"outcome": "interrupted"}
}

func (c *client[S]) isInterrupted() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.interrupted
}

func (c *client[S]) acquired(hold *held) answer {
	said := answer{"outcome": "acquired", "thread": hold.thread}
	if fenced, ok := hold.Lock.(Fenced); ok {
		said["fencing_token"] = fenced.FencingToken()
		hold.fence = []string{strconv.FormatInt(fenced.FencingToken(), 10)}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.holds = append(c.holds, hold)
	return said
}

func (c *client[S]) release(request Request) (answer, error) {
	hold := c.find(request)
	lock := hold
	if hold == nil { // a program with a bug asks too
		lock = c.make(request)
	}
	said, err := c.outcome(lock.Release())
	if hold != nil && (err != nil || said["outcome"] != "unknown") {
		c.forget(hold)
	}
	return said, err
}

// A benchmark's.
func (c *client[S]) repeat(request Request) (answer, error) {
	end, pairs := time.Now().Add(time.Duration(request.ForMs)*time.Millisecond), 0
	for time.Now().Before(end) {
		said, err := c.acquire(request)
		if err == nil && (said["outcome"] == "contended" || said["outcome"] == "not_acquired") {
			continue // it gave up
		}
		if err == nil && said["outcome"] == "acquired" {
			said, err = c.release(request)
		}
		if err == nil && said["outcome"] != "released" && said["outcome"] != "no_outcome" {
			err = fmt.Errorf("after %d pairs: %v", pairs, said["outcome"])
		}
		if err != nil {
			return nil, err
		}
		pairs++
	}
	return answer{"outcome": "done", "pairs": pairs}, nil
}

func (c *client[S]) extend(request Request) (answer, error) {
	hold := c.find(request)
	if hold == nil {
		return answer{"outcome": "not_held"}, nil
	}
	lock, ok := hold.Lock.(Extended)
	if !ok {
		return nil, errors.New("the lease of this lock cannot be extended")
	}
	said, err := c.outcome(lock.Extend(time.Duration(request.LeaseMs) * time.Millisecond))
	if err == nil && (said["outcome"] == "not_mine" || said["outcome"] == "not_held") {
		c.mutex.Lock()
		hold.lost = true
		c.mutex.Unlock()
	}
	return said, err
}

func (c *client[S]) check(hold *held) error {
	if asked, ok := hold.Lock.(Asked); ok && !c.isLost(hold) {
		if is, err := asked.Held(); err != nil || !is {
			c.tellLost(hold, true)
		}
	}
	if c.isLost(hold) {
		return errAbandoned{"the lock was lost"}
	}
	return nil
}

// What leaves the critical section early gives the lock back.
func (c *client[S]) work(request Request) (answer, error) {
	hold := c.find(request)
	if hold == nil {
		return nil, errors.New("work needs the lock: acquire it first")
	}
	err := c.storage.changeAccount(c.stopping, request, hold.fence,
		func() error { return c.check(hold) })
	if err == nil {
		return answer{"outcome": "done"}, nil
	}
	_, _ = c.release(request)
	var abandoned errAbandoned
	if errors.As(err, &abandoned) {
		return answer{"outcome": "abandoned", "why": abandoned.why}, nil
	}
	return nil, err
}

func (c *client[S]) bye() {
	for len(c.holds) > 0 {
		hold := c.holds[len(c.holds)-1]
		_, _ = hold.Release()
		c.forget(hold)
	}
}

func (c *client[S]) run(request Request) (answer, error) {
	switch request.Op {
	case "hello":
		return answer{"name": c.adapter.Name, "version": 1, "library": c.adapter.Version,
			"capabilities": c.adapter.Capabilities}, nil
	case "acquire":
		return c.acquire(request)
	case "release":
		return c.release(request)
	case "repeat":
		return c.repeat(request)
	case "extend":
		return c.extend(request)
	case "held":
		hold := c.find(request)
		return answer{"held": hold != nil && !c.isLost(hold)}, nil
	case "work":
		return c.work(request)
	case "interrupt":
		return c.interrupt(), nil
	case "bye":
		c.bye()
		return answer{"outcome": "bye"}, nil
	}
	return nil, fmt.Errorf("unknown operation \"%s\"", request.Op)
}

func (c *client[S]) answer(line string) {
	request := Request{Thread: 1, Account: "account", Amount: 1}
	err := json.Unmarshal([]byte(line), &request)
	var said answer
	if err == nil {
		said, err = c.run(request)
	}
	if err != nil {
		said = answer{"error": err.Error()}
	}
	if request.ID != nil {
		said["id"] = request.ID
	}
	c.mutex.Lock()
	c.say(said)
	c.mutex.Unlock()
	if request.Op == "bye" {
		os.Exit(0)
	}
}

// An interrupt is answered here: the others wait for the operation that is under way.
func (c *client[S]) readInto(lines chan<- string) {
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		line, request := input.Text(), Request{}
		if json.Unmarshal([]byte(line), &request) == nil && request.Op == "interrupt" {
			c.answer(line)
		} else {
			lines <- line
		}
	}
}

// Serve answers requests until the input ends or SIGTERM comes, and gives back all that is held.
func Serve[Servers any](adapter Adapter[Servers]) {
	stopping, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	c := &client[Servers]{adapter: adapter, stopping: stopping,
		lease: milliseconds("LOCK_LEASE_MS", "30000")}
	var err error
	if c.storage, err = connectStorage(setting("LOCK_STORAGE", ""), setting("LOCK_CLIENT", "")); err == nil {
		c.servers, err = adapter.Connect(strings.Split(setting("LOCK_NODES", ""), ","))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	lines := make(chan string)
	go func() {
		c.readInto(lines)
		stop()
		close(lines)
	}()
	for stopping.Err() == nil {
		select {
		case <-stopping.Done():
		case line, more := <-lines:
			if more && stopping.Err() == nil {
				c.answer(line)
			}
		}
	}
	c.bye()
	c.say(answer{"event": "stopped"})
}
