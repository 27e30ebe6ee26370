// Package bug keeps the cookies of a client, by host.
package bug

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"time"
)

// A Cookie comes from a pool and goes back with ReleaseCookie.
type Cookie struct {
	key, value   []byte
	domain, path []byte
	expire       time.Time
	secure       bool
}

var cookiePool = sync.Pool{New: func() any { return new(Cookie) }}

func AcquireCookie() *Cookie { return cookiePool.Get().(*Cookie) }

func ReleaseCookie(c *Cookie) {
	c.Reset()
	cookiePool.Put(c)
}

func (c *Cookie) Reset() {
	c.key, c.value = c.key[:0], c.value[:0]
	c.domain, c.path = c.domain[:0], c.path[:0]
	c.expire = time.Time{}
	c.secure = false
}

func (c *Cookie) SetKey(key string)          { c.key = append(c.key[:0], key...) }
func (c *Cookie) SetKeyBytes(key []byte)     { c.key = append(c.key[:0], key...) }
func (c *Cookie) SetValue(value string)      { c.value = append(c.value[:0], value...) }
func (c *Cookie) SetValueBytes(value []byte) { c.value = append(c.value[:0], value...) }
func (c *Cookie) SetDomain(domain string)    { c.domain = append(c.domain[:0], domain...) }

// CopyTo makes c a copy of src.
func (c *Cookie) CopyTo(src *Cookie) {
	c.Reset()
	c.key = append(c.key, src.key...)
	c.value = append(c.value, src.value...)
	c.domain = append(c.domain, src.domain...)
	c.path = append(c.path, src.path...)
	c.expire = src.expire
	c.secure = src.secure
}

// A Request is what the cookies are for.
type Request struct {
	host, path []byte
	secure     bool
	header     bytes.Buffer
}

func (r *Request) setCookie(key, value []byte) {
	r.header.Write(key)
	r.header.WriteByte('=')
	r.header.Write(value)
	r.header.WriteString("; ")
}

// A CookieJar stores cookies. It keeps copies of what it is given, and gives
// copies, which belong to the caller.
type CookieJar struct {
	mu     sync.Mutex
	byHost map[string][]*Cookie
}

// Get returns the cookies for a request. The caller releases them.
func (j *CookieJar) Get(r *Request) []*Cookie {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	var found []*Cookie
	for domain, stored := range j.byHost {
		if !strings.HasSuffix(string(r.host), domain) {
			continue
		}
		left := stored[:0]
		for _, c := range stored {
			if !c.expire.IsZero() && c.expire.Before(now) {
				ReleaseCookie(c)
				continue
			}
			left = append(left, c)
			if !bytes.HasPrefix(r.path, c.path) || c.secure && !r.secure {
				continue
			}
			nc := AcquireCookie()
			nc.CopyTo(c)
			found = append(found, nc)
		}
		if len(left) == 0 {
			delete(j.byHost, domain)
		} else {
			j.byHost[domain] = left
		}
	}
	return found
}

// SetAll stores copies of cookies for a host.
func (j *CookieJar) SetAll(host string, cookies ...*Cookie) {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(host)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.byHost == nil {
		j.byHost = make(map[string][]*Cookie)
	}
	for _, c := range cookies {
		own := search(c.key, c.path, j.byHost[host])
		if own == nil {
			own = AcquireCookie()
			j.byHost[host] = append(j.byHost[host], own)
		}
		own.CopyTo(c)
		own.SetDomain(host)
	}
}

func search(key, path []byte, cookies []*Cookie) *Cookie {
	for _, c := range cookies {
		if bytes.Equal(c.key, key) && bytes.Equal(c.path, path) {
			return c
		}
	}
	return nil
}

// SetPair stores a cookie that has nothing but a key and a value.
func (j *CookieJar) SetPair(host, key, value string) {
	c := AcquireCookie()
	c.SetKey(key)
	c.SetValue(value)

	j.SetAll(host, c)
}

// SetPairBytes does the same for bytes.
func (j *CookieJar) SetPairBytes(host string, key, value []byte) {
	c := AcquireCookie()
	c.SetKeyBytes(key)
	c.SetValueBytes(value)

	j.SetAll(host, c)
}

// Attach gives the request its cookies.
func (j *CookieJar) Attach(r *Request) {
	for _, c := range j.Get(r) {
		r.setCookie(c.key, c.value)
		ReleaseCookie(c)
	}
}

// Release empties the jar.
func (j *CookieJar) Release() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, cookies := range j.byHost {
		for _, c := range cookies {
			ReleaseCookie(c)
		}
	}
	clear(j.byHost)
}
