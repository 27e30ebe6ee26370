package poolwatch

// config is what the command wants of this process, in the environment variable
// POOLCHECK_WATCH: words with semicolons between, some followed by = and a list
// with commas between.
var config configuration

type configuration struct {
	records bool   // note what belongs to objects, and overwrite nothing
	late    bool   // reuse an object only after many others have been put
	only    string // overwrite at these places only; - stands for none
	not     string // do not overwrite at these places
	own     string // fields of places that belong to the object, as name.0
	deny    string // fields of places that do not
	guard   string // the place where Put makes memory inaccessible
	typ     string // the type that is put there
}

// configure reads the configuration and reports whether there is one.
func configure(s string) bool {
	if s == "" {
		return false
	}
	for s != "" {
		word := cut(&s, ';')
		key := cut(&word, '=')
		switch key {
		case "records":
			config.records = true
		case "late":
			config.late = true
		case "only":
			config.only = "," + word + ","
		case "not":
			config.not = "," + word + ","
		case "own":
			config.own = "," + word + ","
		case "deny":
			config.deny = "," + word + ","
		case "guard":
			config.guard = word
		case "type":
			config.typ = word
		}
	}
	return true
}

// selects reports whether what is put at a place is overwritten.
func (c *configuration) selects(name string) bool {
	if c.records || c.guard != "" || c.only != "" && !has(c.only, name) {
		return false
	}
	return !has(c.not, name)
}

func (c *configuration) owned(name string, field int) bool {
	return has(c.own, fieldName(name, field))
}

func (c *configuration) denied(name string, field int) bool {
	return has(c.deny, fieldName(name, field))
}

func fieldName(name string, field int) string {
	return string(appendInt(append([]byte(name), '.'), field))
}

// has reports whether a list, which begins and ends with a comma, has a word.
func has(list, word string) bool {
	n := len(word)
	for i := 0; i+n+1 < len(list); i++ {
		if list[i] == ',' && list[i+n+1] == ',' && list[i+1:i+n+1] == word {
			return true
		}
	}
	return false
}

// cut removes what is up to the first sep from s and returns it without sep.
func cut(s *string, sep byte) string {
	all := *s
	for i := range len(all) {
		if all[i] == sep {
			*s = all[i+1:]
			return all[:i]
		}
	}
	*s = ""
	return all
}
