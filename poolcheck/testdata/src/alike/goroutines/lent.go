package goroutines

import (
	"net"
)

type link struct {
	conn net.Conn
	errs chan error
}

func (l *link) writeBeside(p []byte) {
	go func() {
		_, err := l.conn.Write(p)
		l.errs <- err
	}()
}
