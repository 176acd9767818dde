package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// powers marks the powers of a base with their names.
func powers(base float64, name func(float64) string) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		var ticks []plot.Tick
		first := math.Ceil(math.Log(low)/math.Log(base) - 1e-9)
		for e := first; math.Pow(base, e) <= high*(1+1e-9); e++ {
			v := math.Pow(base, e)
			ticks = append(ticks, plot.Tick{Value: v, Label: name(v)})
		}
		return ticks
	}
}

// count names a number of elements: 4096 is "4 Ki".
func count(n float64) string {
	for _, unit := range []struct {
		shift int
		name  string
	}{{30, " Gi"}, {20, " Mi"}, {10, " Ki"}} {
		if one := math.Ldexp(1, unit.shift); n >= one {
			return plain(n/one) + unit.name
		}
	}
	return plain(n)
}

// duration names a time in seconds.
func duration(s float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}} {
		if s >= unit.seconds*(1-1e-9) {
			return plain(s/unit.seconds) + unit.name
		}
	}
	return plain(s*1e9) + " ns"
}

func plain(v float64) string { return fmt.Sprintf("%.4g", v) }
