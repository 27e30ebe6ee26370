// Package fixed appends samples of series to a log, through pooled appenders of two
// kinds.
package fixed

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// An Appender takes samples until Commit or Rollback, after which it must not be
// used any more.
type Appender interface {
	Append(ref uint64, t int64, v float64) (uint64, error)
	SetOptions(discardOld bool)
	Commit() error
	Rollback() error
}

// An AppenderV2 takes samples with the times since when they count.
type AppenderV2 interface {
	Append(ref uint64, st, t int64, v float64) (uint64, error)
	Commit() error
	Rollback() error
}

type seriesEntry struct{ ref uint64 }

type sampleEntry struct {
	ref uint64
	t   int64
	v   float64
}

type series struct {
	ref    uint64
	lastTs int64
}

var errOutOfOrder = errors.New("out of order sample")

// A DB is a log of samples.
type DB struct {
	mtx    sync.RWMutex
	log    io.Writer
	series map[uint64]*series

	appenders   sync.Pool
	appendersV2 sync.Pool
	logBufs     sync.Pool
}

func Open(log io.Writer) *DB {
	db := &DB{log: log, series: make(map[uint64]*series)}
	db.logBufs.New = func() any { return make([]byte, 0, 1024) }
	db.appenders.New = func() any {
		return &appender{
			common: common{
				DB:          db,
				freshSeries: make([]seriesEntry, 0, 100),
				samples:     make([]sampleEntry, 0, 100),
			},
		}
	}
	db.appendersV2.New = func() any {
		return &appenderV2{
			common: common{
				DB:          db,
				freshSeries: make([]seriesEntry, 0, 100),
				samples:     make([]sampleEntry, 0, 100),
			},
		}
	}
	return db
}

func (db *DB) Appender() Appender {
	return db.appenders.Get().(Appender)
}

func (db *DB) AppenderV2() AppenderV2 {
	return db.appendersV2.Get().(AppenderV2)
}

// A common is what both kinds of appenders have.
type common struct {
	*DB

	freshSeries []seriesEntry
	samples     []sampleEntry
}

func (a *common) seriesOf(ref uint64) *series {
	a.mtx.Lock()
	defer a.mtx.Unlock()
	s := a.series[ref]
	if s == nil {
		s = &series{ref: ref}
		a.series[ref] = s
		a.freshSeries = append(a.freshSeries, seriesEntry{ref})
	}
	return s
}

// commit logs what is pending.
func (a *common) commit() error {
	err := a.logAll()
	a.drop()
	return err
}

// rollback drops the samples that are pending. Their series stay.
func (a *common) rollback() error {
	err := a.logSeries()
	a.drop()
	return err
}

func (a *common) logAll() error {
	if err := a.logSeries(); err != nil {
		return err
	}
	if len(a.samples) == 0 {
		return nil
	}
	a.mtx.RLock()
	defer a.mtx.RUnlock()
	buf := a.logBufs.Get().([]byte)
	for _, s := range a.samples {
		buf = binary.BigEndian.AppendUint64(buf, s.ref)
		buf = binary.BigEndian.AppendUint64(buf, uint64(s.t))
	}
	_, err := a.log.Write(buf)
	a.logBufs.Put(buf[:0])
	return err
}

func (a *common) logSeries() error {
	if len(a.freshSeries) == 0 {
		return nil
	}
	a.mtx.RLock()
	defer a.mtx.RUnlock()
	buf := a.logBufs.Get().([]byte)
	for _, s := range a.freshSeries {
		buf = binary.BigEndian.AppendUint64(buf, s.ref)
	}
	_, err := a.log.Write(buf)
	a.logBufs.Put(buf[:0])
	return err
}

func (a *common) drop() {
	a.freshSeries = a.freshSeries[:0]
	a.samples = a.samples[:0]
}

type appender struct {
	common

	discardOld bool
}

func (a *appender) SetOptions(discardOld bool) { a.discardOld = discardOld }

func (a *appender) Append(ref uint64, t int64, v float64) (uint64, error) {
	s := a.seriesOf(ref)
	if a.discardOld && t <= s.lastTs {
		return 0, errOutOfOrder
	}
	s.lastTs = t
	a.samples = append(a.samples, sampleEntry{ref, t, v})
	return s.ref, nil
}

func (a *appender) Commit() error {
	defer a.appenders.Put(a)
	return a.finish(a.commit())
}

func (a *appender) Rollback() error {
	defer a.appenders.Put(a)
	return a.finish(a.rollback())
}

func (a *appender) finish(err error) error {
	a.discardOld = false
	return err
}

type appenderV2 struct{ common }

func (a *appenderV2) Append(ref uint64, st, t int64, v float64) (uint64, error) {
	if st > t {
		return 0, errOutOfOrder
	}
	s := a.seriesOf(ref)
	a.samples = append(a.samples, sampleEntry{ref, t, v})
	return s.ref, nil
}

func (a *appenderV2) Commit() error {
	defer a.appendersV2.Put(a)
	return a.commit()
}

func (a *appenderV2) Rollback() error {
	defer a.appendersV2.Put(a)
	return a.rollback()
}

// scrape appends the value of a target.
func scrape(db *DB, ref uint64, t int64, v float64) error {
	app := db.Appender()
	app.SetOptions(true)
	if _, err := app.Append(ref, t, v); err != nil {
		return errors.Join(err, app.Rollback())
	}
	return app.Commit()
}

// receive appends what was sent with the time since when it counts.
func receive(db *DB, ref uint64, st, t int64, v float64) error {
	app := db.AppenderV2()
	if _, err := app.Append(ref, st, t, v); err != nil {
		return errors.Join(err, app.Rollback())
	}
	return app.Commit()
}
