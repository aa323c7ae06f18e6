package align

// A hash is FNV-1a with a better mix of 64-bit parts.
const (
	// HashSeed is the hash of nothing, which the others begin with.
	HashSeed = 14695981039346656037
	// HashPrime is what FNV-1a multiplies with for each byte.
	HashPrime = 1099511628211
)

// Mix returns a hash of two hashes, which depends on their order.
func Mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2)
	a *= HashPrime
	return a ^ a>>29
}

// HashString adds a text and its length to a hash.
func HashString(h uint64, s string) uint64 { return Mix(HashBytes(h, s), uint64(len(s))) }

// HashBytes adds the bytes of a text to a hash, not its length: the caller adds it after
// the last part.
func HashBytes(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * HashPrime
	}
	return h
}
