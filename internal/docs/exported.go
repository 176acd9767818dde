package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
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
			if isExported(decl) && decl.Doc == nil {
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

// ErrorsUnsaid lists the exported functions of a Go file that return an error and whose
// comment says nothing about errors.
func ErrorsUnsaid(path string) ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	said := regexp.MustCompile(`Err[A-Z]|[Ee]rrors?\b|fails`)
	var found []string
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if ok && isExported(f) && returnsError(f) && !said.MatchString(f.Doc.Text()) {
			found = append(found, fmt.Sprintf("%s: %s does not say which errors it returns", files.Position(f.Pos()), f.Name.Name))
		}
	}
	return found, nil
}

func returnsError(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return false
	}
	return slices.ContainsFunc(f.Type.Results.List, func(r *ast.Field) bool {
		name, ok := r.Type.(*ast.Ident)
		return ok && name.Name == "error"
	})
}

// isExported reports whether users see a function that needs a comment.
func isExported(f *ast.FuncDecl) bool {
	explained := f.Recv != nil && (f.Name.Name == "Error" || f.Name.Name == "Unwrap")
	return f.Name.IsExported() && !explained && receiverExported(f)
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
