// etcd's own Go client: concurrency.Mutex, as its documentation shows it, a session for each hold.
// The session keeps its lease alive. The variant "fencing" brings the revision at which the lock
// was acquired to the storage.
package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"lockclient"
)

func connect(nodes []string) (*clientv3.Client, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: nodes})
	if err != nil {
		return nil, err
	}
	_, err = client.Status(context.Background(), nodes[0])
	return client, err
}

// limited is the time for one call that does not wait: without end, but in the variant
// command_timeout.
func limited() (context.Context, context.CancelFunc) {
	if timeout := lockclient.Timeout(); timeout > 0 {
		return context.WithTimeout(context.Background(), timeout)
	}
	return context.Background(), func() {}
}

type lock struct {
	client  *clientv3.Client
	hold    lockclient.Hold
	session *concurrency.Session
	mutex   *concurrency.Mutex
	ending  atomic.Bool // by us
}

func (l *lock) Acquire(stopping context.Context, wait time.Duration) (string, error) {
	limit, end := limited()
	if wait > 0 {
		limit, end = context.WithTimeout(stopping, wait)
	}
	defer end()
	outcome, err := l.ask(limit, wait > 0)
	if err != nil && wait > 0 && limit.Err() != nil {
		outcome, err = "not_acquired", nil // it does not say whether a server answered
	}
	switch {
	case outcome == "acquired":
		go l.watch()
	case l.session != nil:
		go func() { _ = l.session.Close() }()
	}
	return outcome, err
}

func (l *lock) ask(limit context.Context, waits bool) (string, error) {
	seconds := (l.hold.Lease + time.Second - 1) / time.Second
	granted, err := l.client.Grant(limit, int64(seconds)) // NewSession alone would wait without end
	if err != nil {
		return "", err
	}
	l.session, err = concurrency.NewSession(l.client, concurrency.WithLease(granted.ID))
	if err != nil {
		return "", err
	}
	l.mutex = concurrency.NewMutex(l.session, l.hold.Key)
	lock := l.mutex.TryLock
	if waits {
		lock = l.mutex.Lock
	}
	switch err = lock(limit); {
	case err == nil:
		return "acquired", nil
	case errors.Is(err, concurrency.ErrLocked):
		return "contended", nil
	case errors.Is(err, concurrency.ErrSessionExpired):
		return "not_acquired", nil
	}
	return "", err
}

func (l *lock) watch() {
	<-l.session.Done()
	if !l.ending.Load() {
		l.hold.Lost()
	}
}

func (l *lock) Release() (string, error) {
	if l.mutex == nil {
		return "not_held", nil
	}
	limit, end := limited()
	defer end()
	if err := l.mutex.Unlock(limit); err != nil {
		return "", err // still ours: if the session ends, that is a loss
	}
	l.ending.Store(true)
	go func() { _ = l.session.Close() }()
	return "no_outcome", nil // a key that is gone counts as deleted
}

type fenced struct{ *lock }

func (l fenced) FencingToken() int64 { return l.mutex.Header().Revision }

func isUnknown(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return true
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

func main() {
	words := []string{"lease", "token", "atomic_release", "renewal", "loss_notice"}
	switch lockclient.Variant {
	case "fencing":
		words = append(words, "fencing")
	case "three_nodes":
		words = append(words, "quorum")
	}
	lockclient.Serve(lockclient.Adapter[*clientv3.Client]{
		Name: "etcd-go", Version: "3.7.3", Capabilities: words, Connect: connect,
		New: func(client *clientv3.Client, hold lockclient.Hold) lockclient.Lock {
			made := &lock{client: client, hold: hold}
			if lockclient.Variant == "fencing" {
				return fenced{made}
			}
			return made
		},
		Unknown: isUnknown,
		Waits:   true,
	})
}
