package tensor

import (
	"fmt"
	"strings"

	"github.com/x448/float16"
)

// DType is an element type.
type DType uint8

// The element types of the operators and of their index inputs.
const (
	Invalid DType = iota
	F16
	BF16
	F32
	F64
	I32
	I64
	U32
	U64
)

var dtypes = [...]struct {
	name  string
	size  int
	float bool
}{
	Invalid: {"invalid", 0, false},
	F16:     {"float16", 2, true},
	BF16:    {"bfloat16", 2, true},
	F32:     {"float32", 4, true},
	F64:     {"float64", 8, true},
	I32:     {"int32", 4, false},
	I64:     {"int64", 8, false},
	U32:     {"uint32", 4, false},
	U64:     {"uint64", 8, false},
}

// String is the type's name in NumPy and ONNX style, such as "float32".
func (d DType) String() string {
	if int(d) < len(dtypes) {
		return dtypes[d].name
	}
	return fmt.Sprintf("dtype(%d)", uint8(d))
}

// Size is the size of an element in bytes; 0 for Invalid and unknown values.
func (d DType) Size() int {
	if int(d) < len(dtypes) {
		return dtypes[d].size
	}
	return 0
}

// IsFloat reports whether d is one of the floating-point types.
func (d DType) IsFloat() bool { return int(d) < len(dtypes) && dtypes[d].float }

// ParseDType finds a type by the name that String gives. Other names are [ErrType]; the
// message lists those that there are.
func ParseDType(name string) (DType, error) {
	for i := 1; i < len(dtypes); i++ {
		if dtypes[i].name == name {
			return DType(i), nil
		}
	}
	return Invalid, fmt.Errorf("%w: %q is not one of %s", ErrType, name, joinTypes(AllDTypes()))
}

// AllDTypes lists the element types in the order of their constants.
func AllDTypes() []DType {
	all := make([]DType, 0, len(dtypes)-1)
	for i := 1; i < len(dtypes); i++ {
		all = append(all, DType(i))
	}
	return all
}

// Float is the set of Go types of floating-point elements.
type Float interface {
	float16.Float16 | BFloat16 | float32 | float64
}

// Index is the set of Go types of class labels.
type Index interface {
	int32 | int64
}

// Element is the set of Go types that tensors hold.
type Element interface {
	Float | Index | uint32 | uint64
}

// DTypeOf is the element type of T.
func DTypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case float16.Float16:
		return F16
	case BFloat16:
		return BF16
	case float32:
		return F32
	case float64:
		return F64
	case int32:
		return I32
	case int64:
		return I64
	case uint32:
		return U32
	default:
		return U64
	}
}

func joinTypes(ds []DType) string {
	names := make([]string, len(ds))
	for i, d := range ds {
		names[i] = d.String()
	}
	return strings.Join(names, ", ")
}

// checkType refuses a type that is not in allowed.
func checkType(op, arg string, d DType, allowed ...DType) error {
	for _, a := range allowed {
		if d == a {
			return nil
		}
	}
	return Errorf(op, ErrType, "%s has element type %s; allowed: %s", arg, d, joinTypes(allowed))
}
