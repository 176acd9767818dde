package tensor

// Op is an operator with its attributes: CumSum, LogCumSumExp, Log1p, LogSoftmax,
// NLL or SoftmaxCrossEntropyLoss.
type Op interface {
	// Name is the operator's name in messages and on the command line: "cumsum".
	Name() string
	// Infer checks the types of the inputs against the operator text and gives
	// the type of the output. Its errors are *Error values. An absent optional
	// input is left out at the end of the list.
	Infer(inputs ...Type) (Type, error)
}

// AxisOp is an operator whose output is the input's shape, line by line along an axis:
// CumSum, LogCumSumExp or LogSoftmax.
type AxisOp interface {
	Op
	// View is the input seen along the axis.
	View(Shape) (View, error)
	// OnAxis is the operator along another axis.
	OnAxis(axis int) AxisOp
}

// checkArity refuses a number of inputs outside [lo, hi].
func checkArity(op string, n, lo, hi int) error {
	switch {
	case n >= lo && n <= hi:
		return nil
	case lo == hi:
		return Errorf(op, ErrArity, "%d inputs, takes %d", n, lo)
	default:
		return Errorf(op, ErrArity, "%d inputs, takes %d to %d", n, lo, hi)
	}
}

// checkShape refuses negative dimensions and element counts beyond 63 bits.
func checkShape(op, arg string, t Type) error {
	if _, err := t.Bytes(); err != nil {
		return Errorf(op, ErrShape, "%s: %v", arg, err)
	}
	return nil
}

// scanView checks an axis and gives the view along it.
func scanView(op string, s Shape, axis int) (View, error) {
	rank := len(s)
	if rank == 0 {
		return View{}, Errorf(op, ErrAxis, "a scalar has no axis; rank must be at least 1")
	}
	if axis < -rank || axis >= rank {
		return View{}, Errorf(op, ErrAxis, "axis %d out of range for rank %d", axis, rank)
	}
	if axis < 0 {
		axis += rank
	}
	if n, err := s.Elements(); err == nil && n == 0 {
		return View{N: int64(s[axis])}, nil // the other products may not fit
	}
	return s.along(axis), nil
}
