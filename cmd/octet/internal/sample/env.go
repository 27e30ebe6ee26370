package sample

// Env is where and how a run was made.
type Env struct {
	Time       string            `json:"time"` // RFC 3339, UTC
	CPU        string            `json:"cpu"`
	Cores      int               `json:"cores"`
	GOMAXPROCS int               `json:"gomaxprocs"`
	GOOS       string            `json:"goos"`
	GOARCH     string            `json:"goarch"`
	Go         string            `json:"go"`
	Octet      string            `json:"octet"`   // the version of this module, with the commit where it is known
	Modules    map[string]string `json:"modules"` // the versions of all others
	Command    string            `json:"command"` // without the directories of absolute paths
}
