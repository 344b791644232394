// SPDX-License-Identifier: Apache-2.0

// Package main is klauspost/reedsolomon behind C functions, for stripeline-bench to load.
//
// One call codes many stripes: crossing from C into Go costs what a Go program does not pay.
package main

import "C"

import (
	"runtime"
	"runtime/cgo"
	"runtime/debug"
	"unsafe"

	"github.com/klauspost/reedsolomon"
)

// coder is one encoder with the units that its stripes give and ask for.
type coder struct {
	encoder reedsolomon.Encoder
	encode  bool
	sources []int
	targets []int
	shards  [][]byte
}

var version = C.CString(describe())

func describe() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/klauspost/reedsolomon" {
				return module.Version + " by " + runtime.Version()
			}
		}
	}
	return "of unknown version by " + runtime.Version()
}

// KlauspostVersion names the library and the compiler.
//
//export KlauspostVersion
func KlauspostVersion() *C.char {
	return version
}

// KlauspostOpen makes a coder that writes targets from sources, or returns 0 where the library
// refuses the shape.
//
//export KlauspostOpen
func KlauspostOpen(
	data, parity C.int,
	sources *C.int, sourceCount C.int,
	targets *C.int, targetCount C.int,
) C.longlong {
	// One goroutine: threads are the bench's, as for every engine. Cauchy: Hadoop's matrix.
	encoder, err := reedsolomon.New(int(data), int(parity),
		reedsolomon.WithCauchyMatrix(), reedsolomon.WithMaxGoroutines(1))
	if err != nil {
		return 0
	}
	made := &coder{
		encoder: encoder,
		sources: units(sources, sourceCount),
		targets: units(targets, targetCount),
		shards:  make([][]byte, int(data+parity)),
	}
	made.encode = made.targets[0] >= int(data)
	return C.longlong(cgo.NewHandle(made))
}

func units(first *C.int, count C.int) []int {
	var list []int
	for _, unit := range unsafe.Slice(first, int(count)) {
		list = append(list, int(unit))
	}
	return list
}

// KlauspostClose lets go of a coder.
//
//export KlauspostClose
func KlauspostClose(handle C.longlong) {
	cgo.Handle(handle).Delete()
}

// KlauspostRun codes a stripe in each of `calls` calls, beginning with stripe `first`; stripe 0
// follows the last one. It returns 0 if no call failed.
//
//export KlauspostRun
func KlauspostRun(
	handle C.longlong,
	base *C.uchar, cellBytes, cellStride, stripeStride, stripes, first, calls C.longlong,
) C.int {
	coder := cgo.Handle(handle).Value().(*coder)
	index := int(first)
	for call := 0; call < int(calls); call++ {
		stripe := unsafe.Add(unsafe.Pointer(base), index*int(stripeStride))
		if coder.code(stripe, int(cellBytes), int(cellStride)) != nil {
			return 1
		}
		if index++; index == int(stripes) {
			index = 0
		}
	}
	return 0
}

func (coder *coder) code(stripe unsafe.Pointer, cellBytes, cellStride int) error {
	for _, unit := range coder.sources {
		coder.shards[unit] = unsafe.Slice((*byte)(unsafe.Add(stripe, unit*cellStride)), cellBytes)
	}
	for _, unit := range coder.targets {
		coder.shards[unit] = unsafe.Slice((*byte)(unsafe.Add(stripe, unit*cellStride)), cellBytes)
	}
	if coder.encode {
		return coder.encoder.Encode(coder.shards)
	}
	for _, unit := range coder.targets {
		// No length but room: the library decodes into it.
		coder.shards[unit] = coder.shards[unit][:0]
	}
	return coder.encoder.ReconstructData(coder.shards)
}

func main() {}
