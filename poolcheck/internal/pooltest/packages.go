package pooltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// packages is what go list says of the packages that are named, and of what they and
// their tests depend on.
type packages struct {
	tested []*goPackage // the named ones that have tests
	main   []string     // the folders of the main modules
	pools  bool         // one of them uses sync.Pool
	octet  bool         // one of them is octet
}

type goPackage struct {
	ImportPath, Dir, ForTest  string
	Standard, DepOnly         bool
	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
	Module                    *struct {
		Main      bool
		Dir, Path string
	}
	Error *struct{ Err string }
}

func listPackages(o *Options) (*packages, error) {
	args := []string{"list", "-e", "-deps", "-test",
		"-json=ImportPath,Dir,ForTest,Standard,DepOnly,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Module,Error"}
	args = append(append(args, o.build...), o.patterns...)
	text, err := output(exec.Command("go", args...))
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	p := new(packages)
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		pkg := new(goPackage)
		if err := dec.Decode(pkg); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("output of go list: %w", err)
		}
		if pkg.Standard {
			continue
		}
		if pkg.Module != nil && pkg.Module.Main && len(pkg.Module.Dir) > 0 {
			p.main = append(p.main, pkg.Module.Dir)
		}
		if strings.HasPrefix(pkg.ImportPath, "github.com/octet-go/octet/") {
			p.octet = true
		}
		named := !pkg.DepOnly && pkg.ForTest == "" && !strings.HasSuffix(pkg.ImportPath, ".test")
		if named && pkg.Error != nil && len(pkg.GoFiles)+len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) == 0 {
			return nil, fmt.Errorf("%s", pkg.Error.Err)
		}
		if named && len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) > 0 {
			p.tested = append(p.tested, pkg)
		}
		for _, name := range slices.Concat(pkg.GoFiles, pkg.CgoFiles, pkg.TestGoFiles, pkg.XTestGoFiles) {
			if p.pools {
				break
			}
			if !filepath.IsAbs(name) {
				name = filepath.Join(pkg.Dir, name)
			}
			if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte("sync.Pool")) {
				p.pools = true
			}
		}
	}
	return p, nil
}

// foreign reports whether a file is in none of the main modules.
func (p *packages) foreign(file string) bool {
	for _, dir := range p.main {
		rel, err := filepath.Rel(dir, file)
		if err == nil && !strings.HasPrefix(rel, "..") && !strings.HasPrefix(filepath.ToSlash(rel), "vendor/") {
			return false
		}
	}
	return len(p.main) > 0
}
