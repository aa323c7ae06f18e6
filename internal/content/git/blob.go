package git

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// BlobOID returns the object name of a blob with the given content.
func BlobOID(data []byte) string {
	h := NewBlobHash(int64(len(data)))
	h.Write(data)
	return h.OID()
}

// BlobHash computes the object name of the blob that is written to it.
type BlobHash struct{ hash.Hash }

// NewBlobHash returns a BlobHash for a blob of size bytes.
func NewBlobHash(size int64) BlobHash {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", size)
	return BlobHash{h}
}

// OID returns the object name. All bytes must have been written before.
func (h BlobHash) OID() string { return hex.EncodeToString(h.Sum(nil)) }

// LFS is a Git LFS pointer. It represents a file whose content is not in the repository.
type LFS struct {
	SHA256 string
	Size   int64
}

// maxPointer is the size that the Git LFS specification requires a pointer to be smaller
// than.
const maxPointer = 1024

var lfsForm = regexp.MustCompile(`^version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*$`)
var lfsSum = regexp.MustCompile(`(?m)^oid sha256:([0-9a-f]{64})$`)
var lfsSize = regexp.MustCompile(`(?m)^size ([0-9]{1,18})$`)

// ParseLFS parses a Git LFS pointer. It reports false for any other file.
func ParseLFS(data []byte) (LFS, bool) {
	if len(data) >= maxPointer || !lfsForm.Match(data) {
		return LFS{}, false
	}
	sum, size := lfsSum.FindSubmatch(data), lfsSize.FindSubmatch(data)
	if sum == nil || size == nil {
		return LFS{}, false
	}
	n, err := strconv.ParseInt(string(size[1]), 10, 64)
	return LFS{SHA256: string(sum[1]), Size: n}, err == nil
}

// Blob is a file and its content.
type Blob struct {
	OID  string
	Size int64
	// Data is nil if the file is larger than the limit. It is valid until the
	// function that received the Blob returns.
	Data io.Reader
	// LFS is set if the file is a Git LFS pointer. The content that it points to is never
	// fetched.
	LFS *LFS
}

// Blobs calls each once for every distinct blob, one at a time. Blobs that are not in the
// cache are fetched first, in one exchange. Fewer than 2*manyFiles blobs come in the
// order of oids.
func (p *Repo) Blobs(ctx context.Context, oids []string, progress Progress, each func(Blob) error) error {
	var wanted []string
	seen := make(map[string]bool, len(oids))
	for _, oid := range oids {
		if !oidForm.MatchString(oid) {
			return fail(Damaged, "the repository has an object name that is not valid; check it with git fsck", "")
		}
		if !seen[oid] {
			seen[oid] = true
			wanted = append(wanted, oid)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	sizes, err := p.sizes(ctx, wanted)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(wanted), func(oid string) bool { _, ok := sizes[oid]; return ok })
	if len(missing) > 0 && p.gitDir != "" {
		return missingLocally(len(missing))
	}
	if len(missing) > 0 {
		if err := p.getBlobs(ctx, missing, progress); err != nil {
			return err
		}
		more, err := p.sizes(ctx, missing)
		if err != nil {
			return err
		}
		for _, oid := range missing {
			if _, ok := more[oid]; !ok {
				return fail(Damaged, "the repository lacks the bytes of a file; check it with git fsck", oid)
			}
			sizes[oid] = more[oid]
		}
	}
	return p.stream(ctx, wanted, sizes, each)
}

// manyFiles is the number of files above which sizes lists all objects of the cache,
// because git rescans the folder of packs for every missing object.
const manyFiles = 200

// sizes returns the sizes of the files that are in the cache, by object name.
func (p *Repo) sizes(ctx context.Context, oids []string) (map[string]int64, error) {
	sizes := make(map[string]int64, len(oids))
	args := []string{"cat-file", "--batch-check", "--buffer"}
	var wanted map[string]bool
	if len(oids) > manyFiles && p.gitDir == "" { // a local repository has all objects, and usually many more
		args = append(args, "--batch-all-objects", "--unordered")
		wanted = make(map[string]bool, len(oids))
		for _, oid := range oids {
			wanted[oid] = true
		}
	}
	_, err := p.git(ctx, call{
		args:  args,
		stdin: strings.NewReader(strings.Join(oids, "\n") + "\n"),
		read: func(r io.Reader) error {
			lines := bufio.NewScanner(r)
			for lines.Scan() {
				f := strings.Fields(lines.Text())
				switch {
				case len(f) > 0 && wanted != nil && !wanted[f[0]]:
				case len(f) == 2 && f[1] == "missing":
				case len(f) == 3 && f[1] == "blob":
					n, err := strconv.ParseInt(f[2], 10, 64)
					if err != nil {
						return err
					}
					sizes[f[0]] = n
				default:
					return fail(Damaged, "the repository refers to something as a file that is not a file; check it with git fsck", lines.Text())
				}
			}
			return lines.Err()
		},
	})
	return sizes, err
}

// getBlobs fetches files by object name in one exchange.
func (p *Repo) getBlobs(ctx context.Context, oids []string, progress Progress) error {
	_, err := p.git(ctx, call{
		args: []string{"fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
			"--no-recurse-submodules", "--filter=blob:none", "--stdin", "origin"},
		stdin:  strings.NewReader(strings.Join(oids, "\n") + "\n"),
		remote: true, promisor: true, progress: progress,
		// Negotiation is useless: no commit in the cache helps the remote to find these
		// objects.
		config: []string{"fetch.negotiationAlgorithm", "noop"},
	})
	if !strings.Contains(detail(err), "not allow request for unadvertised") || p.fetched == "" {
		return err
	}
	// An old server supports filters but does not send objects by name. Fetch the whole
	// commit again.
	_, err = p.git(ctx, call{
		args: []string{"fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
			"--no-recurse-submodules", "--refetch", "--no-filter", "--depth=1", "origin", "+" + p.fetched + ":" + localRef(p.fetched)},
		remote: true, promisor: true, progress: progress,
	})
	return err
}

// stream reads files from the cache and calls each for every file. Two processes unpack
// many files in parallel, because unpacking takes longer than each.
func (p *Repo) stream(ctx context.Context, oids []string, sizes map[string]int64, each func(Blob) error) error {
	if len(oids) < 2*manyFiles {
		return p.unpack(ctx, oids, sizes, each)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var turn sync.Mutex
	inTurn := func(b Blob) error {
		turn.Lock()
		defer turn.Unlock()
		return each(b)
	}
	var both sync.WaitGroup
	for _, some := range [][]string{oids[:len(oids)/2], oids[len(oids)/2:]} {
		both.Go(func() {
			if err := p.unpack(ctx, some, sizes, inTurn); err != nil {
				stop(err) // the first error is the cause
			}
		})
	}
	both.Wait()
	return context.Cause(ctx)
}

// unpack reads files with a single git process.
func (p *Repo) unpack(ctx context.Context, oids []string, sizes map[string]int64, each func(Blob) error) error {
	var in bytes.Buffer
	for _, oid := range oids {
		if sizes[oid] <= p.limits.Blob {
			in.WriteString(oid + "\n")
		}
	}
	_, err := p.git(ctx, call{
		args:  []string{"cat-file", "--batch", "--buffer"},
		stdin: &in,
		read: func(r io.Reader) error {
			out := bufio.NewReaderSize(r, 64<<10)
			for _, oid := range oids {
				if sizes[oid] > p.limits.Blob {
					if err := each(Blob{OID: oid, Size: sizes[oid]}); err != nil {
						return err
					}
					continue
				}
				if err := readBlob(out, oid, sizes[oid], each); err != nil {
					return err
				}
			}
			return nil
		},
	})
	return err
}

// readBlob reads one blob from the output of git and passes it to each.
func readBlob(out *bufio.Reader, oid string, size int64, each func(Blob) error) error {
	head, err := out.ReadSlice('\n')
	if err != nil {
		return err
	}
	if string(head) != fmt.Sprintf("%s blob %d\n", oid, size) {
		return fail(Damaged, "a file in the cache cannot be read", string(head))
	}
	data := &io.LimitedReader{R: out, N: size}
	b := Blob{OID: oid, Size: size, Data: data}
	if size < maxPointer {
		text, err := out.Peek(int(size))
		if err != nil {
			return err
		}
		if lfs, ok := ParseLFS(text); ok {
			b.LFS = &lfs
		}
	}
	if err := each(b); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, data); err != nil {
		return err
	}
	_, err = out.Discard(1)
	return err
}
