package poolwatch

// config is what the command wants of this process, in the environment variable
// POOLCHECK_WATCH: words with semicolons between, some followed by = and a list
// with commas between.
var config struct {
	records bool   // overwrite nothing, reuse objects early, and learn what belongs to them
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
		switch key := cut(&word, '='); key {
		case "records":
			config.records = true
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
func selects(name string) bool {
	return !config.records && config.guard == "" && (config.only == "" || has(config.only, name)) && !has(config.not, name)
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
