package lockclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// errAbandoned ends a critical section early.
type errAbandoned struct{ why string }

func (e errAbandoned) Error() string { return e.why }

// storage reads and writes what the lock protects, one account after the other. Not safe to share.
type storage struct {
	connection net.Conn
	replies    *bufio.Reader
	client     string
}

func connectStorage(address, client string) (*storage, error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &storage{connection, bufio.NewReader(connection), client}, nil
}

func (s *storage) ask(operation, account string, words ...string) (string, error) {
	parts := append([]string{operation, account, s.client}, words...)
	command := fmt.Sprintf("*%d\r\n", len(parts))
	for _, part := range parts {
		command += fmt.Sprintf("$%d\r\n%s\r\n", len(part), part)
	}
	if _, err := io.WriteString(s.connection, command); err != nil {
		return "", err
	}
	line, err := s.replies.ReadString('\n')
	line = strings.TrimRight(line, "\r\n")
	switch {
	case err != nil:
		return "", errors.New("storage: hung up")
	case strings.HasPrefix(line, "-FENCED"):
		return "", errAbandoned{"the storage refused it: the lock was lost, and taken since"}
	case strings.HasPrefix(line, "-"):
		return "", errors.New("storage: " + line[1:])
	case strings.HasPrefix(line, "$"):
		size, err := strconv.Atoi(line[1:])
		if err != nil {
			return "", err
		}
		text := make([]byte, size+2)
		_, err = io.ReadFull(s.replies, text)
		return string(text[:size]), err
	}
	return line[1:], nil
}

// changeAccount adds an amount. `check` is called last before the write, and fails if the lock is
// lost.
func (s *storage) changeAccount(stopping context.Context, request Request, fence []string,
	check func() error) error {
	read, err := s.ask("READ", request.Account, fence...)
	if err != nil {
		return err
	}
	value, err := strconv.Atoi(read)
	if err != nil {
		return err
	}
	if request.Throws {
		return errAbandoned{"an exception left the critical section"}
	}
	select {
	case <-stopping.Done():
		return errAbandoned{"told to stop"}
	case <-time.After(time.Duration(request.ThinkMs) * time.Millisecond):
	}
	if err := check(); err != nil {
		return err
	}
	if _, err := s.ask("BEGIN", request.Account, fence...); err != nil {
		return err
	}
	written := append([]string{strconv.Itoa(value + request.Amount)}, fence...)
	_, err = s.ask("WRITE", request.Account, written...)
	return err
}
