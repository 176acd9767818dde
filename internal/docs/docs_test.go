package docs

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// cannotRun are the beginnings of the commands that no test runs, each with its reason.
var cannotRun = []struct{ command, reason string }{
	{"bash scripts/demo.sh", "CI runs it"},
	{"bash scripts/test.sh", "it runs this test"},
	{"bash scripts/setup.sh", "it may install packages; scripts/test.sh begins with it"},
	{"docker ", "needs Docker"},
	{"driver=$(bash scripts/swiftshader.sh)", "downloads a package; CI runs it"},
	{"VK_DRIVER_FILES=$driver", "needs the driver of the line before; CI runs it"},
	{"go test ./tests -run DigestsOfTheTwin -update -v", "rewrites the committed digests"},
	{"bash shaders/build.sh", "takes a minute; package shaders tests it"},
}

// documents are those whose commands and programs are tested.
func documents(t *testing.T) []string {
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return append(paths, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
}

func read(t *testing.T, path string) []Block {
	document, err := os.ReadFile(path)
	require.NoError(t, err)
	blocks, err := Blocks(string(document))
	require.NoError(t, err, path)
	return blocks
}

// clone copies what git would carry into a folder "vkops", for commands to run in.
func clone(t *testing.T) string {
	folder := filepath.Join(t.TempDir(), "vkops")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "bin"):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(folder, name), 0o755)
		case name == "vkops":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name), data, 0o644)
	}))
	return folder
}

// runnable drops the commands that cannot run and notes which of their kinds it met.
func runnable(commands string, met map[string]bool) string {
	var kept []string
	for _, line := range strings.Split(commands, "\n") {
		at := slices.IndexFunc(cannotRun, func(c struct{ command, reason string }) bool {
			return strings.HasPrefix(line, c.command)
		})
		if at < 0 {
			kept = append(kept, line)
			continue
		}
		met[cannotRun[at].command] = true
	}
	return strings.Join(kept, "\n")
}

// The documents' commands run and their programs compile, in one copy of the repository.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the commands of the documents are run by the full test")
	}
	folder := clone(t)
	t.Run("programs compile", func(t *testing.T) { programsCompile(t, folder) })
	t.Run("commands run", func(t *testing.T) { commandsRun(t, folder) })
}

// commandsRun runs every command, document by document, and compares what it prints
// with an "output" block behind it.
func commandsRun(t *testing.T, folder string) {
	if os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
		t.Skip("VKOPS_TEST_NO_DEVICE=1: NOT TESTED, the commands use a Vulkan device")
	}
	met := map[string]bool{}
	for _, path := range documents(t) {
		begin := time.Now()
		script, wanted := "set -euo pipefail\n", map[string]string{}
		blocks := read(t, path)
		for i, block := range blocks {
			if block.Language != "sh" {
				continue
			}
			mark := fmt.Sprintf("== %s:%d", filepath.Base(path), block.Line)
			script += "echo '" + mark + "'\n" + runnable(block.Text, met) + "\n"
			if i+1 < len(blocks) && blocks[i+1].Language == "output" {
				wanted[mark] = blocks[i+1].Text
			}
		}
		output := shell(t, folder, script)
		for mark, want := range wanted {
			_, got, _ := strings.Cut(output, mark+"\n")
			got, _, _ = strings.Cut(got, "\n== ")
			require.Regexp(t, pattern(want), strings.TrimSpace(got), mark)
		}
		t.Logf("%s: %.1f s", filepath.Base(path), time.Since(begin).Seconds())
	}
	for _, c := range cannotRun {
		require.True(t, met[c.command], "no document has the command %q any more", c.command)
	}
}

// pattern matches the output; three dots stand for anything.
func pattern(want string) string {
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(want)), `\.\.\.`, "(?s:.*)") + "$"
}

func shell(t *testing.T, folder, script string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+withNumPy(t)+os.Getenv("PATH"))
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", script, output)
	return string(output)
}

// withNumPy is a folder for PATH whose python3 has NumPy, where the first one of PATH
// does not, as with several Pythons on a machine.
func withNumPy(t *testing.T) string {
	if exec.Command("python3", "-c", "import numpy").Run() == nil {
		return ""
	}
	folder := t.TempDir()
	require.NoError(t, os.Symlink("/usr/bin/python3", filepath.Join(folder, "python3")))
	return folder + ":"
}

// programsCompile compiles every Go program and every piece of Go. A piece may use ctx,
// rt and x, and returns its errors.
func programsCompile(t *testing.T, folder string) {
	n := 0
	for _, path := range documents(t) {
		for _, block := range read(t, path) {
			if block.Language != "go" {
				continue
			}
			n++
			in := filepath.Join(folder, "snippets", fmt.Sprintf("s%d", n))
			require.NoError(t, os.MkdirAll(in, 0o755))
			place := fmt.Sprintf("//line %s:%d\n", filepath.Base(path), block.Line)
			require.NoError(t, os.WriteFile(filepath.Join(in, "main.go"), []byte(program(place, block.Text)), 0o644))
		}
	}
	require.Positive(t, n)
	shell(t, folder, "go build ./snippets/...")
}

func program(place, text string) string {
	if strings.HasPrefix(text, "package ") {
		return place + text
	}
	imports := ""
	for _, name := range []string{"fmt", "errors", "log", "log/slog", "os", "vkops/cpuref", "vkops/host", "vkops/onnx", "vkops/tensor"} {
		if regexp.MustCompile(`\b` + filepath.Base(name) + `\.`).MatchString(text) {
			imports += fmt.Sprintf("import %q\n", name)
		}
	}
	if !strings.Contains(imports, "vkops/host") {
		imports += "import \"vkops/host\"\n"
	}
	return "package snippet\n\nimport \"context\"\n" + imports +
		"\nfunc _(ctx context.Context, rt *host.Runtime, x []float32) error {\n" + place + text + "return nil\n}\n"
}

// Every link to a file of the repository leads to one.
func TestLinksLeadSomewhere(t *testing.T) {
	fence := regexp.MustCompile("(?s)```.*?```")
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for _, path := range documents(t) {
		document, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(document), ""), -1) {
			if !strings.Contains(found[1], "://") {
				require.FileExists(t, filepath.Join(filepath.Dir(path), found[1]), path)
			}
		}
	}
}

// Every direct dependency has its reason in one place, and no line is left over.
func TestDependenciesAreJustified(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs", "dependencies.md"))
	require.NoError(t, err)
	var direct, justified []string
	for _, found := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1) {
		direct = append(direct, found[1])
	}
	for _, found := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		justified = append(justified, found[1])
	}
	require.ElementsMatch(t, direct, justified)
}

func TestBlocks(t *testing.T) {
	blocks, err := Blocks("a\n\n- b\n\n  ```sh\n  go version\n    x\n  ```\n```text\n```\n")
	require.NoError(t, err)
	require.Equal(t, []Block{{"sh", 6, "go version\n  x\n"}, {"text", 10, ""}}, blocks)
	for document, message := range map[string]string{
		"```\nx\n```\n":       "line 1: a fence without a language",
		"a\n\n    go build\n": "line 3: indented code",
		"```go\nx\n":          "line 1: a fence without an end",
	} {
		_, err := Blocks(document)
		require.ErrorContains(t, err, message)
	}
}

func TestRunnable(t *testing.T) {
	met := map[string]bool{}
	require.Equal(t, "go version\n", runnable("go version\nbash scripts/demo.sh # all\n", met))
	require.Equal(t, map[string]bool{"bash scripts/demo.sh": true}, met)
	require.Regexp(t, pattern("a...c"), "abbb\nc")
	require.NotRegexp(t, pattern("a.c"), "abc")
}
