//go:build !unix

package owner

import "io/fs"

func of(fs.FileInfo) (User, bool) { return User{}, false }

func current() User { return User{UID: -1} }

// IsRoot reports whether this process may become another user.
func IsRoot() bool { return false }

// Become makes this process one of the user. It does nothing here.
func Become(User) error { return nil }
