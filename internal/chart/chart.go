// Package chart draws times against sizes as an SVG image: for each group a chart of
// the time and one of the bandwidth, both axes logarithmic.
package chart

import (
	"errors"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Group is a row of two charts.
type Group struct {
	Title  string
	Series []Series
}

// Series is a line: what takes Points[i].Seconds for Points[i].Elements elements.
type Series struct {
	Name   string
	Points []Point
}

// Point is one measurement; Bytes are those read and written.
type Point struct {
	Elements, Bytes int64
	Seconds         float64
}

// ErrEmpty: there is nothing to draw.
var ErrEmpty = errors.New("nothing to draw")

const (
	chartWidth  = 13 * vg.Centimeter
	chartHeight = 9 * vg.Centimeter
	margin      = 4 * vg.Millimeter
)

// Write draws the groups beneath each other.
func Write(w io.Writer, groups []Group) error {
	if len(groups) == 0 {
		return ErrEmpty
	}
	plots := make([][]*plot.Plot, len(groups))
	for i, g := range groups {
		times, err := g.chart("time", "", duration, func(p Point) float64 { return p.Seconds })
		if err != nil {
			return err
		}
		bandwidths, err := g.chart("bandwidth", "GB/s", plain, func(p Point) float64 { return float64(p.Bytes) / p.Seconds / 1e9 })
		if err != nil {
			return err
		}
		times.Title.Text = g.Title
		bandwidths.Title.Text = " "
		bandwidths.Legend = plot.NewLegend() // the other chart has it, where its upper left corner is free
		plots[i] = []*plot.Plot{times, bandwidths}
	}
	svg := vgsvg.New(2*chartWidth, vg.Length(len(groups))*chartHeight)
	tiles := draw.Tiles{Rows: len(groups), Cols: 2, PadX: margin, PadY: margin, PadLeft: margin, PadRight: margin, PadTop: margin, PadBottom: margin}
	for i, row := range plot.Align(plots, tiles, draw.New(svg)) {
		for j, canvas := range row {
			plots[i][j].Draw(canvas)
		}
	}
	_, err := svg.WriteTo(w)
	return err
}

// chart draws one value of every point, which is positive, against the size.
func (g Group) chart(label, unit string, name func(float64) string, value func(Point) float64) (*plot.Plot, error) {
	p := plot.New()
	p.Title.TextStyle.Font = sans(11)
	p.X.Label.Text, p.Y.Label.Text = "elements", label
	if unit != "" {
		p.Y.Label.Text += ", " + unit
	}
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = powers(4, count), powers(10, name)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = sans(10), sans(8)
	}
	p.Legend.TextStyle.Font = sans(9)
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.YOffs = -vg.Points(4)
	p.Add(grid())
	for i, s := range g.Series {
		var points plotter.XYs
		for _, at := range s.Points {
			if v := value(at); at.Elements > 0 && v > 0 && !math.IsInf(v, 0) {
				points = append(points, plotter.XY{X: float64(at.Elements), Y: v})
			}
		}
		if len(points) == 0 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color = palette[i%len(palette)]
		line.Width = vg.Points(1.5)
		marks.Color, marks.Shape, marks.Radius = line.Color, draw.CircleGlyph{}, vg.Points(2)
		p.Add(line, marks)
		p.Legend.Add(s.Name, line, marks)
	}
	if !(p.X.Min <= p.X.Max) || p.X.Min <= 0 {
		return nil, ErrEmpty
	}
	widen(&p.X, 2)
	widen(&p.Y, 1.5)
	return p, nil
}

// widen leaves room at both ends of a logarithmic axis.
func widen(a *plot.Axis, factor float64) { a.Min, a.Max = a.Min/factor, a.Max*factor }

func sans(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = color.Gray{220}, color.Gray{220}
	return g
}

// palette is Okabe and Ito's, which the colour-blind can tell apart.
var palette = []color.Color{
	color.RGBA{0, 114, 178, 255}, color.RGBA{0, 0, 0, 255}, color.RGBA{0, 158, 115, 255}, color.RGBA{230, 159, 0, 255},
	color.RGBA{213, 94, 0, 255}, color.RGBA{204, 121, 167, 255}, color.RGBA{86, 180, 233, 255},
}
