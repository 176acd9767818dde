package cases

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vkops/onnx"
	"vkops/tensor"
)

const dataSetPrefix = "test_data_set_"

// dataSets lists the data set folders of a case by number.
func dataSets(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	type numbered struct {
		number int
		path   string
	}
	var sets []numbered
	for _, e := range entries {
		suffix, ok := strings.CutPrefix(e.Name(), dataSetPrefix)
		if !ok {
			continue
		}
		number, err := strconv.Atoi(suffix)
		if err != nil || number < 0 {
			return nil, fmt.Errorf("%s: %q is not a number", filepath.Join(dir, e.Name()), suffix)
		}
		sets = append(sets, numbered{number, filepath.Join(dir, e.Name())})
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("%s: no %s*", dir, dataSetPrefix)
	}
	slices.SortFunc(sets, func(a, b numbered) int { return a.number - b.number })
	paths := make([]string, len(sets))
	for i, s := range sets {
		paths[i] = s.path
	}
	return paths, nil
}

// readNumbered reads input_0.pb, input_1.pb, ... of a data set. A gap in the
// numbers is an error, since it would shift what follows.
func readNumbered(dir, prefix string) ([]tensor.Dense, error) {
	matches, err := filepath.Glob(filepath.Join(escapeGlob(dir), prefix+"_*.pb"))
	if err != nil {
		return nil, err
	}
	tensors := make([]tensor.Dense, len(matches))
	for i := range tensors {
		path := filepath.Join(dir, fmt.Sprintf("%s_%d.pb", prefix, i))
		if tensors[i], err = onnx.ReadFile(path, onnx.NPYOptions{}); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("%s has %d files %s_*.pb, but no number %d", dir, len(matches), prefix, i)
			}
			return nil, err
		}
	}
	return tensors, nil
}

// escapeGlob makes a path stand for itself in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
