// Command gotest runs go test with its arguments and shows what happens: a line for each package
// as it ends, the output of tests that failed, and every twenty seconds what is running. It ends
// with the number of tests that passed, failed and were skipped.
//
// Plain go test prints packages in the order of its arguments, so a long one hides all that ended
// after it.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// quiet is how long nothing may be printed.
const quiet = 20 * time.Second

func main() {
	passed, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
	}
	if !passed {
		os.Exit(1)
	}
}

// run runs go test and returns whether all tests passed.
func run(args []string, out io.Writer) (passed bool, err error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	p := newProgress(out, time.Now())
	follow(p, lines(stdout))
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil // what failed was printed
		passed = false
	} else {
		passed = err == nil
	}
	return p.end() && passed, err
}

// lines sends each line of r, and closes the channel at its end.
func lines(r io.Reader) <-chan []byte {
	c := make(chan []byte)
	go func() {
		defer close(c)
		b := bufio.NewReaderSize(r, 1<<16)
		for {
			line, err := b.ReadBytes('\n')
			if len(line) > 0 {
				c <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return c
}

// follow shows events until there are no more of them.
func follow(p *progress, events <-chan []byte) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case line, more := <-events:
			if !more {
				return
			}
			var e event
			if json.Unmarshal(line, &e) != nil {
				p.print("%s", line) // go test prints some mistakes of its arguments as they are
				continue
			}
			p.see(e, time.Now())
		case now := <-tick.C:
			p.remind(now)
		}
	}
}
