// NAME: a lock to fill in. As it stands it is the lock of stage 4, with a Redis client of its own:
// put your library in the place of connection and of the two functions of lock.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"lockclient"
)

const deleteOwn = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

var errNoAnswer = errors.New("no answer came: the command may have been applied")

type connection struct {
	address string
	socket  net.Conn
	replies *bufio.Reader
}

func connect(nodes []string) (*connection, error) {
	return &connection{address: nodes[0]}, nil
}

func (c *connection) command(words ...string) (string, error) {
	if c.socket == nil {
		socket, err := net.Dial("tcp", c.address)
		if err != nil {
			return "", err
		}
		c.socket, c.replies = socket, bufio.NewReader(socket)
	}
	if timeout := lockclient.Timeout(); timeout > 0 {
		_ = c.socket.SetDeadline(time.Now().Add(timeout))
	}
	text := fmt.Sprintf("*%d\r\n", len(words))
	for _, word := range words {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	_, err := c.socket.Write([]byte(text))
	line := ""
	if err == nil {
		line, err = c.replies.ReadString('\n')
	}
	if err != nil {
		_ = c.socket.Close()
		c.socket = nil // the next command connects again
		return "", fmt.Errorf("%w: %v", errNoAnswer, err)
	}
	if strings.HasPrefix(line, "-") {
		return "", errors.New(strings.TrimSpace(line[1:]))
	}
	return strings.TrimSpace(line), nil
}

type lock struct {
	server *connection
	hold   lockclient.Hold
	token  string
}

func (l *lock) Acquire(_ context.Context, _ time.Duration) (string, error) {
	reply, err := l.server.command("SET", l.hold.Key, l.token, "NX", "PX",
		strconv.FormatInt(l.hold.Lease.Milliseconds(), 10))
	if err == nil && reply == "$-1" {
		return "contended", nil
	}
	return "acquired", err
}

func (l *lock) Release() (string, error) {
	removed, err := l.server.command("EVAL", deleteOwn, "1", l.hold.Key, l.token)
	if err == nil && removed == ":0" {
		return "not_mine", nil
	}
	return "released", err
}

func main() {
	lockclient.Serve(lockclient.Adapter[*connection]{
		Name: "NAME", Version: "0.1",
		Capabilities: []string{"lease", "token", "atomic_release"},
		Connect:      connect,
		New: func(server *connection, hold lockclient.Hold) lockclient.Lock {
			token := make([]byte, 16)
			_, _ = rand.Read(token)
			return &lock{server: server, hold: hold, token: hex.EncodeToString(token)}
		},
		Unknown: func(err error) bool { return errors.Is(err, errNoAnswer) },
	})
}
