package gpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const bindingPath = "github.com/vulkan-go/vulkan"

// hazards are the binding's functions that copy an array to C memory and may
// free the copy too early, and its structures' slice fields, which do the same
// or store Go pointers in C memory.
type hazards struct {
	functions map[string]bool
	fields    map[string]map[string]bool // by structure
}

// bindingHazards finds them in the binding's source.
func bindingHazards(t *testing.T) hazards {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", bindingPath).Output()
	require.NoError(t, err)
	dir := strings.TrimSpace(string(out))
	h := hazards{functions: map[string]bool{}, fields: map[string]map[string]bool{}}
	for _, decl := range parseFile(t, filepath.Join(dir, "vulkan.go")).Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(function.Body, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok && strings.HasPrefix(name.Name, "unpack") {
				h.functions[function.Name.Name] = true
			}
			return true
		})
	}
	ast.Inspect(parseFile(t, filepath.Join(dir, "types.go")), func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		structure, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		h.fields[spec.Name.Name] = map[string]bool{}
		for _, field := range structure.Fields.List {
			if array, ok := field.Type.(*ast.ArrayType); ok && array.Len == nil {
				for _, name := range field.Names {
					h.fields[spec.Name.Name][name.Name] = true
				}
			}
		}
		return true
	})
	for _, known := range []string{"CreateComputePipelines", "QueueSubmit", "UpdateDescriptorSets", "CmdPipelineBarrier",
		"CmdCopyBuffer", "FlushMappedMemoryRanges", "InvalidateMappedMemoryRanges", "CmdWaitEvents",
		"EnumerateInstanceExtensionProperties", "EnumerateDeviceExtensionProperties", "EnumerateInstanceLayerProperties",
		"GetPhysicalDeviceQueueFamilyProperties"} {
		require.Contains(t, h.functions, known)
	}
	require.Contains(t, h.fields["DeviceCreateInfo"], "PQueueCreateInfos")
	return h
}

func parseFile(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	require.NoError(t, err)
	return file
}

// offences are the hazardous uses of the binding in a file.
func (h hazards) offences(file *ast.File) []string {
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if isBinding(n) && h.functions[n.Sel.Name] {
				found = append(found, n.Sel.Name)
			}
		case *ast.CompositeLit:
			selector, ok := n.Type.(*ast.SelectorExpr)
			if !ok || !isBinding(selector) {
				return true
			}
			for _, element := range n.Elts {
				pair, ok := element.(*ast.KeyValueExpr)
				if !ok {
					found = append(found, selector.Sel.Name+" without field names")
				} else if key := pair.Key.(*ast.Ident).Name; h.fields[selector.Sel.Name][key] {
					found = append(found, selector.Sel.Name+"."+key)
				}
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				selector, ok := left.(*ast.SelectorExpr)
				if !ok {
					continue
				}
				for name, fields := range h.fields {
					if fields[selector.Sel.Name] {
						found = append(found, name+"."+selector.Sel.Name)
					}
				}
			}
		}
		return true
	})
	return found
}

func isBinding(selector *ast.SelectorExpr) bool {
	name, ok := selector.X.(*ast.Ident)
	return ok && name.Name == "vk"
}

func TestBindingHazardsAreNotUsed(t *testing.T) {
	h := bindingHazards(t)
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	users := 0
	for _, path := range paths {
		file := parseFile(t, path)
		if !imports(file, bindingPath) {
			continue
		}
		users++
		require.Empty(t, h.offences(file), path)
		require.True(t, strings.HasPrefix(file.Comments[0].Text(), "") && file.Comments[0].List[0].Text == "//go:build linux && cgo",
			"%s imports the binding without the build tag", path)
	}
	require.Greater(t, users, 3)
}

// TestHazardsAreSeen gives the search something to find.
func TestHazardsAreSeen(t *testing.T) {
	h := bindingHazards(t)
	source := `package p
import vk "github.com/vulkan-go/vulkan"
func f() {
	vk.QueueSubmit(nil, 0, nil, nil)
	call := vk.CmdPipelineBarrier
	_ = vk.DeviceCreateInfo{SType: 0, PpEnabledExtensionNames: nil}
	var info vk.SubmitInfo
	info.PCommandBuffers = nil
	vk.DeviceWaitIdle(nil)
	_ = vk.FenceCreateInfo{SType: 0}
}`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	require.NoError(t, err)
	found := slices.Compact(slices.Sorted(slices.Values(h.offences(file))))
	require.Equal(t, []string{"CmdPipelineBarrier", "DeviceCreateInfo.PpEnabledExtensionNames", "QueueSubmit", "SubmitInfo.PCommandBuffers"}, found)
}

func imports(file *ast.File, path string) bool {
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+path+`"` })
}

// TestBindingStaysInThisPackage keeps the rest of the module free of cgo.
func TestBindingStaysInThisPackage(t *testing.T) {
	users := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		if file := parseFile(t, path); imports(file, bindingPath) || imports(file, "C") {
			users[filepath.Dir(path)] = true
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"../gpu"}, slices.Collect(maps.Keys(users)))
}
