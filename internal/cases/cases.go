// Package cases runs test cases in the layout of ONNX's node tests: a folder
// with model.onnx, folders test_data_set_* of input_N.pb and output_N.pb, and
// here a case.json with the tolerances.
package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"vkops/onnx"
	"vkops/tensor"
)

// ErrNoCase: a folder holds no case, neither itself nor anywhere below.
var ErrNoCase = errors.New("no test case found")

const (
	modelFile     = "model.onnx"
	toleranceFile = "case.json"
)

// Tolerance says how far a value may lie from the expected one:
// |got - want| <= Absolute + Relative*|want|.
type Tolerance struct {
	Relative float64 `json:"rtol"`
	Absolute float64 `json:"atol"`
	// NaNEqual lets a NaN meet an expected NaN.
	NaNEqual bool `json:"nan_equal"`
}

// DefaultTolerance is ONNX's own.
var DefaultTolerance = Tolerance{1e-3, 1e-7, true}

// Case is a folder that holds a model and its data sets.
type Case struct {
	// Name is the folder's own name, Dir its path.
	Name, Dir string
}

// Find lists the cases in dirs, each a case or a tree of cases, in the order of
// dirs and within one of names. Every one of dirs must hold a case.
func Find(dirs ...string) ([]Case, error) {
	var found []Case
	for _, dir := range dirs {
		before := len(found)
		root, err := filepath.EvalSymlinks(dir) // the walk follows no link, not even its root
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(root); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%w in %s: it is a file; name the folder that holds it", ErrNoCase, dir)
		}
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			if _, err := os.Stat(filepath.Join(path, modelFile)); err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}
			found = append(found, Case{caseName(dir, root, path), path})
			return fs.SkipDir
		})
		if err != nil {
			return nil, err
		}
		if len(found) == before {
			return nil, fmt.Errorf("%w in %s: no folder with %s", ErrNoCase, dir, modelFile)
		}
	}
	return found, nil
}

// caseName is the folder's name; for dir itself, also where dir is "." or a link.
func caseName(dir, root, path string) string {
	if path != root {
		return filepath.Base(path)
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(path)
}

// Runner computes an operator and says where it ran.
type Runner func(op tensor.Op, inputs []tensor.Dense) (output tensor.Dense, where string, err error)

// Result is the outcome of a case.
type Result struct {
	Case
	// Where is what the runner said, empty if it never got to run.
	Where string
	// Err is nil for a case that passed. Otherwise it names the data set and the
	// first wrong element with both values, or whatever else went wrong.
	Err error
}

// Passed reports whether the case passed.
func (r Result) Passed() bool { return r.Err == nil }

// Run runs every data set of the case, up to the first that fails.
func (c Case) Run(run Runner) Result {
	r := Result{Case: c}
	r.Err = c.run(run, &r.Where)
	return r
}

func (c Case) run(run Runner, where *string) error {
	tolerance, err := readTolerance(filepath.Join(c.Dir, toleranceFile))
	if err != nil {
		return err
	}
	model, err := onnx.ReadModel(filepath.Join(c.Dir, modelFile))
	if err != nil {
		return err
	}
	sets, err := dataSets(c.Dir)
	if err != nil {
		return err
	}
	for _, set := range sets {
		if err := runSet(model, set, tolerance, run, where); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(set), err)
		}
	}
	return nil
}

func runSet(model *onnx.Model, dir string, tolerance Tolerance, run Runner, where *string) error {
	inputs, err := readNumbered(dir, "input")
	if err != nil {
		return err
	}
	wants, err := readNumbered(dir, "output")
	if err != nil {
		return err
	}
	bound, err := model.Bind(inputs)
	if err != nil {
		return err
	}
	if len(wants) != len(bound.Outputs) {
		return fmt.Errorf("%d output files for %d outputs", len(wants), len(bound.Outputs))
	}
	signedZero := false
	got, err := onnx.Evaluate(bound, func(d tensor.Dense) (tensor.Dense, error) { return d, nil },
		func(op tensor.Op, inputs ...tensor.Dense) (y tensor.Dense, err error) {
			_, signedZero = op.(tensor.Log1p)
			y, *where, err = run(op, inputs)
			return y, err
		}, nil)
	if err != nil {
		return err
	}
	for i, want := range wants {
		if err := Compare(got[i], want, tolerance, signedZero); err != nil {
			return fmt.Errorf("%s: %w", model.Outputs[i].Name, err)
		}
	}
	return nil
}

// readTolerance reads case.json; what it leaves out, or all of it where there is
// no such file, is DefaultTolerance. Other keys are notes for people.
func readTolerance(path string) (Tolerance, error) {
	t := DefaultTolerance
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	for _, v := range []float64{t.Relative, t.Absolute} {
		if v < 0 || math.IsInf(v, 0) {
			return t, fmt.Errorf("%s: tolerance %g", path, v)
		}
	}
	return t, nil
}
