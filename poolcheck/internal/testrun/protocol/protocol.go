// Package protocol is what poolcheck and a process that it watches tell each other. The
// overlay adds a copy of this file to the standard library, so that it imports nothing.
package protocol

// What poolcheck test sets in the environment of a test binary.
const (
	SetupVariable  = "POOLCHECK_WATCH"     // a Setup
	FolderVariable = "POOLCHECK_WATCH_DIR" // where each process writes its report
)

// SettingsVariable is what users set in the environment of a program of poolcheck build:
// options with commas between.
const SettingsVariable = "POOLCHECK"

// Extension ends the names of report files.
const Extension = ".report"

// A Mode says what the pools of a test binary do.
type Mode string

// The modes. Poison, Races and Guard keep what is put from being reused soon.
const (
	Records Mode = "records" // overwrite nothing, reuse early, and learn what belongs to objects
	Plants  Mode = "plants"  // as Records, and write at Get what shows whether it is overwritten
	Poison  Mode = "poison"  // overwrite idle memory
	Races   Mode = "races"   // tell the race detector that Put writes the object, and overwrite nothing
	Guard   Mode = "guard"   // make the memory that is put at one place inaccessible
)

// A Setup says how the pools of a test binary behave.
type Setup struct {
	Mode      Mode
	Only, Not []string // Poison: the places to overwrite, all if there are none; and those not to
	Own, Deny []string // fields, as name.0, that belong to their objects, and that do not
	Place     string   // Guard: the place
	Type      string   // Guard: the type of what is put there
}

// Nowhere is no place's name. As the only one in Setup.Only it stands for no place at all.
const Nowhere = "-"

// String returns a setup as ParseSetup reads it: a line for each option. Types have commas and semicolons.
func (s *Setup) String() string {
	text := "mode=" + string(s.Mode) + "\nplace=" + s.Place + "\ntype=" + s.Type
	for _, list := range []struct {
		key   string
		names []string
	}{{"only", s.Only}, {"not", s.Not}, {"own", s.Own}, {"deny", s.Deny}} {
		for _, name := range list.names {
			text += "\n" + list.key + "=" + name
		}
	}
	return text
}

// ParseSetup reads a setup.
func ParseSetup(text string) *Setup {
	s := new(Setup)
	for key, value := range Options(text, '\n') {
		switch key {
		case "mode":
			s.Mode = Mode(value)
		case "place":
			s.Place = value
		case "type":
			s.Type = value
		case "only":
			s.Only = append(s.Only, value)
		case "not":
			s.Not = append(s.Not, value)
		case "own":
			s.Own = append(s.Own, value)
		case "deny":
			s.Deny = append(s.Deny, value)
		}
	}
	return s
}

// Options iterates over the options of a text: keys, each with = and a value, or without.
func Options(text string, between byte) func(yield func(key, value string) bool) {
	return func(yield func(key, value string) bool) {
		start, equals := 0, -1
		for i := 0; i <= len(text); i++ {
			switch {
			case i == len(text) || text[i] == between:
				key, value := text[start:i], ""
				if equals >= 0 {
					key, value = text[start:equals], text[equals+1:i]
				}
				if !yield(key, value) {
					return
				}
				start, equals = i+1, -1
			case text[i] == '=' && equals < 0:
				equals = i
			}
		}
	}
}

// A report is lines of words with tabs between. The first word is a kind, and those behind
// it are given here. A stack is three words for each call: function, file and line.
const (
	Place   = "place"   // name, type, stack of the Put
	Double  = "double"  // place, stack of the second Put
	Write   = "write"   // place, field or -, path in the object, byte, length of its slice or 0
	Access  = "access"  // place, stack of the access to memory that Guard has made inaccessible
	Owned   = "owned"   // field, as name.0, that belongs to its object
	Foreign = "foreign" // field that does not
	Unsure  = "unsure"  // field of which that is not known
	End     = "end"     // calls of Put; of these of what has no memory in the heap; objects not watched to the end
)

// AppendLine appends a line of a report.
func AppendLine(to []byte, kind string, words ...string) []byte {
	to = append(to, kind...)
	for _, w := range words {
		to = append(append(to, '\t'), w...)
	}
	return append(to, '\n')
}
