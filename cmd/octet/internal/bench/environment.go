package bench

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/version"
)

// root is the path of the module that is measured.
const root = "github.com/octet-go/octet"

func environment(command string) contest.Env {
	env := contest.Env{
		Time:       time.Now().UTC().Format(time.RFC3339),
		CPU:        cpu(),
		Cores:      runtime.NumCPU(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
		GOOS:       runtime.GOOS,
		GOARCH:     runtime.GOARCH,
		Go:         runtime.Version(),
		Octet:      version.String(),
		Modules:    make(map[string]string),
		Command:    command,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return env
	}
	for _, m := range info.Deps {
		if m.Path != root {
			env.Modules[m.Path] = m.Version
		}
	}
	return env
}

// cpu returns the name of the processor, as it reports it itself or as Linux
// reports it.
func cpu() string {
	if name := strings.TrimSpace(cpuid.CPU.BrandName); name != "" {
		return name
	}
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch strings.TrimSpace(key) {
		case "model name", "cpu model", "uarch", "cpu":
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}
