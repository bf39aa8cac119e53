// bsm/redislock with go-redis, as its examples show it: Obtain(), with a retry strategy and a
// deadline where the caller waits, and Release().
package main

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	"lockclient"
)

const delay = 100 * time.Millisecond // between two tries, as in its example

func connect(nodes []string) (*redislock.Client, error) {
	client := redis.NewClient(&redis.Options{Addr: nodes[0], ReadTimeout: lockclient.Timeout()})
	return redislock.New(client), client.Ping(context.Background()).Err()
}

type lock struct {
	locker *redislock.Client
	hold   lockclient.Hold
	held   *redislock.Lock
}

func (l *lock) Acquire(stopping context.Context, wait time.Duration) (string, error) {
	limit, options := context.Background(), (*redislock.Options)(nil)
	if wait > 0 {
		var end context.CancelFunc
		limit, end = context.WithTimeout(stopping, wait)
		defer end()
		options = &redislock.Options{RetryStrategy: redislock.LinearBackoff(delay)}
	}
	var err error
	l.held, err = l.locker.Obtain(limit, l.hold.Key, l.hold.Lease, options)
	switch {
	case err == nil:
		return "acquired", nil
	case errors.Is(err, redislock.ErrNotObtained):
		return "contended", nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "not_acquired", nil // out of time: taken, or no answer; the error does not say
	}
	return "", err
}

func (l *lock) Release() (string, error) {
	if l.held == nil {
		return "not_held", nil
	}
	err := l.held.Release(context.Background())
	if errors.Is(err, redislock.ErrLockNotHeld) {
		return "not_mine", nil // expired or stolen: the script says 0 to both
	}
	return "released", err
}

func (l *lock) Extend(lease time.Duration) (string, error) {
	if lease == 0 {
		lease = l.hold.Lease
	}
	err := l.held.Refresh(context.Background(), lease, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return "not_mine", nil // expired or stolen: the script says 0 to both
	}
	return "extended", err
}

func (l *lock) Held() (bool, error) {
	left, err := l.held.TTL(context.Background())
	return left > 0, err
}

func isUnknown(err error) bool {
	var network net.Error
	return errors.As(err, &network)
}

func main() {
	lockclient.Serve(lockclient.Adapter[*redislock.Client]{
		Name: "redislock", Version: "0.9.4",
		Capabilities: []string{"lease", "token", "atomic_release", "extend", "interrupt"},
		Connect:      connect,
		New: func(locker *redislock.Client, hold lockclient.Hold) lockclient.Lock {
			return &lock{locker: locker, hold: hold}
		},
		Unknown: isUnknown,
		Waits:   true,
	})
}
