package cpuref

import "unsafe"

// The functions of a scan are written once for all they may do and compiled for each
// of it: what that is, is the size of a type, so that a compiler leaves out the rest.

// work is whether a function folds elements into aggregates, writes their outputs, does
// both, or writes those of runs that are whole lines.
type work interface {
	folds | writes | walks | writesLines
}

type (
	folds       = [1]byte
	writes      = [2]byte
	walks       = [3]byte
	writesLines = [6]byte
)

func isFolding[W work]() bool {
	var w W
	return unsafe.Sizeof(w)&1 != 0
}

func isWriting[W work]() bool {
	var w W
	return unsafe.Sizeof(w)&2 != 0
}

func isOfLines[W work]() bool {
	var w W
	return unsafe.Sizeof(w)&4 != 0
}

// form is how outputs come from running sums: from the one after or before the
// element, rounded to nearest or, as 16 bits follow, to odd.
type form interface {
	inclusive | exclusive | inclusiveToOdd | exclusiveToOdd
}

type (
	inclusive      = [0]byte
	exclusive      = [1]byte
	inclusiveToOdd = [2]byte
	exclusiveToOdd = [3]byte
)

func isExclusive[F form]() bool {
	var f F
	return unsafe.Sizeof(f)&1 != 0
}

func isToOdd[F form]() bool {
	var f F
	return unsafe.Sizeof(f)&2 != 0
}
