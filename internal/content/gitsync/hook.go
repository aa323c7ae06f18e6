package gitsync

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// hookWindow is the maximum difference between the time in the signature of a call and
// the clock.
const hookWindow = 5 * time.Minute

// MaxHook is the maximum size of the body of a call in bytes. The report of a push with
// hundreds of commits is smaller.
const MaxHook = 1 << 20

// errHook is returned for every kind of failed verification, so that callers cannot find
// out which spaces are connected.
var errHook = errs.E(errs.Unauthenticated, "the signature is missing or wrong, or the space is not connected to a repository; set the secret of the connection at the host")

// Call is a webhook request of the host of a repository.
type Call struct {
	Header func(name string) string
	Body   []byte
}

// Hook queues an import if a call reports a push and its signature proves that it comes
// from the host. Other events are ignored. A repeated call is harmless, because importing
// the same commit again changes nothing.
func (s *Service) Hook(ctx context.Context, space docs.SpaceID, call Call) error {
	c, ok, err := s.Store.GitConnection(ctx, space)
	if err != nil {
		return err
	}
	secret := ""
	if ok {
		if secret, err = seal.Open(ctx, s.Store.Reader, seal.GitHook, string(space), c.HookSealed); err != nil {
			return err
		}
	} else {
		secret = seal.NewShared() // the verification takes the same time, and fails
	}
	now := docs.TimeOf(s.Store.Clock())
	at, good := call.verify(secret, now)
	if !good || !ok {
		return errHook
	}
	push, is := call.push()
	if !is || push.Ref != "" && push.Ref != c.Remote.Ref || push.deleted() {
		return nil
	}
	if at.IsZero() {
		at = push.at(now)
	}
	return s.Store.DoLocked(ctx, space, func(tx *store.Tx) error {
		sp, ok, err := store.Maybe(tx.Space(ctx, space))
		if err != nil || !ok || !sp.It.DeletedAt.IsZero() {
			return err
		}
		now, ok, err := tx.GitConnection(ctx, space)
		if err != nil || !ok || now.Paused || !now.Direction.Imports() || now.Remote != c.Remote {
			return err
		}
		_, err = queueAsked(ctx, tx, sp.It.Org, &now, docs.GitImport, docs.GitRequest{Timestamp: at})
		return err
	})
}

// verify checks the signature of a call in any of the supported formats. A signature in
// Octavo's own format contains the time of the call, which is returned.
func (c Call) verify(secret string, now docs.Time) (docs.Time, bool) {
	good, at := false, docs.Time(0)
	if v := c.Header("X-Hub-Signature-256"); v != "" {
		good = good || c.signed(secret, "", strings.TrimPrefix(v, "sha256="))
	}
	for _, name := range []string{"X-Gitea-Signature", "X-Forgejo-Signature"} {
		if v := c.Header(name); v != "" {
			good = good || c.signed(secret, "", v)
		}
	}
	if v := c.Header("X-Gitlab-Token"); v != "" {
		// Hashes have equal lengths, so that the duration of the comparison does not
		// depend on the secret.
		a, b := sha256.Sum256([]byte(v)), sha256.Sum256([]byte(secret))
		good = good || hmac.Equal(a[:], b[:])
	}
	if v := c.Header("X-Octavo-Signature"); v != "" && len(v) < 200 {
		var moment, mac string
		for part := range strings.SplitSeq(v, ",") {
			switch key, value, _ := strings.Cut(strings.TrimSpace(part), "="); key {
			case "t":
				moment = value
			case "v1":
				mac = value
			}
		}
		n, err := strconv.ParseInt(moment, 10, 64)
		fresh := err == nil && n > 0 && n < int64(1)<<40
		if fresh {
			t := docs.Time(n * 1000)
			fresh = t <= now.Add(hookWindow) && t >= now.Add(-hookWindow)
		}
		if c.signed(secret, moment+".", mac) && fresh {
			good, at = true, docs.Time(n*1000)
		}
	}
	return at, good
}

func (c Call) signed(secret, before, hexMAC string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(before))
	mac.Write(c.Body)
	got, err := hex.DecodeString(hexMAC)
	return err == nil && hmac.Equal(got, mac.Sum(nil))
}

// push holds the fields that the push events of all hosts have in common.
type push struct {
	Ref        string `json:"ref"`
	After      string `json:"after"`
	Deleted    bool   `json:"deleted"`
	Repository struct {
		PushedAt json.RawMessage `json:"pushed_at"`
	} `json:"repository"`
}

// deleted reports whether the push deleted the branch.
func (p push) deleted() bool {
	return p.Deleted || p.After != "" && strings.Trim(p.After, "0") == ""
}

// at returns the time of the push according to the host, or 0 if it is unknown. The dates
// of commits are unusable, because authors can set them to any value.
func (p push) at(now docs.Time) docs.Time {
	var seconds int64 // GitHub sends a number in push events, and a string in other events
	if json.Unmarshal(p.Repository.PushedAt, &seconds) != nil || seconds <= 0 || seconds > int64(1)<<40 {
		return 0
	}
	t := docs.Time(seconds * 1000)
	if checkTime("", t, now) != nil {
		return 0
	}
	return t
}

// push parses a call. A call without an event header comes from a script: its body
// contains the pushed ref, or is empty.
func (c Call) push() (push, bool) {
	var p push
	kind := ""
	for _, name := range []string{"X-GitHub-Event", "X-Gitea-Event", "X-Forgejo-Event", "X-Gitlab-Event"} {
		if kind = c.Header(name); kind != "" {
			break
		}
	}
	switch kind {
	case "", "push", "Push Hook", "Tag Push Hook":
	default:
		return p, false
	}
	body := bytes.TrimSpace(c.Body)
	if strings.HasPrefix(c.Header("Content-Type"), "application/x-www-form-urlencoded") {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return p, false
		}
		body = []byte(form.Get("payload"))
	}
	if len(body) == 0 {
		return p, kind == ""
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return p, false
	}
	return p, kind == "" || p.Ref != ""
}
