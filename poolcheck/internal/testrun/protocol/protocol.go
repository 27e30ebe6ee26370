// Package protocol is what poolcheck and a process that it watches tell each other. The
// overlay adds a copy of this file to the standard library, so that it imports nothing.
package protocol

// What poolcheck test sets in the environment of a test binary.
const (
	SetupVariable  = "POOLCHECK_WATCH"     // a Setup
	FolderVariable = "POOLCHECK_WATCH_DIR" // where each process writes its report
)

// SettingsVariable is what users set in the environment of a program of poolcheck build: a
// Setup with commas between, or off.
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

// A Setup says how pools behave: those of a test binary, or, by its last three fields, those
// of a program of poolcheck build.
type Setup struct {
	Mode      Mode
	Only, Not []string // Poison: the places to overwrite, all if there are none; and those not to
	Own, Deny []string // fields, as name.0, that belong to their objects, and that do not
	Place     string   // Guard: the place
	Type      string   // Guard: the type of what is put there

	Every  string // behind a place's first calls, one in so many is watched
	Report string // the file for what is found
	Then   string // exit ends the program with the first finding
}

// Nowhere is no place's name. As the only one in Setup.Only it stands for no place at all.
const Nowhere = "-"

// String returns the setup of a test binary as ParseSetup reads it: a line for each option. Types have commas and
// semicolons.
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

// ParseSetup reads a setup: options with newlines or commas between.
func ParseSetup(text string, between byte) *Setup {
	s := new(Setup)
	for text != "" {
		var option string
		option, text = cut(text, between)
		switch key, value := cut(option, '='); key {
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
		case "every":
			s.Every = value
		case "report":
			s.Report = value
		case "then":
			s.Then = value
		}
	}
	return s
}

// cut returns what is before the first separator and what is behind it.
func cut(s string, separator byte) (before, after string) {
	for i := range len(s) {
		if s[i] == separator {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
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
