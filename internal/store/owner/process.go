package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"slices"
	"strconv"
	"syscall"
)

func of(st fs.FileInfo) (User, bool) {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return User{}, false
	}
	return User{UID: int(sys.Uid), GID: int(sys.Gid), Name: nameOf(int(sys.Uid))}, true
}

func nameOf(uid int) string {
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return ""
	}
	return u.Username
}

// current returns the user of this process.
func current() User {
	uid := os.Geteuid()
	return User{UID: uid, GID: os.Getegid(), Name: nameOf(uid)}
}

// IsRoot reports whether this process may become another user.
func IsRoot() bool { return os.Geteuid() == 0 }

// Become makes this process, which runs as root, one of the user, for good: with the
// groups that the system has for the user, or the group of the file if it has none.
func Become(u User) error {
	group, groups := u.GID, []int{u.GID}
	if known, err := user.LookupId(strconv.Itoa(u.UID)); err == nil {
		// Not the group of the file: an owner can have files of groups without being in them.
		if n, err := strconv.Atoi(known.Gid); err == nil {
			group, groups = n, []int{n}
		}
		ids, _ := known.GroupIds() // without them, the group of the user is enough
		for _, id := range ids {
			if n, err := strconv.Atoi(id); err == nil && !slices.Contains(groups, n) {
				groups = append(groups, n)
			}
		}
	}
	if err := errors.Join(syscall.Setgroups(groups), syscall.Setgid(group)); err != nil {
		return notAllowed(u, err)
	}
	if err := syscall.Setuid(u.UID); err != nil {
		return notAllowed(u, err)
	}
	return nil
}

func notAllowed(u User, err error) error {
	return fmt.Errorf("the data belongs to %s, and this process may not become %s: %w; run it as %s (%s octavo …)", u, u, err, u, u.sudo())
}
