package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
)

// Undocumented lists the exported names of a Go file that neither have a comment nor
// stand in a group that has one. Fields are left to their type's comment, and Error and
// Unwrap to package errors.
func Undocumented(path string) ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var found []string
	note := func(at token.Pos, name string) {
		found = append(found, fmt.Sprintf("%s: %s has no comment", files.Position(at), name))
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			explained := decl.Recv != nil && (decl.Name.Name == "Error" || decl.Name.Name == "Unwrap")
			if decl.Name.IsExported() && decl.Doc == nil && !explained && receiverExported(decl) {
				note(decl.Pos(), decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				undocumentedIn(decl, spec, note)
			}
		}
	}
	return found, nil
}

func undocumentedIn(decl *ast.GenDecl, spec ast.Spec, note func(token.Pos, string)) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && decl.Doc == nil && spec.Doc == nil {
			note(spec.Pos(), spec.Name.Name)
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() && decl.Doc == nil && spec.Doc == nil && spec.Comment == nil {
				note(name.Pos(), name.Name)
			}
		}
	}
}

// receiverExported reports whether a function's receiver, if any, is of an exported type.
func receiverExported(decl *ast.FuncDecl) bool {
	if decl.Recv == nil {
		return true
	}
	receiver := decl.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

// HasPackagePage reports whether a Go file says what its package is for.
func HasPackagePage(path string) (bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
	return err == nil && file.Doc != nil, err
}

// GoFiles lists the Go files below a folder, those of tests and nested modules left out.
func GoFiles(root string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root:
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}
