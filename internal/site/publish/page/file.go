package page

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/pictures"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// FileAddress returns the address of a file of the space. It contains a prefix of the hash
// of the content, so that browsers may cache the file.
func FileAddress(e *edition.Edition, f docs.File) string {
	return e.Base + sites.OwnPrefix + "files/" + string(f.ID) + "/" + f.Blob[:min(len(f.Blob), fileHashLen)] + "/" + url.PathEscape(f.Name)
}

const fileHashLen = 12

// PictureAddress returns the address of a picture of the space with a width in pixels. It is not that
// of a file, because an export has no pictures that a server makes.
func PictureAddress(e *edition.Edition, f docs.File, width int) string {
	return e.Base + sites.OwnPrefix + PictureName + string(f.ID) + "/" + f.Blob[:min(len(f.Blob), fileHashLen)] + "/" + strconv.Itoa(width) + "/" + url.PathEscape(f.Name)
}

// size returns the size of a file.
func (p *Printer) size(ref docs.Ref) (int64, bool) {
	f, ok := p.file(ref)
	return f.Size, ok
}

// file returns the file that a reference names.
func (p *Printer) file(ref docs.Ref) (docs.File, bool) {
	e := p.editionOf(ref)
	if e == nil || ref.Kind != docs.RefFile {
		return docs.File{}, false
	}
	f, err := e.View.File(p.ctx, docs.FileID(ref.File))
	return f, p.recordError(err)
}

// sources returns the files of a picture, from narrow to wide, as in the attribute srcset. It is empty
// if there is only one, and where no server answers.
func (p *Printer) sources(ref docs.Ref) (string, bool) {
	if !p.look.pictures {
		return "", false
	}
	f, ok := p.file(ref)
	widths := pictures.Widths(f)
	if !ok || len(widths) == 0 {
		return "", false
	}
	e := p.editionOf(ref)
	var files []string
	for _, w := range widths {
		files = append(files, inSet(PictureAddress(e, f, w), w))
	}
	if widths[len(widths)-1] < f.Width {
		files = append(files, inSet(FileAddress(e, f), f.Width))
	}
	return strings.Join(files, ", "), true
}

// inSet returns a file with its width for the attribute srcset, in which commas separate files.
func inSet(address string, width int) string {
	return strings.ReplaceAll(address, ",", "%2C") + " " + strconv.Itoa(width) + "w"
}

// cover returns the picture above a page.
func (p *Printer) cover(c *docs.PageCover) theme.Cover {
	out := theme.Cover{Picture: theme.Picture{Light: p.picture(c.Ref), Dark: p.picture(c.RefDark)}}
	if c.Ref != nil {
		out.LightFiles, _ = p.sources(*c.Ref)
		if f, ok := p.file(*c.Ref); ok {
			out.Width, out.Height = f.Width, f.Height
		}
	}
	if c.RefDark != nil {
		out.DarkFiles, _ = p.sources(*c.RefDark)
	}
	return out
}

// picture returns the address of an image.
func (p *Printer) picture(ref *docs.Ref) string {
	if ref == nil {
		return ""
	}
	href, _ := p.Link(*ref)
	return href
}
