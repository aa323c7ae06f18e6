package publish

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
)

// Archive writes a site into a tar archive, with the files of Export. The last file of a
// complete archive is ExportMarker.
func (h *Handler) Archive(ctx context.Context, e Export, w io.Writer) error {
	out := tar.NewWriter(w)
	err := h.Export(ctx, e, func(name string, size int64, r io.Reader) error {
		// No modification time is set, so that the same content produces the same bytes.
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
