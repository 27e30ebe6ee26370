package check

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Config is a choice of settings.
type Config struct {
	Mode         Mode
	OneIn        int  // mode sample: one request in OneIn is sampled; 0 means 1024
	GuardSampled bool // mode sample: half of the sampled slices are guarded
	Foreign      bool // report the release of slices that the pool did not hand out
	MaxGuarded   int  // mode guard: bound on guarded slices in use; 0 means what the system allows
	Action       Action
	Fill         Fill // mode full
}

// A Mode says how much is checked.
type Mode uint32

const (
	Off    Mode = iota
	Sample      // one slice in Config.OneIn is tracked
	Full        // every slice is
	Guard       // every slice is, and has a mapping of its own
)

var modeNames = [...]string{"off", "sample", "full", "guard"}

func (m Mode) String() string { return modeNames[m] }

// An Action says what a broken rule does. A leak is always logged.
type Action uint8

const (
	ActionDefault Action = iota // panic; log in mode sample
	ActionPanic
	ActionLog
)

// DefaultOneIn is the default of Config.OneIn.
const DefaultOneIn = 1024

// complete fills in defaults, and says what is wrong in the words of package
// checked.
func (c *Config) complete() error {
	switch {
	case c.Mode > Guard:
		return errors.New("checked: Mode is " + strconv.Itoa(int(c.Mode)) + ", which is unknown: use Off, Sample, Full or Guard")
	case c.OneIn < 0:
		return errors.New("checked: OneIn is " + strconv.Itoa(c.OneIn) + ": use 1 or more, or 0 for " + strconv.Itoa(DefaultOneIn))
	case c.MaxGuarded < 0:
		return errors.New("checked: MaxGuarded is " + strconv.Itoa(c.MaxGuarded) + ": use 1 or more, or 0 for what the system allows")
	case c.Action > ActionLog:
		return errors.New("checked: Action is " + strconv.Itoa(int(c.Action)) + ", which is unknown: use Default, Panic or Log")
	}
	if c.OneIn == 0 {
		c.OneIn = DefaultOneIn
	}
	if c.Action == ActionDefault {
		c.Action = ActionPanic
	}
	return nil
}

// Parse reads a configuration as OCTETDEBUG has it: key=value, separated by
// commas. Keys that are not there keep their defaults.
func Parse(s string) (c Config, err error) {
	for field := range strings.SplitSeq(s, ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		key, value, _ := strings.Cut(field, "=")
		if err := c.parse(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

func (c *Config) parse(key, value string) (err error) {
	var n int
	switch key {
	case "check":
		n, err = oneOf(key, value, modeNames[:]...)
		c.Mode = Mode(n)
	case "sample":
		c.OneIn, err = number(key, value)
	case "faults":
		n, err = oneOf(key, value, "off", "on")
		c.GuardSampled = n == 1
	case "foreign":
		n, err = oneOf(key, value, "allow", "report")
		c.Foreign = n == 1
	case "live":
		c.MaxGuarded, err = number(key, value)
	case "action":
		n, err = oneOf(key, value, "panic", "log")
		c.Action = ActionPanic + Action(n)
	case "fill":
		c.Fill, err = parseFill(value)
	default:
		return errors.New(short(key) + " is unknown: use check, sample, faults, foreign, live, action or fill")
	}
	return err
}

// oneOf returns the index of value among words.
func oneOf(key, value string, words ...string) (int, error) {
	for i, w := range words {
		if value == w {
			return i, nil
		}
	}
	last := len(words) - 1
	return 0, errors.New(key + "=" + short(value) + " is unknown: use " + strings.Join(words[:last], ", ") + " or " + words[last])
}

// short returns s, or the beginning of one that is too long for a message.
func short(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

func number(key, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, errors.New(key + "=" + short(value) + " is not a number of at least 1")
	}
	return n, nil
}

// A Fill is for poolcheck test, which looks for the place that makes a test fail in mode full. It is the numbers of
// places, from First to Last: slices that are acquired or released there are filled with the pattern. Those that are
// acquired elsewhere are cleared, and those that are released elsewhere keep their content. So halving the numbers
// leads to one place, which is then reported. If it is not On, all that is released is filled, and nothing else.
type Fill struct {
	On          bool
	First, Last uint16
}

// parseFill reads two numbers in hexadecimal.
func parseFill(value string) (Fill, error) {
	first, last, _ := strings.Cut(value, "-")
	a, err := strconv.ParseUint(first, 16, 16)
	b, err2 := strconv.ParseUint(last, 16, 16)
	if err != nil || err2 != nil {
		return Fill{}, errors.New("fill=" + short(value) + " is not two numbers of four hexadecimal digits with - between")
	}
	return Fill{true, uint16(a), uint16(b)}, nil
}
