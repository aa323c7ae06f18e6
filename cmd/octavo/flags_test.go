package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestHelpDocumentsEverything requests the help of every command. Every flag must be in
// it, with a description and its environment variable.
func TestHelpDocumentsEverything(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&cli{}, kong.Name("octavo"), kong.Configuration(yamlFlags), defaults)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Leaves(true) {
		path := strings.Fields(strings.TrimPrefix(command.FullPath(), "octavo "))
		t.Run(strings.Join(path, " "), func(t *testing.T) {
			if command.Help == "" {
				t.Error("the command has no help")
			}
			var out, errout bytes.Buffer
			if code := run(append(path, "--help"), streams{&out, &errout}); code != 0 || errout.Len() > 0 {
				t.Fatalf("--help ends with %d\n%s", code, errout.String())
			}
			help := strings.Join(strings.Fields(out.String()), " ") // lines are wrapped at any position
			for _, group := range command.AllFlags(true) {
				for _, f := range group {
					if !strings.Contains(help, "--"+f.Name) || f.Help == "" || !strings.Contains(help, firstWords(f.Help)) {
						t.Errorf("--%s is not documented", f.Name)
					}
					for _, env := range f.Envs {
						if !strings.HasPrefix(env, "OCTAVO_") || !strings.Contains(help, "$"+env) {
							t.Errorf("--%s: the variable %s is not documented", f.Name, env)
						}
					}
				}
			}
		})
	}
}

// Other users of the machine can see the arguments of a process, so a password of git is
// not accepted there.
func TestGitPasswordIsNoArgument(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"pull", "push"} {
		var out, errout bytes.Buffer
		code := run([]string{"git", command, "--data=" + t.TempDir(), "--space=x", "--url=https://git.example.com/a.git", "--password=a-long-secret"}, streams{&out, &errout})
		if text := out.String() + errout.String(); code != 2 || !strings.Contains(text, "--password") || strings.Contains(text, "a-long-secret") {
			t.Errorf("git %s --password ends with %d\n%s", command, code, text)
		}
	}
}

func firstWords(s string) string {
	words := strings.Fields(strings.TrimSuffix(s, ".")) // the variable is printed before the full stop
	return strings.Join(words[:min(len(words), 3)], " ")
}

// TestServerSettingsHaveVariables checks that every flag of serve can be set by an
// environment variable, as in a container. Flags for interactive use are exempt.
func TestServerSettingsHaveVariables(t *testing.T) {
	t.Parallel()
	for _, f := range serveFlags(t) {
		want := "OCTAVO_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if desk := f.Name == "demo" || f.Name == "preview" || f.Name == "ref"; !desk && (len(f.Envs) != 1 || f.Envs[0] != want) {
			t.Errorf("--%s is set by %v, want %s", f.Name, f.Envs, want)
		}
	}
}

// serveFlags returns the flags of serve.
func serveFlags(t *testing.T) []*kong.Flag {
	t.Helper()
	parser, err := kong.New(&cli{}, kong.Configuration(yamlFlags), defaults)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Leaves(true) {
		if command.Name == "serve" {
			return command.Flags
		}
	}
	t.Fatal("there is no command serve")
	return nil
}

// Every flag of serve is described in the operating manual.
func TestHandbookNamesServerSettings(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../docs/manual/operating/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d pages: %v", len(files), err)
	}
	var handbook bytes.Buffer
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		handbook.Write(b)
	}
	for _, f := range serveFlags(t) {
		if !regexp.MustCompile("--" + f.Name + `\b`).Match(handbook.Bytes()) {
			t.Errorf("--%s is not in the handbook", f.Name)
		}
	}
}
