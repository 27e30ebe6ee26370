// Package fixed watches which nodes of two clusters have which partitions, and
// restarts a replication when that changes.
package fixed

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// A nodeMap has the partitions of each node.
type nodeMap map[string][]uint16

type nodeMapPool struct{ pool sync.Pool }

func newNodeMapPool() *nodeMapPool {
	return &nodeMapPool{pool: sync.Pool{New: func() any { m := make(nodeMap); return &m }}}
}

func (p *nodeMapPool) get() *nodeMap { return p.pool.Get().(*nodeMap) }

func (p *nodeMapPool) put(m *nodeMap) {
	clear(*m)
	p.pool.Put(m)
}

// An update is what all subscribers of a feed get. Each of them releases
// it when it has read it, and the last one gives its map back.
type update struct {
	pool    *nodeMapPool
	readers atomic.Int32
	nodes   *nodeMap
	bucket  string
}

func (n *update) release() {
	if n.readers.Add(-1) != 0 {
		return
	}
	n.pool.put(n.nodes)
	n.nodes = nil
}

// partitions returns the node of each partition.
func (n *update) partitions() map[uint16]string {
	of := make(map[uint16]string)
	for node, list := range *n.nodes {
		for _, p := range list {
			of[p] = node
		}
	}
	return of
}

// A feed tells its subscribers of the nodes of one bucket.
type feed struct {
	pool *nodeMapPool

	mu          sync.Mutex
	subscribers map[string]chan *update
}

func newFeed(pool *nodeMapPool) *feed {
	return &feed{pool: pool, subscribers: make(map[string]chan *update)}
}

func (f *feed) subscribe(name string) <-chan *update {
	ch := make(chan *update, 8)
	f.mu.Lock()
	f.subscribers[name] = ch
	f.mu.Unlock()
	return ch
}

// unsubscribe also releases what the subscriber has not read.
func (f *feed) unsubscribe(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ch := f.subscribers[name]
	delete(f.subscribers, name)
	for {
		select {
		case n := <-ch:
			n.release()
		default:
			return
		}
	}
}

func (f *feed) publish(nodes nodeMap, bucket string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.subscribers) == 0 {
		return
	}
	n := &update{pool: f.pool, nodes: f.pool.get(), bucket: bucket}
	maps.Copy(*n.nodes, nodes)
	n.readers.Store(int32(len(f.subscribers)))
	for _, ch := range f.subscribers {
		select {
		case ch <- n:
		default:
			n.release()
		}
	}
}

var (
	errSourceChanged = errors.New("the source topology has changed")
	errTargetChanged = errors.New("the target topology has changed")
	errDetached      = errors.New("all pipelines are detached")
)

// A pipeline is what runs a replication.
type pipeline interface {
	stopped() bool
	partitions() []uint16

	// restart returns errDetached if there is nothing to restart any more.
	restart(why error) error

	// sameCluster asks the target whether it is the cluster that it was.
	sameCluster() (bool, error)
}

type detector struct {
	name           string
	source, target *feed
	pipeline       pipeline
	bucket         string
	quit           chan struct{}
	warn           func(error)

	original []uint16          // the partitions when the pipeline began
	placed   map[uint16]string // where they were on the target
}

func (d *detector) start() {
	d.original = slices.Sorted(slices.Values(d.pipeline.partitions()))
	d.watchSource()
	d.watchTarget()
}

func (d *detector) watchSource() {
	news := d.source.subscribe(d.name)
	go func() {
		defer d.source.unsubscribe(d.name)
		for {
			select {
			case <-d.quit:
				return
			case n := <-news:
				if d.pipeline.stopped() {
					n.release()
					return
				}
				var supposed []uint16
				for _, list := range *n.nodes {
					supposed = append(supposed, list...)
				}
				slices.Sort(supposed)
				var why error
				if !slices.Equal(supposed, d.original) {
					why = errSourceChanged
				}
				n.release()
				if err := d.handle(why); err == errDetached {
					return
				}
			}
		}
	}()
}

func (d *detector) watchTarget() {
	news := d.target.subscribe(d.name)
	go func() {
		defer d.target.unsubscribe(d.name)

		// The first one says how it is in the beginning.
		select {
		case <-d.quit:
			return
		case first := <-news:
			d.placed = first.partitions()
			first.release()
		}

		for {
			select {
			case <-d.quit:
				return
			case n := <-news:
				if d.pipeline.stopped() {
					n.release()
					return
				}
				if d.bucket != "" && n.bucket != d.bucket {
					if d.checkCluster() {
						n.release()
						continue
					}
				}
				var why error
				now := n.partitions()
				for _, p := range d.original {
					if now[p] != d.placed[p] {
						why = errTargetChanged
					}
				}
				n.release()
				if err := d.handle(why); err == errDetached {
					return
				}
			}
		}
	}()
}

// checkCluster tells whether to wait for the next update, since the
// target cannot be asked, or is another one.
func (d *detector) checkCluster() bool {
	same, err := d.pipeline.sameCluster()
	if err != nil {
		d.warn(err)
		return true
	}
	return !same
}

func (d *detector) handle(why error) error {
	if why == nil {
		return nil
	}
	err := d.pipeline.restart(why)
	if err != nil && err != errDetached {
		d.warn(err)
	}
	return err
}
