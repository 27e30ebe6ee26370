// Package protocol is what poolcheck and a process that it watches tell each other. The
// overlay adds a copy of this file to the standard library, so that it imports nothing.
package protocol

// SetupVariable is what poolcheck test sets in the environment of a test binary: a Setup.
const SetupVariable = "POOLCHECK_WATCH"

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

	Report string // the file for what is found; of test binaries the folder for their reports
	Every  string // behind a place's first calls, one in so many is watched
	Then   string // exit ends the program with the first finding
}

// Nowhere is no place's name. As the only one in Setup.Only it stands for no place at all.
const Nowhere = "-"

// options are the options of a setup by their names: each is one value or a list.
func (s *Setup) options() []option {
	return []option{
		{"mode", (*string)(&s.Mode), nil}, {"place", &s.Place, nil}, {"type", &s.Type, nil},
		{"only", nil, &s.Only}, {"not", nil, &s.Not}, {"own", nil, &s.Own}, {"deny", nil, &s.Deny},
		{"every", &s.Every, nil}, {"report", &s.Report, nil}, {"then", &s.Then, nil},
	}
}

type option struct {
	name  string
	value *string
	list  *[]string
}

// String returns a setup as ParseSetup reads it, with newlines: types have commas and semicolons.
func (s *Setup) String() (text string) {
	for _, o := range s.options() {
		values := []string(nil)
		if o.list != nil {
			values = *o.list
		} else if *o.value != "" {
			values = append(values, *o.value)
		}
		for _, v := range values {
			text += o.name + "=" + v + "\n"
		}
	}
	return text
}

// ParseSetup reads a setup: options with newlines or commas between.
func ParseSetup(text string, between byte) *Setup {
	s := new(Setup)
	for text != "" {
		var name, value string
		value, text = cut(text, between)
		name, value = cut(value, '=')
		for _, o := range s.options() {
			switch {
			case o.name != name:
			case o.list != nil:
				*o.list = append(*o.list, value)
			default:
				*o.value = value
			}
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
	Write   = "write"   // place, field or -, path in the object
	Access  = "access"  // place, stack of the access to memory that Guard has made inaccessible
	Owned   = "owned"   // field, as name.0, that belongs to its object
	Foreign = "foreign" // field that does not
	Unsure  = "unsure"  // field of which that is not known
	End     = "end"     // calls of Put; objects not watched to the end
)

// AppendLine appends a line of a report.
func AppendLine(to []byte, kind string, words ...string) []byte {
	to = append(to, kind...)
	for _, w := range words {
		to = append(append(to, '\t'), w...)
	}
	return append(to, '\n')
}
