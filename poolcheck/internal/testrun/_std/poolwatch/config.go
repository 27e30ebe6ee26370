package poolwatch

import "internal/stringslite"

// What is wanted of this process is in an environment variable: words, some followed by = and a value. poolcheck test
// sets POOLCHECK_WATCH, with lines between the words, since types have commas and semicolons:
//
//	records  overwrite nothing, reuse objects early, and learn what belongs to them
//	plants   with records: write at Get what shows whether it is overwritten
//	only     overwrite at these places only; - stands for none
//	not      do not overwrite at these places
//	own      fields of places that belong to the object, as name.0
//	deny     fields of places that do not
//	guard    the place where Put makes memory inaccessible
//	type     the type that is put there
//
// Who runs a program of poolcheck build may set POOLCHECK, with commas between the words: see sample.go.
var wish, between string

// What is asked often.
var (
	records, plants    bool
	guarded, guardType string
)

func configure() {
	between = "\n"
	wish = between + getenv("POOLCHECK_WATCH") + between
	records, plants = stringslite.Index(wish, "\nrecords\n") >= 0, stringslite.Index(wish, "\nplants\n") >= 0
	guarded, guardType = option("guard"), option("type")
}

// option returns what follows a word and its =, "" if the word is not there.
func option(word string) string {
	_, rest, _ := stringslite.Cut(wish, between+word+"=")
	value, _, _ := stringslite.Cut(rest, between)
	return value
}

// listed reports whether a name is in the list, with commas between, that is an option.
func listed(word, name string) bool {
	return stringslite.Index(","+option(word)+",", ","+name+",") >= 0
}
