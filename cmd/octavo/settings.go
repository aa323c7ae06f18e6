package main

import (
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/octavo-docs/octavo/internal/names"
)

// unsetEmpty removes empty OCTAVO_ variables from the environment. kong would use
// OCTAVO_LISTEN= as an empty address, which listens on all interfaces.
func unsetEmpty() {
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); value == "" && strings.HasPrefix(name, variablePrefix) {
			_ = os.Unsetenv(name) // fails only for invalid names
		}
	}
}

const variablePrefix = "OCTAVO_"

// unknownVariables returns a message for each OCTAVO_ variable of an environment that no
// command reads, sorted. They are not refused, because others may set variables of this
// name: Kubernetes sets OCTAVO_PORT in all containers beside a service named octavo.
func unknownVariables(app *kong.Application, environ []string) []string {
	known := map[string]bool{passwordVariable: true, secretVariable: true, keyVariable: true}
	eachFlag(app.Node, func(f *kong.Flag) {
		for _, name := range f.Envs {
			known[name] = true
		}
	})
	var out []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if value == "" || !strings.HasPrefix(name, variablePrefix) || known[name] || setByOthers(name) {
			continue
		}
		out = append(out, "the variable "+name+" is no setting of octavo"+meant(name, known))
	}
	slices.Sort(out)
	return out
}

// setByOthers reports whether a variable is one of our own tests and scripts, or one that
// Kubernetes derives from the name of a service.
func setByOthers(name string) bool {
	rest := strings.TrimPrefix(name, variablePrefix)
	for _, of := range []string{"TEST_", "E2E_", "SERVICE_HOST", "SERVICE_PORT", "PORT_"} {
		if strings.HasPrefix(rest, of) {
			return true
		}
	}
	return rest == "PORT" || rest == "BIN"
}

// meant returns a question with the known name that is most similar to a name, or nothing.
func meant(name string, known map[string]bool) string {
	found := names.Near(plain(name), 1, func(yield func(string, string) bool) {
		for _, k := range sorted(known) {
			if !yield(plain(k), k) {
				return
			}
		}
	})
	if len(found) == 0 {
		return ""
	}
	return "; did you mean " + found[0] + "?"
}

// plain returns a name without what all names have in common, so that only what differs
// is compared.
func plain(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, variablePrefix), "_", "-"))
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// eachFlag calls fn for the flags of a command and of all commands below it.
func eachFlag(n *kong.Node, fn func(*kong.Flag)) {
	for _, f := range n.Flags {
		fn(f)
	}
	for _, c := range n.Children {
		eachFlag(c, fn)
	}
}
