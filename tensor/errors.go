package tensor

import (
	"errors"
	"fmt"
)

// Sentinels for errors.Is. Every error about an operator's arguments is an
// *Error that wraps one of them.
var (
	// ErrShape: a rank, a dimension or a count of elements does not fit.
	ErrShape = errors.New("shape mismatch")
	// ErrAxis: an axis lies outside [-rank, rank-1], or there is no axis.
	ErrAxis = errors.New("axis out of range")
	// ErrType: an element type that the operator text does not allow.
	ErrType = errors.New("element type not allowed")
	// ErrAttribute: an unknown attribute, or a value that it cannot take.
	ErrAttribute = errors.New("bad attribute")
	// ErrTarget: a class label outside [0, C) that is not ignore_index.
	ErrTarget = errors.New("target out of range")
	// ErrArity: too few or too many inputs or outputs.
	ErrArity = errors.New("wrong number of inputs or outputs")
)

// Error says which operator refused which argument, and why.
type Error struct {
	Op   string // "cumsum"
	Kind error  // one of the sentinels
	Msg  string // names the argument and the offending values
}

func (e *Error) Error() string { return e.Op + ": " + e.Msg }

// Unwrap makes errors.Is match the sentinel.
func (e *Error) Unwrap() error { return e.Kind }

// Errorf builds an *Error of the given kind.
func Errorf(op string, kind error, format string, args ...any) error {
	return &Error{Op: op, Kind: kind, Msg: fmt.Sprintf(format, args...)}
}
