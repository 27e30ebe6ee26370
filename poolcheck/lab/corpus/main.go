// Command corpus judges poolcheck on code that nobody here wrote. It fetches
// the public modules of modules.txt at their pinned versions, runs poolcheck
// on all of them, and holds its reports against triage.tsv, which has a verdict
// and a reason for each. That is its precision.
//
//	go run ./poolcheck/lab/corpus                   everything: fetches about 2 GB the first time
//	go run ./poolcheck/lab/corpus -only 'zap|echo'  some of the modules
//	go run ./poolcheck/lab/corpus -dir /var/tmp/c   keep the scratch directory between runs
//
// With -bugs it says the recall: which of the bugs in a list it finds. The list has bugs that modules had and mended,
// each with a faulty version, a mended one, the packages that are checked in both, and the functions in which a report of
// the bug may stand. A report there in the mended version is false.
//
//	go run ./poolcheck/lab/corpus -bugs mended.tsv  bugs of versions that the module proxy has
//	go run ./poolcheck/lab/corpus -bugs sealed.tsv  bugs that were written down before poolcheck was run on any of them
//
// Modules are checked one by one, each in a copy outside of the repository, with
// the go.mod that it was published with. Packages that do not build are listed;
// test files are left out.
//
// It exits with 1 when a report has no verdict, and prints such reports below
// their module, as lines for triage.tsv that lack the verdict and the reason.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"time"
)

func main() {
	status, err := run(os.Stdout, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(2)
	}
	os.Exit(status)
}

func run(out io.Writer, args []string) (status int, err error) {
	flags := flag.NewFlagSet("corpus", flag.ContinueOnError)
	home := flags.String("corpus", sourceDir(), "directory with modules.txt and triage.tsv")
	dir := flags.String("dir", "", "scratch directory, kept; the default is a new one, removed at the end")
	list := flags.String("bugs", "", "in place of the modules, look for the bugs that `file`, in the directory of -corpus, lists")
	only := flags.String("only", "", "check only modules whose path matches this regular expression")
	tool := flags.String("poolcheck", "", "poolcheck binary; the default is to build it")
	if err := flags.Parse(args); err != nil {
		return 2, err
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return 2, fmt.Errorf("-only: %w", err)
	}
	scratch := *dir
	if scratch == "" {
		if scratch, err = os.MkdirTemp("", "poolcheck-corpus-"); err != nil {
			return 2, err
		}
		defer os.RemoveAll(scratch)
	} else if scratch, err = filepath.Abs(scratch); err != nil {
		return 2, err
	} else if err := os.MkdirAll(scratch, 0o777); err != nil {
		return 2, err
	}
	if *tool == "" {
		*tool = filepath.Join(scratch, "poolcheck")
		// The go command keeps what a binary has found. This one is new to it, so
		// that the times are those of a first run.
		stamp := fmt.Sprintf("-ldflags=-buildid=corpus%d", time.Now().UnixNano())
		build := exec.Command("go", "build", stamp, "-o", *tool, "./cmd/poolcheck")
		build.Dir = filepath.Join(*home, "..", "..")
		if text, err := build.CombinedOutput(); err != nil {
			return 2, fmt.Errorf("building poolcheck: %w\n%s", err, text)
		}
	}

	if *list != "" {
		return 0, findBugs(out, filepath.Join(*home, *list), match, func(m module) (string, result, error) {
			return check(*tool, scratch, m)
		})
	}
	return judge(out, *home, match, func(m module) (result, error) {
		_, res, err := check(*tool, scratch, m)
		return res, err
	})
}

// judge checks the modules of the corpus, and holds the reports against the verdicts on file.
func judge(out io.Writer, home string, only *regexp.Regexp, check func(module) (result, error)) (status int, err error) {
	modules, err := readModules(filepath.Join(home, "modules.txt"))
	if err != nil {
		return 2, err
	}
	triage, err := readTriage(filepath.Join(home, "triage.tsv"))
	if err != nil {
		return 2, err
	}
	var total tally
	unbuilt, checked, spent := 0, 0, time.Duration(0)
	for _, m := range modules {
		if !only.MatchString(m.path) {
			continue
		}
		res, err := check(m)
		if err != nil {
			return 2, fmt.Errorf("%s: %w", m, err)
		}
		checked++
		spent += res.time
		unbuilt += len(res.unbuilt)
		fmt.Fprintf(out, "%-60s %4d packages %4d reports %6.1f s\n", m, res.packages, len(res.reports), res.time.Seconds())
		for _, p := range res.unbuilt {
			fmt.Fprintf(out, "\tdoes not build: %s\n", p)
		}
		for _, line := range total.add(m, res.reports, triage) {
			fmt.Fprintln(out, line)
		}
	}
	fmt.Fprintf(out, "\n%d modules in %.0f s, %d packages did not build\n\n", checked, spent.Seconds(), unbuilt)
	total.print(out)
	if total.open > 0 {
		return 1, nil
	}
	return 0, nil
}

// sourceDir returns the directory of this file.
func sourceDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}
