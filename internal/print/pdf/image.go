package pdf

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	stdcolor "image/color"
	"image/jpeg"
	"io"

	_ "image/gif" // the first picture of an animation
	_ "image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/print/svg"
)

// Limits of pictures. JPEG files are copied and never decoded. Of a PNG only the reduced
// picture is in memory, of other formats the whole picture. One picture is processed at a
// time.
const (
	maxImageBytes = 64 << 20
	maxDecoded    = 64 << 20 // bytes of a picture that is decoded as a whole
	maxPixels     = 96 << 20 // pixels of a picture
	maxSide       = 3000     // pixels of the longer side after reduction
	maxImageH     = 430.0    // maximum height on paper, in points
)

// picture is an image object in the file.
type picture struct {
	ref  object
	w, h int // size in pixels before reduction
}

// points returns the size on paper: a pixel is 1/96 inch.
func (p *picture) points() (w, h float64) { return float64(p.w) * 0.75, float64(p.h) * 0.75 }

// picture returns an image of the book, or nil if it cannot be shown. Pictures come only
// from Open: nothing is fetched from the network.
func (d *document) picture(ref docs.Ref) *picture {
	if p, ok := d.pictures[ref]; ok {
		return p
	}
	var p *picture
	if d.Open != nil && ref.Kind == docs.RefFile {
		var err error
		if p, err = d.embed(ref); err != nil {
			p = nil // the caller shows a link
		}
	}
	d.pictures[ref] = p
	return p
}

func (d *document) embed(ref docs.Ref) (*picture, error) {
	r, err := d.Open(ref)
	if err != nil {
		return nil, err
	}
	config, format, err := image.DecodeConfig(bufio.NewReader(io.LimitReader(r, maxImageBytes)))
	r.Close()
	if errors.Is(err, image.ErrFormat) {
		return d.embedDrawing(ref)
	}
	if err != nil {
		return nil, err
	}
	pixels := int64(config.Width) * int64(config.Height)
	if config.Width < 1 || config.Height < 1 || config.Width > maxPNGSide || config.Height > maxPNGSide || pixels > maxPixels {
		return nil, fmt.Errorf("a picture of %d × %d pixels", config.Width, config.Height)
	}
	if format == "png" {
		if p, err := d.embedRows(ref); !errors.Is(err, errPNG) {
			return p, err
		}
	}
	if format != "jpeg" && (pixels*pixelBytes(config.ColorModel) > maxDecoded || !d.spend(int(2*pixels))) {
		return nil, errManyPixels
	}
	if r, err = d.Open(ref); err != nil {
		return nil, err
	}
	defer r.Close()
	in := io.LimitReader(r, maxImageBytes)
	if format == "jpeg" {
		return d.embedPhoto(in, config), nil
	}
	img, _, err := image.Decode(bufio.NewReader(in))
	if err != nil {
		return nil, err
	}
	return d.embedPixels(img), nil
}

// pixelBytes returns the size of a decoded pixel in memory.
func pixelBytes(m stdcolor.Model) int64 {
	switch m {
	case stdcolor.GrayModel:
		return 1
	case stdcolor.NRGBA64Model, stdcolor.RGBA64Model:
		return 8
	}
	if _, ok := m.(stdcolor.Palette); ok {
		return 1
	}
	return 4
}

// embedDrawing writes an SVG picture to the file as vector graphics.
func (d *document) embedDrawing(ref docs.Ref) (*picture, error) {
	r, err := d.Open(ref)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p, err := svg.Parse(r)
	if err == nil && len(p.Items) == 0 {
		err = errors.New("a picture that shows nothing")
	}
	if err != nil {
		return nil, err
	}
	if !d.spend(pixelsOfItem * len(p.Items)) {
		return nil, errManyPixels
	}
	return d.drawing(p), nil
}

// pixelsOfItem is the cost of one item of a drawing, in pixels of the budget.
const pixelsOfItem = 1000

// embedPhoto copies a JPEG file.
func (d *document) embedPhoto(r io.Reader, c image.Config) *picture {
	space := "/DeviceRGB"
	switch c.ColorModel {
	case stdcolor.GrayModel:
		space = "/DeviceGray"
	case stdcolor.CMYKModel:
		space = "/DeviceCMYK/Decode[1 0 1 0 1 0 1 0]" // inverted, as most programs write CMYK JPEGs
	}
	dict := fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/Filter/DCTDecode/ColorSpace%s", c.Width, c.Height, space)
	o := d.w.streamFrom(dict, false, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
	return &picture{ref: o, w: c.Width, h: c.Height}
}

// embedPixels writes an image row by row, with its alpha channel as a soft mask.
func (d *document) embedPixels(img image.Image) *picture {
	b := img.Bounds()
	p := &picture{w: b.Dx(), h: b.Dy()}
	if most := max(b.Dx(), b.Dy()); most > maxSide {
		small := image.NewNRGBA(image.Rect(0, 0, max(1, b.Dx()*maxSide/most), max(1, b.Dy()*maxSide/most)))
		draw.ApproxBiLinear.Scale(small, small.Bounds(), img, b, draw.Src, nil)
		img, b = small, small.Bounds()
	}
	mask := ""
	if o, ok := img.(interface{ Opaque() bool }); !ok || !o.Opaque() {
		alpha := d.w.streamFrom(pixelDict(b, "/DeviceGray"), true, func(w io.Writer) error {
			return rows(w, img, 1, func(out []byte, c stdcolor.NRGBA) { out[0] = c.A })
		})
		mask = "/SMask " + alpha.String()
	}
	p.ref = d.w.streamFrom(pixelDict(b, "/DeviceRGB")+mask, true, func(w io.Writer) error {
		return rows(w, img, 3, func(out []byte, c stdcolor.NRGBA) { out[0], out[1], out[2] = c.R, c.G, c.B })
	})
	return p
}

func pixelDict(b image.Rectangle, space string) string {
	return fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace%s", b.Dx(), b.Dy(), space)
}

func rows(w io.Writer, img image.Image, size int, put func([]byte, stdcolor.NRGBA)) error {
	b := img.Bounds()
	buf := make([]byte, size*b.Dx())
	palette := map[stdcolor.Color]stdcolor.NRGBA{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			var c stdcolor.NRGBA
			switch m := img.(type) {
			case *image.NRGBA:
				c = m.NRGBAAt(x, y)
			case *image.Paletted:
				at := m.At(x, y)
				var ok bool
				if c, ok = palette[at]; !ok {
					c = stdcolor.NRGBAModel.Convert(at).(stdcolor.NRGBA)
					palette[at] = c
				}
			default:
				c = stdcolor.NRGBAModel.Convert(img.At(x, y)).(stdcolor.NRGBA)
			}
			put(buf[size*(x-b.Min.X):], c)
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

var _ = jpeg.DefaultQuality // the import registers the format

// images lays out pictures: one alone, or several side by side.
func (f flow) images(n *markup.Node) {
	if len(n.Nodes) == 1 {
		f.figure(n.Nodes[0], n.Str(markup.FieldAlign))
		return
	}
	const most = 3 // side by side
	for from := 0; from < len(n.Nodes); from += most {
		list := n.Nodes[from:min(from+most, len(n.Nodes))]
		f.layoutColumns(len(list), nil, func(i int, in flow) { in.figure(list[i], "center") })
		f.gap(paragraph)
	}
}

// figure shows a picture with its caption.
func (f flow) figure(n *markup.Node, align string) {
	ref, ok := n.Ref(markup.FieldRef)
	if !ok {
		return // an empty drawing
	}
	p := f.d.picture(ref)
	if p == nil {
		in := &inliner{d: f.d, width: f.w}
		in.imageLink(ref, n.Str(markup.FieldAlt), f.plain())
		f.text(in.out, paraStyle{align: align})
	} else {
		f.drawn(p, n, align)
	}
	f.caption(n, align)
	f.gap(paragraph + 2)
}

func (f flow) drawn(p *picture, n *markup.Node, align string) {
	w, h := p.points()
	if v, ok := width(n, f.w); ok {
		w, h = v, h*v/w
	}
	if scale := min(1, f.w/w, maxImageH/h); scale < 1 {
		w, h = w*scale, h*scale
	}
	x := f.x
	switch align {
	case "center", "":
		x += (f.w - w) / 2
	case "right", "end":
		x += f.w - w
	}
	f.emit(item{kind: box, h: h, keep: hasCaption(n), draw: func(c *canvas, left, y float64) { c.image(p.ref, left+x, y, w, h) }})
}

// width returns the width that the author set for a node, in points. The attribute is in
// pixels or in percent of whole.
func width(n *markup.Node, whole float64) (float64, bool) {
	value, unit, ok := n.Length(markup.FieldWidth)
	switch {
	case !ok || value < 1 || value > 100_000:
		return 0, false
	case unit == "%":
		return whole * min(value, 100) / 100, true
	case unit == "" || unit == "px":
		return min(value*0.75, whole), true
	}
	return 0, false
}

func hasCaption(n *markup.Node) bool { return markup.Text(n.Fragments) != "" }

func (f flow) caption(n *markup.Node, align string) {
	if !hasCaption(n) {
		return
	}
	f.emit(item{kind: gap, h: 4})
	st := f.plain()
	st.size, st.color, st.face = st.size*0.88, paleColor, italic
	if align == "" {
		align = "center"
	}
	for _, fr := range n.Fragments {
		for _, b := range fr.Nodes {
			f.text(f.inlines(b.Nodes, st), paraStyle{align: align})
		}
	}
}
