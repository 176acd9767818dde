// Package tensor holds what every other package of vkops agrees on: element
// types, shapes, operator attributes with their checks, and the errors that
// name what was wrong. It does no arithmetic on elements and knows no device.
//
// Tensors are dense and row-major (C order). Numbers are stored little-endian.
package tensor
