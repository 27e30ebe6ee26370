package octetprom

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
	"github.com/prometheus/client_golang/prometheus"
)

// TestAlerts has promtool check and test the rules.
func TestAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		testenv.Missing(t, "promtool, of Debian's package prometheus")
	}
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestAlertsNameMetrics sees that the rules use metrics that the collector has.
func TestAlertsNameMetrics(t *testing.T) {
	rules, err := os.ReadFile("alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	has := described(newCollector())
	names := regexp.MustCompile(`octet_\w+`).FindAllString(string(rules), -1)
	if len(names) < 10 {
		t.Fatalf("the rules name %q", names)
	}
	for _, name := range names {
		if !has[name] {
			t.Errorf("the rules name %s, which is no metric", name)
		}
	}
}

// described returns the names of the metrics of a collector.
func described(c *collector) map[string]bool {
	ch := make(chan *prometheus.Desc, 200)
	c.Describe(ch)
	close(ch)
	names := make(map[string]bool)
	for d := range ch {
		names[regexp.MustCompile(`octet_\w+`).FindString(d.String())] = true
	}
	return names
}
