package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPromisedTestsExist holds docs/promises.md to tests that there are.
func TestPromisedTestsExist(t *testing.T) {
	there := map[string]bool{}
	defined := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range defined.FindAllStringSubmatch(string(text), -1) {
			there[match[1]] = true
		}
		return err
	}))
	page, err := os.ReadFile("../docs/promises.md")
	require.NoError(t, err)
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`").FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(named), 100)
	for _, match := range named {
		assert.True(t, there[match[1]], match[1])
	}
}
