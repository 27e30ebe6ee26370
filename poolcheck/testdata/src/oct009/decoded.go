package oct009

import (
	"encoding/json"
	"errors"
	"io"
	"sync"
)

type order struct {
	Item string   `json:"item"`
	Tags []string `json:"tags"`
	Note []byte   `json:"note"`
}

var orders = sync.Pool{New: func() any { return new(order) }}

// bad: an order without tags has those of an earlier one.
func acceptOrder(r io.Reader, accept func(item string, tags []string) error) error {
	o := orders.Get().(*order) // want "OCT009: .*o.*"
	defer orders.Put(o)
	if err := json.NewDecoder(r).Decode(o); err != nil {
		return err
	}
	if o.Item == "" {
		return errors.New("no item")
	}
	return accept(o.Item, o.Tags)
}

type offer struct {
	Price int    `json:"price"`
	Note  []byte `json:"note"`
}

var offers = sync.Pool{New: func() any { return &offer{Price: 1} }}

// ok: the offer is emptied before.
func acceptOffer(p []byte) (int, error) {
	o := offers.Get().(*offer)
	defer offers.Put(o)
	*o = offer{Note: o.Note[:0]}
	err := json.Unmarshal(p, o)
	return o.Price, err
}

type refusal struct {
	Reason []byte `json:"reason"`
}

var refusals = sync.Pool{New: func() any { return new(refusal) }}

func putRefusal(r *refusal) {
	r.Reason = r.Reason[:0]
	refusals.Put(r)
}

// ok: the refusal is emptied after.
func acceptRefusal(p []byte) (string, error) {
	r := refusals.Get().(*refusal)
	defer putRefusal(r)
	err := json.Unmarshal(p, r)
	return string(r.Reason), err
}

type receipt struct {
	Sum  int    `json:"sum"`
	Note []byte `json:"note"`
}

var receipts = sync.Pool{New: func() any { return new(receipt) }}

// ok: other code may empty the receipt.
func acceptReceipt(p []byte, empty func(any)) (int, error) {
	r := receipts.Get().(*receipt)
	defer receipts.Put(r)
	empty(r)
	err := json.Unmarshal(p, r)
	return r.Sum, err
}
