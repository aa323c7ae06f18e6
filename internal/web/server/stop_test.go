package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/services"
)

func config(t *testing.T) Config {
	return Config{
		Settings: services.Settings{Log: slog.New(slog.DiscardHandler)},
		Listen:   "127.0.0.1:0", Database: testdb.SQLite(t), Files: Files{Folder: filepath.Join(t.TempDir(), "files")},
		Version: "test", Quiet: true,
	}
}

// Background work that does not end delays Stop until its deadline only.
func TestStopHasALimit(t *testing.T) {
	s, err := Start(t.Context(), config(t))
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	defer close(release)
	s.bg.Go(func() { <-release })
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	select {
	case err := <-stopped:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stopped with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("still waiting")
	}
}

// A server that cannot start releases all its addresses.
func TestNothingListensAfterAFailedStart(t *testing.T) {
	used, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = used.Close() }()
	free := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		return l.Addr().String()
	}
	c := config(t)
	c.Listen, c.MetricsListen, c.BaseURL = free(), used.Addr().String(), "https://octavo.test"
	c.ACME = ACME{Directory: "https://ca.example/", HTTPListen: free()}
	if _, err := Start(t.Context(), c); err == nil {
		t.Fatal("started without its address for metrics")
	}
	for _, address := range []string{c.Listen, c.ACME.HTTPListen} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Errorf("%s is still in use: %v", address, err)
			continue
		}
		_ = l.Close()
	}
}
