package reader_test

import (
	"fmt"

	"github.com/naiber/naiber/personas/health/reader"
)

func ExampleRead() {
	energy := reader.Question{ID: "energy", Kind: reader.Scale, Min: 1, Max: 10}
	for _, said := range []string{"Ten! No, say nine.", "Oh, not so bad.", "I'd rather not say."} {
		r := reader.Read(energy, said, reader.Context{})
		fmt.Printf("%s settled=%t value=%q quote=%q\n", r.Status, r.Settled, r.Value, r.Quote)
	}
	// Output:
	// answered settled=true value="9" quote="nine"
	// unclear settled=false value="" quote=""
	// refused settled=true value="" quote="I'd rather not say"
}
