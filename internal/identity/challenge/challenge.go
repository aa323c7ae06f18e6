// Package challenge finds out whether somebody who claims a name of the DNS has it,
// by a TXT record beside the name. The caller decides what the value is and what follows
// from a proof.
package challenge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
)

// timeout is how long the name servers of one name have.
const timeout = 10 * time.Second

// Resolver looks up TXT records. It is what net.Resolver offers.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// LookUp looks for the record of a name with a value. The text says what is wrong,
// for the person who has to set it.
func LookUp(ctx context.Context, dns Resolver, name, value string) (docs.HostnameProof, string) {
	found, proof, problem := Values(ctx, dns, name)
	switch {
	case proof != docs.HostnameProved:
		return proof, problem
	case slices.Contains(found, value):
		return docs.HostnameProved, ""
	}
	return docs.HostnameDenied, fmt.Sprintf("the TXT record %s has another value", docs.HostnameRecord+name)
}

// Values returns the values of the record of a name. The proof is that there is one.
func Values(ctx context.Context, dns Resolver, name string) ([]string, docs.HostnameProof, string) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	record := docs.HostnameRecord + name
	texts, err := dns.LookupTXT(ctx, record+".") // with the dot, search domains are not tried
	var failure *net.DNSError
	switch {
	case errors.As(err, &failure) && failure.IsNotFound:
		return nil, docs.HostnameDenied, fmt.Sprintf("there is no TXT record %s", record)
	case err != nil:
		return nil, docs.HostnameUnknown, fmt.Sprintf("the name servers of %s do not answer", name)
	}
	for i, text := range texts {
		texts[i] = strings.TrimSpace(text)
	}
	return texts, docs.HostnameProved, ""
}

// MatchesAny reports whether a name is on a list of names and patterns such as
// *.example.com, by which an operator replaces the proof.
func MatchesAny(list []string, name string) bool {
	for _, p := range list {
		if rest, any := strings.CutPrefix(p, "*"); p == name || any && strings.HasSuffix(name, rest) {
			return true
		}
	}
	return false
}
