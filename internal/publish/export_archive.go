package publish

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
)

// Archive writes a site as Export does, into a tar archive. The last file of a whole archive
// is ExportMarker.
func (h *Handler) Archive(ctx context.Context, e Export, w io.Writer) error {
	out := tar.NewWriter(w)
	err := h.Export(ctx, e, func(name string, size int64, r io.Reader) error {
		// The time is always the same, as the bytes are.
		if err := out.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644, Format: tar.FormatPAX}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		_, err := io.Copy(out, r)
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}
