package host

import "math"

// The rules that equal bits rest on, in the order in which they are shown. Apart
// from the last, no trial has a subnormal operand or result.

func checks32() []litmusCheck[float32] {
	c := arithmeticChecks(24, math.MaxFloat32, float32(math.Inf(1)), float32(math.Copysign(0, -1)), float32(math.NaN()), float32(1)/(1<<63)/(1<<63))
	// Integers beyond 2^24 have to be rounded when they become a float32.
	word := math.Float32frombits
	c[0].trials = append(c[0].trials, trial[float32]{word(1<<24 + 1), 1, 1}, trial[float32]{word(1<<24 + 3), 1, 1})
	return c
}

func checks64() []litmusCheck[float64] {
	return arithmeticChecks(53, math.MaxFloat64, math.Inf(1), math.Copysign(0, -1), math.NaN(), math.Ldexp(1, -1022))
}

// arithmeticChecks are the checks for a format with so many bits of precision.
func arithmeticChecks[T float32 | float64](precision int, largest, inf, minusZero, nan, smallest T) []litmusCheck[T] {
	ulp := T(math.Ldexp(1, 1-precision)) // of 1
	half := ulp / 2
	root := T(1 + math.Ldexp(1, -precision/2))
	return []litmusCheck[T]{
		{"rounds to nearest even", true, []trial[T]{
			{1, half, half},                  // a tie, down to even
			{1 + ulp, half, half},            // a tie, up to even
			{1, half + half*ulp*2, 1},        // just above a tie
			{-1, half, 1},                    // towards the smaller ulp below 1
			{-1 - ulp, -half, 1},             // ties of negatives
			{1 + ulp, 1 + ulp, 0},            // products
			{1 + 3*ulp, 1 - half, 1},         //
			{largest / 2, 1 + ulp, largest},  // close to the largest
			{T(math.Pi), T(math.E), T(1e-3)}, //
			{T(1) / 3, -T(2) / 3, T(1) / 7},
		}},
		{"does not contract a*b+c", true, []trial[T]{
			{root, root, -(root * root)}, // 0; a fused one leaves the product's error
			{1 + ulp, 1 - ulp, -1},
			{T(1) / 3, 3, -1},
		}},
		{"overflows to infinity", true, []trial[T]{
			{largest, largest, 1},
			{-largest, largest, 1},
			{largest, 2, -inf},
			{inf, 1, 1},
			{-inf, 1, inf},
			{inf, inf, 1},
		}},
		{"keeps the sign of zero", true, []trial[T]{
			{minusZero, minusZero, minusZero},
			{0, minusZero, minusZero},
			{minusZero, 1, minusZero},
			{1, 1, -1},
			{minusZero, 0, 0},
		}},
		{"makes and keeps NaN", true, []trial[T]{
			{nan, 1, 1},
			{1, nan, 1},
			{1, 1, nan},
			{inf, 0, 1},
			{0, -inf, inf},
		}},
		{"keeps subnormals", false, []trial[T]{
			{smallest, smallest / 2, 0},
			{smallest, T(0.5), 0},
			{smallest / 4, smallest / 4, smallest / 8},
			{smallest * (1 + ulp), smallest, 0}, // the difference is subnormal
		}},
	}
}
