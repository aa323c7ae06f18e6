// Package docs is the vocabulary of Octavo and its pure rules: ids, roles,
// organizations, teams, collections, spaces and how access is inherited.
//
// It does no I/O, knows neither HTTP nor SQL, and imports nothing of the
// project but errs and opt. Everything here can be tested by properties.
package docs
