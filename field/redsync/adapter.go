// redsync with go-redis, as its README shows it: a mutex with an expiry, and tries for as long as
// the caller wants to wait.
package main

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/go-redsync/redsync/v4"
	pools "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"lockclient"
)

const shortestDelay = 50 * time.Millisecond // between two tries, at random up to 250 ms: its default

type servers struct {
	*redsync.Redsync
	quorum int
}

func connect(nodes []string) (servers, error) {
	var all []pools.Pool
	for _, node := range nodes {
		client := redis.NewClient(&redis.Options{Addr: node, ReadTimeout: lockclient.Timeout()})
		if err := client.Ping(context.Background()).Err(); err != nil {
			return servers{}, err
		}
		all = append(all, goredis.NewPool(client))
	}
	return servers{redsync.New(all...), len(all)/2 + 1}, nil
}

type lock struct {
	servers servers
	hold    lockclient.Hold
	mutex   *redsync.Mutex
}

func (l *lock) Acquire(stopping context.Context, wait time.Duration) (string, error) {
	l.mutex = l.servers.NewMutex(l.hold.Key, redsync.WithExpiry(l.hold.Lease),
		redsync.WithTries(int(wait/shortestDelay)+1))
	limit, end := context.WithTimeout(stopping, wait)
	defer end()
	if wait == 0 {
		limit = context.Background()
	}
	err := l.mutex.LockContext(limit)
	var taken *redsync.ErrTaken
	switch {
	case err == nil:
		return "acquired", nil
	case errors.As(err, &taken):
		return "contended", nil
	}
	return "not_acquired", nil // taken, or too few servers answered: the error does not say
}

func (l *lock) Release() (string, error) {
	if l.mutex == nil {
		return "not_held", nil
	}
	released, err := l.mutex.Unlock()
	var taken *redsync.ErrTaken
	switch {
	case released:
		return "released", nil
	case errors.As(err, &taken):
		return "stolen", nil
	case countExpired(err) >= l.servers.quorum:
		return "expired", nil
	}
	return "not_released", nil // a part of the servers had it, or too few answered
}

// countExpired counts the servers without the lock. Unlock joins the errors of all servers, and
// errors.Is would be true if one of them has no lock.
func countExpired(err error) int {
	if err == redsync.ErrLockAlreadyExpired {
		return 1
	}
	count := 0
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			count += countExpired(each)
		}
	}
	return count
}

// Held asks no server: the mutex knows until when it is valid.
func (l *lock) Held() (bool, error) {
	return time.Now().Before(l.mutex.Until()), nil
}

// Extend asks for the expiry that the mutex was made with, whatever `lease` is: it can no other.
func (l *lock) Extend(lease time.Duration) (string, error) {
	extended, err := l.mutex.Extend()
	var taken *redsync.ErrTaken
	switch {
	case extended:
		return "extended", nil
	case errors.As(err, &taken):
		return "not_mine", nil
	}
	return "not_extended", nil // too late, or too few servers had it
}

func isUnknown(err error) bool {
	var network net.Error
	return errors.As(err, &network)
}

func main() {
	lockclient.Serve(lockclient.Adapter[servers]{
		Name: "redsync", Version: "4.18.1",
		Capabilities: []string{"lease", "token", "atomic_release", "quorum", "extend", "interrupt"},
		Connect:      connect,
		New: func(servers servers, hold lockclient.Hold) lockclient.Lock {
			return &lock{servers: servers, hold: hold}
		},
		Unknown: isUnknown,
		Waits:   true,
	})
}
