// A program of the shim's tests: does what its first argument says, and says what it has seen.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

func main() {
	switch os.Args[1] {
	case "sleep":
		begin := time.Now()
		time.Sleep(10 * time.Hour)
		fmt.Println(time.Since(begin))
	case "threads":
		threads()
	case "deadline":
		deadline(os.Args[2])
	case "pipe":
		pipe()
	case "random":
		random()
	case "timerfd":
		timerfd()
	case "echo":
		echo()
	case "signal":
		fmt.Println(signalled())
	case "wall":
		fmt.Println(time.Now().Unix())
	case "child":
		fmt.Println(exec.Command("/bin/true").Run() != nil)
	}
	bufio.NewReader(os.Stdin).ReadString('\n')
}

// Goroutines that keep their threads, and hand a word from one to the next.
func threads() {
	const count = 20
	first := make(chan string)
	in := first
	for i := 0; i < count; i++ {
		out := make(chan string)
		go func(in, out chan string) {
			runtime.LockOSThread()
			time.Sleep(time.Second)
			out <- <-in
		}(in, out)
		in = out
	}
	first <- "passed on"
	fmt.Println(<-in)
}

// A read that must end when its deadline has come.
func deadline(address string) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Println(err)
		return
	}
	connection.SetReadDeadline(time.Now().Add(7 * time.Second))
	_, err = connection.Read(make([]byte, 1))
	fmt.Println(os.IsTimeout(err))
}

// A thread blocks in a read of a pipe, and another one writes there.
func pipe() {
	ends := make([]int, 2)
	syscall.Pipe(ends)
	said := make(chan byte)
	go func() {
		byte := make([]byte, 1)
		syscall.Read(ends[0], byte)
		said <- byte[0]
	}()
	time.Sleep(time.Second)
	syscall.Write(ends[1], []byte("p"))
	fmt.Println(string(<-said))
}

// Numbers of several threads.
func random() {
	var all sync.WaitGroup
	var mutex sync.Mutex
	sum := 0
	for i := 1; i <= 8; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			runtime.LockOSThread()
			for j := 0; j < 10; j++ {
				time.Sleep(time.Millisecond)
				mutex.Lock()
				sum = sum*31 + rand.Intn(1000)
				mutex.Unlock()
			}
		}()
	}
	all.Wait()
	fmt.Println(sum)
}

func timerfd() {
	const create, set = 283, 286
	timer, _, _ := syscall.Syscall(create, 1, 0, 0)
	syscall.Syscall6(set, timer, 0, 0, 0, 0, 0)
	fmt.Println("set")
}

// Says again what it reads, until that ends.
func echo() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(lines.Text())
	}
}

// Waits for SIGTERM in a thread of the runtime's, and says which signal came.
func signalled() os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	fmt.Println("waits")
	return <-signals
}
