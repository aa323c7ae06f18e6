package audience

import (
	"strconv"
	"testing"
	"time"
)

// A site keeps what was made for a limited number of kinds of visitors in some time.
func TestKinds(t *testing.T) {
	k := &kinds{since: map[string]time.Time{}}
	now := time.Unix(1_800_000_000, 0)
	for i := range maxKinds {
		if !k.admit(strconv.Itoa(i), now.Add(time.Duration(i)*time.Millisecond)) {
			t.Fatalf("the kind %d is not kept", i)
		}
	}
	now = now.Add(time.Second)
	for range 3 {
		if k.admit("new", now) || !k.admit("7", now) {
			t.Error("one too many is kept, or one that was kept is not any more")
		}
	}
	now = now.Add(kindTime)
	if !k.admit("new", now) || len(k.since) > 1 {
		t.Errorf("later, %d are known", len(k.since))
	}
}
