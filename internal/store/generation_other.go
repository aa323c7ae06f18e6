//go:build !unix

package store

import "errors"

// generation is not available on this system, so there is no row cache.
type generation struct{}

func openGeneration(string) (*generation, error) { return nil, errors.ErrUnsupported }
func (g *generation) now() uint64                { return 0 }
func (g *generation) bump()                      {}
func (g *generation) close() error               { return nil }
