package host

import (
	"fmt"
	"strings"

	"vkops/internal/attributes"
	"vkops/tensor"
)

// Explanation says what a runtime does for an operator on inputs of given types.
type Explanation struct {
	Op     tensor.Op
	Inputs []tensor.Type
	Output tensor.Type
	Device string // its name; "cpu" for the twin
	// Twin says that tensors of these types are computed by the twin, and Reason why.
	Twin   bool
	Reason string
	// SlicesOnTwin says that the functions from slices to slices use the twin,
	// because the work is small and no device was named.
	SlicesOnTwin bool
	Strategy     Strategy // the one chosen; "" on the twin
	Kernels      []string // in the order of their first use; none on the twin
	Traffic      int64    // bytes that the kernels read and write
	Plan         string   // the steps, one a line
}

// Explain says how the runtime would run an operator on tensors, the output not being an
// input, without running it. Slices may go another way: in place, in parts, or only the
// elements that an NLL chooses. Its errors are those of the operator's arguments.
func (rt *Runtime) Explain(op tensor.Op, inputs ...tensor.Type) (Explanation, error) {
	op, err := known(op)
	if err != nil {
		return Explanation{}, err
	}
	out, err := op.Infer(inputs...)
	if err != nil {
		return Explanation{}, err
	}
	if err := rt.usable(op.Name()); err != nil {
		return Explanation{}, err
	}
	e, err := rt.backend.explain(op, out, inputs, false)
	if err != nil {
		return Explanation{}, wrap(op.Name(), err)
	}
	e.SlicesOnTwin = e.Twin || rt.isSmall(op, inputs)
	return e, nil
}

// String is the explanation in a few lines.
func (e Explanation) String() string {
	var b strings.Builder
	names := make([]string, len(e.Inputs))
	for i, t := range e.Inputs {
		names[i] = t.String()
	}
	fmt.Fprintf(&b, "%s %s -> %s\n", attributes.String(e.Op), strings.Join(names, ", "), e.Output)
	if e.Twin {
		fmt.Fprintf(&b, "on the twin: %s\n", e.Reason)
		return b.String()
	}
	fmt.Fprintf(&b, "on %s\n", e.Device)
	if e.SlicesOnTwin {
		b.WriteString("slices in and out: on the twin, because the work is small\n")
	}
	b.WriteString(strings.TrimRight(e.Plan, "\n"))
	b.WriteByte('\n')
	return b.String()
}
