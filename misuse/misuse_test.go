package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestPrograms runs every program in every mode and compares what it prints. With -short
// it makes the plain build alone.
func TestPrograms(t *testing.T) {
	if testenv.BuildSetting("-race") == "true" {
		t.Skip("go test without -race makes the same builds, with the race detector, too")
	}
	marks := readMarks(t)
	for _, b := range builds {
		if testing.Short() && b.flag != "" {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			binary := b.build(t)
			for _, m := range b.modes {
				for _, trials := range m.processes() {
					t.Run(m.String(), func(t *testing.T) {
						t.Parallel()
						outcomes := execute(t, binary, m, trials)
						for _, tr := range trials {
							t.Run(tr.name(), func(t *testing.T) {
								outcomes[tr.name()].checkMode(t, m, tr.kind, marks[tr.name()])
							})
						}
					})
				}
			}
		})
	}
}

// A trial is a program and how its misuse is found; a correct one has no kind.
type trial struct {
	program
	kind
}

// processes returns all programs, by the processes in which mode m runs them. A misuse that
// ends its process is alone in one, and so is a race in mode full, in which the detector
// has seen too many releases of other programs. What is found in shared processes is apart
// from what is not.
func (m mode) processes() (list [][]trial) {
	var silent, found []trial
	for _, c := range classes {
		for _, p := range c.alike {
			silent = append(silent, trial{program: p})
		}
		for _, k := range c.kinds {
			for _, p := range k.programs {
				tr := trial{p, k}
				switch wants := m.wants(k); {
				case k.debug != "" || slices.ContainsFunc(wants, finding.ends) || m == raceFull && k.found[race].shows():
					list = append(list, []trial{tr})
				case slices.ContainsFunc(wants, finding.shows):
					found = append(found, tr)
				default:
					silent = append(silent, tr)
				}
			}
		}
	}
	return slices.Concat(list, spread(silent), spread(found))
}

// spread returns programs by the processes that they share. Neighbours, which share
// helpers, are apart, as a place of a leak is reported once in a process. They are at most
// eight: ASan ends a process after 25 reports, and a program has up to three.
func spread(list []trial) [][]trial {
	processes := make([][]trial, (len(list)+7)/8)
	for i, tr := range list {
		p := &processes[i%len(processes)]
		*p = append(*p, tr)
	}
	return processes
}

// A build is a way to build this program, and the modes in which it runs.
type build struct {
	name  string
	flag  string
	modes []mode
}

var builds = []build{
	{"plain", "", []mode{off, sample, full, guard}},
	{"race", "-race", []mode{race, raceFull}},
	{"asan", "-asan", []mode{asan, asanFull}},
}

// build returns the path of the program. If it cannot be built or run here, build skips
// the test and says why.
func (b build) build(t *testing.T) string {
	testenv.NeedsExec(t)
	binary := filepath.Join(t.TempDir(), "misuse.exe")
	args := []string{"build", "-o", binary}
	if b.flag != "" {
		args = append(args, b.flag)
	}
	if tags := testenv.BuildSetting("-tags"); tags != "" {
		args = append(args, "-tags="+tags)
	}
	cmd := exec.Command("go", append(args, ".")...)
	if b.flag != "" {
		needC(t, b.flag)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte(b.flag+" is not supported on")) {
			t.Skipf("NOT TESTED: %s", bytes.TrimSpace(out))
		}
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	if err := exec.Command(binary).Run(); err != nil {
		t.Fatal(err)
	}
	return binary
}

// guarded reports whether, according to the documentation, the plain build has mode
// guard here.
func guarded() bool {
	systems := []string{"linux", "darwin", "freebsd", "netbsd", "dragonfly"}
	return slices.Contains(systems, runtime.GOOS) && !strings.Contains(testenv.BuildSetting("-tags"), "octet_purego")
}

// needC skips the test if there is no C compiler that can link what a build with
// flag needs.
func needC(t *testing.T, flag string) {
	out, err := exec.Command("go", "env", "GOHOSTOS", "GOHOSTARCH", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if lines[0] != runtime.GOOS || lines[1] != runtime.GOARCH {
		t.Skipf("NOT TESTED: a build with %s for another system or processor", flag)
	}
	source := filepath.Join(t.TempDir(), "main.c")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append(strings.Fields(lines[2]), "-o", source+".exe", source)
	if flag == "-asan" {
		args = append(args, "-fsanitize=address")
	}
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: a build with %s needs a C compiler, and here %v fails: %v\n%s", flag, args, err, out)
	}
}
