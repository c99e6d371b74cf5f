package weights

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// examples are texts of two kinds besides none.
func examples() (all []Example) {
	for is, texts := range [][]string{
		{"the weather is mild", "the weather is cold", "the cat is asleep", "the bus is late"},
		{"my knee hurts badly", "my back hurts badly", "my knee hurts today", "my hand hurts a bit"},
		{"i slept very well", "i slept quite well", "i slept so well", "i slept well enough"},
	} {
		for _, text := range texts {
			all = append(all, Example{Features: Of(strings.Fields(text)).All, Is: is})
		}
	}
	return all
}

func TestLearnAndRead(t *testing.T) {
	t.Parallel()
	raw, err := Learn(examples(), Header{Kinds: []string{"", "pain", "sleep"}}, 0.001).File()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Learn(examples(), Header{Kinds: []string{"", "pain", "sleep"}}, 0.001).File()
	if err != nil || !slices.Equal(raw, again) {
		t.Errorf("the same examples give other weights (%v)", err)
	}
	w, err := read(raw)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"my foot hurts": 1, "i slept": 2, "the weather": 0} {
		p := w.Read(Of(strings.Fields(text)).All, nil)
		if best := slices.Index(p, slices.Max(p)); best != want {
			t.Errorf("%q is %q (%.2f), want %q", text, w.Kinds[best], p, w.Kinds[want])
		}
	}
	among := []bool{true, false, true}
	if p := w.Read(Of([]string{"my", "knee", "hurts"}).All, among); p[1] != 0 {
		t.Errorf("a kind that it may not be of has %.2f", p[1])
	}
	if parts := w.Parts(Of([]string{"oh", "my", "knee", "hurts"}).All, 1); len(parts) == 0 || parts[0].From == 0 {
		t.Errorf("what speaks for pain: %v", parts)
	}
	if !w.Learned(Hash('u', "hurts")) || w.Learned(Hash('u', "violin")) {
		t.Error("Learned does not tell what was learned")
	}
}

func FuzzRead(f *testing.F) {
	raw, err := Learn(examples(), Header{Kinds: []string{"", "pain", "sleep"}}, 0.001).File()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(raw[:len(raw)-1])
	f.Add([]byte("{}\n"))
	f.Fuzz(func(_ *testing.T, raw []byte) {
		if w, err := read(raw); err == nil {
			w.Read(Of([]string{"my", "knee", "hurts"}).All, nil)
		}
	})
}

func TestRowIsFoundWhereverItLies(t *testing.T) {
	t.Parallel()
	w := &Weights{Header: Header{Kinds: []string{""}}}
	for _, h := range []uint32{0, 1, 2, 3, 1000, 1 << 31, 1<<32 - 3, 1<<32 - 1} {
		w.rows = append(binary.LittleEndian.AppendUint32(w.rows, h), 1, 2)
	}
	for _, h := range []uint32{0, 1, 2, 3, 1000, 1 << 31, 1<<32 - 3, 1<<32 - 1} {
		if !w.Learned(h) {
			t.Errorf("%d is not found", h)
		}
	}
	for _, h := range []uint32{4, 999, 1001, 1<<31 - 1, 1<<32 - 2} {
		if w.Learned(h) {
			t.Errorf("%d is found", h)
		}
	}
}
