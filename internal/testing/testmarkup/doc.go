// Package testmarkup draws documents for tests, and checks what holds for every difference.
//
// Where a change goes:
//   - a new type of block or inline, or a new field: a case in document.go
package testmarkup
