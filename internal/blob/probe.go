package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"
)

// Probe writes a small content to a store that nothing else has, reads it back and deletes
// it. An error says which of them is not possible.
func Probe(ctx context.Context, s Store) error {
	data := []byte("octavo doctor " + rand.Text())
	i, err := s.Put(ctx, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("no file can be written: %w", err)
	}
	if err := read(ctx, s, data); err != nil {
		return fmt.Errorf("a file that was written cannot be read: %w", err)
	}
	deleted, err := s.Delete(ctx, i.Hash, time.Now().Add(time.Hour))
	if err == nil && !deleted {
		err = errors.New("it is not there any more")
	}
	if err != nil {
		return fmt.Errorf("a file that was written cannot be deleted: %w", err)
	}
	return nil
}

func read(ctx context.Context, s Store, want []byte) error {
	o, err := s.Open(ctx, Hash(sha256.Sum256(want)))
	if err != nil {
		return err
	}
	got, err := io.ReadAll(o)
	if err == nil && !bytes.Equal(got, want) {
		err = errors.New("it has other bytes")
	}
	return errors.Join(err, o.Close())
}
