package sample

// Env describes where and how a run was made.
type Env struct {
	Time       string            `json:"time"` // RFC 3339, UTC
	CPU        string            `json:"cpu"`
	Cores      int               `json:"cores"`
	GOMAXPROCS int               `json:"gomaxprocs"`
	GOOS       string            `json:"goos"`
	GOARCH     string            `json:"goarch"`
	Go         string            `json:"go"`
	Octet      string            `json:"octet"`   // its version, with the commit if known
	Modules    map[string]string `json:"modules"` // the versions of the other modules
	Command    string            `json:"command"` // absolute paths are cut to their last element
}
