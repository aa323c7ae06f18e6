package main_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTerminationAnswersTheRequestUnderWay(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		admin := bootstrap(t, at, "Shutdown")
		n := serve(t, at)
		const body = `{"title":"Under way"}`
		path := "/v1/orgs/" + string(admin.Organization) + "/collections"
		addr := strings.TrimPrefix(n.url, "http://")
		conn, err := net.DialTimeout("tcp", addr, patience)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		// The server sends "100 Continue" when it starts to read the body. From then on
		// the request is in progress until the body is sent.
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
			path, addr, admin.Token, len(body))
		in := bufio.NewReader(conn)
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
			t.Fatalf("%q, %v", line, err)
		}
		if _, err := in.ReadString('\n'); err != nil { // the empty line after it
			t.Fatal(err)
		}
		if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		awaitRefusal(t, addr)
		fmt.Fprint(conn, body)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("the request was dropped: %v\n%s", err, n.logged())
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusCreated {
			t.Errorf("status %d", res.StatusCode)
		}
		<-n.exited
		if n.err != nil {
			t.Errorf("serve ended with %v\n%s", n.err, n.logged())
		}
		again := serve(t, at)
		if got := list[thing](t, again, admin.Token, path); len(got) != 1 || got[0].Title != "Under way" {
			t.Errorf("after the restart there is %v", got)
		}
		again.stop(t)
	})
}

// awaitRefusal waits until connections to an address are refused.
func awaitRefusal(t *testing.T, addr string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", addr, patience)
		if errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		if err == nil {
			_ = conn.Close() // only a probe
		}
	}
	t.Fatal("the server still accepts connections")
}

func TestServeRefusesAnAddressInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, stderr, err := octavo(sqlitePlace(t), "serve", "--listen="+l.Addr().String())
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(stderr, "cannot listen on "+l.Addr().String()) || !strings.Contains(stderr, "--listen") {
		t.Errorf("%v\n%s", err, stderr)
	}
}
