// Package oracle knows what results should be. It computes values far more
// precisely than any element type holds, along ways that have nothing in common
// with the kernels or their Go twin, and measures how far a result is from them.
// It decides whether the error bounds hold that the project promises.
package oracle
