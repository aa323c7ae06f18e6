package main

import "testing"

func TestMemoryLimit(t *testing.T) {
	for said, want := range map[string]int64{"512MiB": 512 << 20, "2GB": 2 << 30, "1g": 1 << 30, "268435456": 256 << 20, "2000000K": 2000000 << 10} {
		if got, err := memoryLimit(said); err != nil || got != want {
			t.Errorf("%s: %d, %v", said, got, err)
		}
	}
	for _, said := range []string{"1MiB", "-1G", "many", "99999999999G", "5X", "1.5G"} {
		if got, err := memoryLimit(said); err == nil {
			t.Errorf("%s: %d", said, got)
		}
	}
	if got, err := memoryLimit(""); err != nil || got < minMemory || got > 1<<40 {
		t.Errorf("of this machine: %d, %v", got, err)
	}
}
