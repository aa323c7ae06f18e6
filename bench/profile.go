package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"time"

	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// profiledServer is Octavo's server with control of CPU profiles, so that the
// released program does not need it. Lines of the standard input are commands:
// the name of a file starts a profile, an empty line ends it.
func profiledServer(args []string) error {
	debug.SetGCPercent(300) // as octavo serve does
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	data, err := server.DataPath(args[0], "")
	if err != nil {
		return err
	}
	allowed, err := outbound.Parse(loopback)
	if err != nil {
		return err
	}
	s, err := server.Start(ctx, server.Config{
		Settings: services.Settings{Outbound: allowed, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))},
		Listen:   args[1], Database: data, Files: server.Files{Folder: server.FilesPath(args[0])}, Version: "bench", Build: "bench",
	})
	if err != nil {
		return err
	}
	go func() {
		defer cancel()
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			if err := switchProfile(lines.Text()); err != nil {
				fmt.Println(err)
			} else {
				fmt.Println("ok")
			}
		}
	}()
	return s.Run(ctx)
}

var profileFile *os.File

func switchProfile(name string) (err error) {
	if name == "" {
		pprof.StopCPUProfile()
		return profileFile.Close()
	}
	if profileFile, err = os.Create(name); err != nil {
		return err
	}
	return pprof.StartCPUProfile(profileFile)
}

// profiled is a named load under which the server is profiled.
type profiled struct {
	name string
	once run
}

// profile writes a CPU profile of the server under each kind of load.
func (s *site) profile(ctx context.Context, o options) error {
	return s.profiles(ctx, o, []profiled{
		{"get", s.gets(s.addr, s.top, o.conns).run},
		{"get-nested", s.gets(s.addr, s.nested, o.conns).run},
		{"list", s.gets(s.addr, s.pages[:1], o.conns).run},
		{"list-deep", s.gets(s.addr, []string{s.deepPage()}, o.conns).run},
		{"create-1", s.posts(1).run},
		{"create", s.posts(o.conns).run},
	})
}

func (s *site) profiles(ctx context.Context, o options, loads []profiled) error {
	for _, l := range loads {
		if _, err := l.once(ctx, warm); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		if err := s.profileOne(ctx, o, l); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) profileOne(ctx context.Context, o options, l profiled) error {
	dir, err := filepath.Abs(o.profile)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := filepath.Join(dir, l.name+".pprof")
	if err := s.server.tell(file); err != nil {
		return err
	}
	got, err := l.once(ctx, time.Duration(o.roundsOr(requestRounds))*o.length())
	if err = errors.Join(err, s.server.tell("")); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	fmt.Printf("%s: %.0f requests/s, %d errors\n", file, got.rate(), got.errors)
	return nil
}

// tell sends a command line and waits until the process has executed it.
func (p *process) tell(line string) error {
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		return err
	}
	printed, err := p.out.ReadString('\n')
	if err == nil && printed != "ok\n" {
		err = errors.New(printed)
	}
	return err
}
