package buffer_test

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

func TestFileMap(t *testing.T) { testenv.WantFileMap(t) }
