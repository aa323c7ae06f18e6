// Package testservices makes the services of the program over the store of a test.
//
// An Org is an organization with people, whose requests pass the guard as those of the API do,
// without HTTP.
package testservices

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// New returns all services over a store, with a folder of files of its own.
func New(t testing.TB, s *store.Store, c services.Settings) *services.Services {
	t.Helper()
	sv, err := services.New(s, testdb.Blobs(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return sv
}
