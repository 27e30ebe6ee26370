package poolwatch

import "internal/stringslite"

// What the command wants of this process is in the environment variable POOLCHECK_WATCH:
// words with semicolons between, some followed by = and a list with commas between.
//
//	records  overwrite nothing, reuse objects early, and learn what belongs to them
//	plants   with records: write at Get what shows whether it is overwritten
//	only     overwrite at these places only; - stands for none
//	not      do not overwrite at these places
//	own      fields of places that belong to the object, as name.0
//	deny     fields of places that do not
//	guard    the place where Put makes memory inaccessible
//	type     the type that is put there
var wish string

// What is asked often.
var (
	records, plants    bool
	guarded, guardType string
)

func configure() {
	wish = ";" + getenv("POOLCHECK_WATCH") + ";"
	records, plants = stringslite.Index(wish, ";records;") >= 0, stringslite.Index(wish, ";plants;") >= 0
	guarded, guardType = option("guard"), option("type")
}

// option returns what follows a word and its =, "" if the word is not there.
func option(word string) string {
	_, rest, _ := stringslite.Cut(wish, ";"+word+"=")
	value, _, _ := stringslite.Cut(rest, ";")
	return value
}

// listed reports whether a name is in the list that is an option.
func listed(word, name string) bool {
	return stringslite.Index(","+option(word)+",", ","+name+",") >= 0
}
