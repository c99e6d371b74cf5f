package parts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of what is taken in.
const (
	maxValue     = 1 << 20 // bytes of JSON of one part
	maxNumber    = 40      // letters and digits
	maxSpelled   = 60      // and what stands between them
	maxName      = 300     // characters, as in what follows
	maxText      = 20_000
	maxLink      = 2000
	maxSymptoms  = 200
	maxSteps     = 200
	maxStep      = 2000
	maxSkipDepth = 200
)

// record is a part as the file has it; see docs/parts.md.
type record struct {
	Name        string   `json:"name"`
	Price       price    `json:"price,omitzero"`
	Description string   `json:"description"`
	ImageURL    string   `json:"image_url"`
	VideoURL    string   `json:"repair_video_url"`
	Symptoms    []string `json:"solves_symptoms"`
	Steps       []string `json:"steps,omitempty"`
}

// price is in cents. In JSON it is a number of dollars, or a text with one; where it is
// not known it is null, empty or missing.
type price int64

var amount = regexp.MustCompile(`^\$? ?(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.(\d{0,2})0*)?$`)

// UnmarshalJSON implements [json.Unmarshaler].
func (p *price) UnmarshalJSON(data []byte) error {
	text := string(data)
	if data[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		return nil
	}
	m := amount.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("price: %s is no amount such as 249.99", shown(text))
	}
	cents, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", "")+(m[2] + "00")[:2], 10, 64)
	*p = price(cents)
	return err
}

// MarshalJSON implements [json.Marshaler].
func (p price) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", p/100, p%100), nil
}

// RowError says what is wrong with a part of a file, or with a model.
type RowError struct {
	Path string // WDT780SAEM1.parts.PS3406971
	Err  error
}

// Error implements error.
func (e RowError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e RowError) Unwrap() error { return e.Err }

// reader reads the parts of a file one by one.
type reader struct {
	json    *json.Decoder
	budget  *budget
	invalid func(RowError)
	model   string // whose parts are read
	name    string // of the model, as the file spells it
	inside  place
}

type place int

const (
	atStart place = iota
	amongModels
	inModel
	amongParts
)

// budget bounds how much is read for one value, so that none fills the memory.
type budget struct {
	from io.Reader
	left int
}

var errTooLong = fmt.Errorf("a value is longer than %d bytes", maxValue)

// Read implements [io.Reader].
func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// newReader reads a file from from. invalid is told of what is wrong with it and left
// out.
func newReader(from io.Reader, invalid func(RowError)) *reader {
	b := &budget{from: from, left: maxValue}
	return &reader{json: json.NewDecoder(b), budget: b, invalid: invalid}
}

// next returns the next part, or a model, which has no number, or [io.EOF] at the end.
// Another error says where the file cannot be read on.
func (r *reader) next() (Part, error) {
	for {
		got, err := r.step()
		if err != nil && !errors.Is(err, io.EOF) {
			where := fmt.Sprintf("byte %d", r.json.InputOffset())
			if r.inside > amongModels {
				where += ", in " + shown(r.name)
			}
			return Part{}, fmt.Errorf("%s: %w", where, err)
		}
		if err != nil || got.Model != "" {
			return got, err
		}
	}
}

// step reads on by a token or a part. It returns the zero part for what is neither a
// part nor a model.
func (r *reader) step() (Part, error) {
	if r.inside == atStart {
		r.inside = amongModels
		return Part{}, r.open("the file is no object of models")
	}
	t, err := r.token()
	if err != nil {
		return Part{}, err
	}
	key, isKey := t.(string)
	if !isKey { // the object ends
		r.inside--
		if r.inside == atStart {
			return Part{}, r.end()
		}
		return Part{}, nil
	}
	switch r.inside {
	case amongModels:
		r.name = key
		return r.openModel()
	case inModel:
		if key != "parts" {
			return Part{}, r.skip()
		}
		return Part{}, r.openParts()
	default:
		return r.part(key)
	}
}

func (r *reader) token() (json.Token, error) {
	r.budget.left = maxValue
	t, err := r.json.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return t, err
}

func (r *reader) open(otherwise string) error {
	t, err := r.token()
	if err == nil && t != json.Delim('{') {
		err = errors.New(otherwise)
	}
	return err
}

// end returns [io.EOF] where nothing follows.
func (r *reader) end() error {
	r.budget.left = maxValue
	if _, err := r.json.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object of models")
	}
	return io.EOF
}

// openModel goes into a model, or past it where it is not right.
func (r *reader) openModel() (Part, error) {
	model, err := spelled(r.name)
	if err != nil {
		r.invalid(RowError{shown(r.name), err})
		return Part{}, r.skip()
	}
	opened, err := r.enter(shown(r.name))
	if err != nil || !opened {
		return Part{}, err
	}
	r.model, r.inside = model, inModel
	return Part{Model: model}, nil
}

func (r *reader) openParts() error {
	opened, err := r.enter(shown(r.name) + ".parts")
	if opened {
		r.inside = amongParts
	}
	return err
}

// enter goes into an object. What else stands there is told of and passed.
func (r *reader) enter(path string) (bool, error) {
	t, err := r.token()
	if err != nil || t == json.Delim('{') {
		return err == nil, err
	}
	r.invalid(RowError{path, errors.New("is no object")})
	return false, r.skipFrom(t)
}

// skip passes a value.
func (r *reader) skip() error {
	t, err := r.token()
	if err != nil {
		return err
	}
	return r.skipFrom(t)
}

// skipFrom passes a value that begins with t.
func (r *reader) skipFrom(t json.Token) error {
	for depth := 0; ; {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth > maxSkipDepth {
			return errors.New("is nested too deeply")
		}
		var err error
		if t, err = r.token(); err != nil {
			return err
		}
	}
}

// part reads the part with a number, or passes it where it is not right.
func (r *reader) part(number string) (Part, error) {
	r.budget.left = maxValue
	var rec *record
	err := r.json.Decode(&rec)
	if _, wrong := errors.AsType[*json.SyntaxError](err); wrong || errors.Is(err, errTooLong) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Part{}, fmt.Errorf("part %s: %w", shown(number), err)
	}
	var p Part
	if err == nil {
		p, err = partFrom(number, rec)
	}
	if err != nil {
		r.invalid(RowError{shown(r.name) + ".parts." + shown(number), plainly(err)})
		return Part{}, nil
	}
	p.Model = r.model
	return p, nil
}

// plainly says what is wrong with a value without Go's words for it.
func plainly(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		switch wrong.Type.Kind() {
		case reflect.Slice:
			return fmt.Errorf("%s: is no list of texts", wrong.Field)
		case reflect.String:
			return fmt.Errorf("%s: is no text", wrong.Field)
		default:
			return errors.New("is no object")
		}
	}
	return err
}

// partFrom checks a part of a file.
func partFrom(number string, rec *record) (Part, error) {
	if rec == nil {
		return Part{}, errors.New("is null")
	}
	number, err := spelled(number)
	if err != nil {
		return Part{}, err
	}
	p := Part{Number: number, PriceCents: int64(rec.Price)}
	check := func(field string, from string, most int) string {
		text := strings.TrimSpace(from)
		if err == nil {
			err = checkText(field, text, most)
		}
		return text
	}
	list := func(field string, from []string, items, most int) []string {
		if len(from) > items && err == nil {
			err = fmt.Errorf("%s: are more than %d", field, items)
		}
		out := []string{}
		for i, item := range from {
			if item = check(fmt.Sprintf("%s[%d]", field, i), item, most); item != "" {
				out = append(out, item)
			}
		}
		return out
	}
	if p.Name = check("name", rec.Name, maxName); p.Name == "" && err == nil {
		err = errors.New("name: is missing")
	}
	p.Description = check("description", rec.Description, maxText)
	p.ImageURL = check("image_url", rec.ImageURL, maxLink)
	p.VideoURL = check("repair_video_url", rec.VideoURL, maxLink)
	p.Symptoms = list("solves_symptoms", rec.Symptoms, maxSymptoms, maxSymptom)
	p.Steps = list("steps", rec.Steps, maxSteps, maxStep)
	if err == nil {
		err = checkLink("image_url", p.ImageURL)
	}
	if err == nil {
		err = checkLink("repair_video_url", p.VideoURL)
	}
	return p, err
}

// numberMarks may stand in a number beside letters and digits.
const numberMarks = " -./_"

// spelled returns a number as it is kept, in upper case.
func spelled(number string) (string, error) {
	number = strings.TrimSpace(number)
	for _, c := range number {
		if !strings.ContainsRune(signs+numberMarks, unicode.ToUpper(c)) {
			return "", fmt.Errorf("a number has no %q", c)
		}
	}
	if key := Key(number); key == "" || len(key) > maxNumber || len(number) > maxSpelled {
		return "", fmt.Errorf("a number has 1 to %d letters and digits", maxNumber)
	}
	return strings.ToUpper(number), nil
}

func checkText(field, text string, most int) error {
	if strings.ContainsRune(text, 0) {
		return fmt.Errorf("%s: has a NUL in it", field)
	}
	if n := utf8.RuneCountInString(text); n > most {
		return fmt.Errorf("%s: has %d characters, more than %d", field, n, most)
	}
	return nil
}

// link is one whose host is told without doubt: http or https, a name of ASCII, no user.
var link = regexp.MustCompile(`^(?i:https?)://[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?(?:[/?#][!-~]*)?$`)

func checkLink(field, text string) error {
	if text == "" || link.MatchString(text) && !strings.ContainsAny(text, `"<>\^{|}`+"`") {
		return nil
	}
	return fmt.Errorf("%s: %s is no link of http or https", field, shown(text))
}

// shown is a text of a file as it is told of.
func shown(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return strings.Trim(strconv.Quote(text), `"`)
}

// recordOf is the way back.
func recordOf(p Part) record {
	return record{
		Name: p.Name, Price: price(p.PriceCents), Description: p.Description, ImageURL: p.ImageURL, VideoURL: p.VideoURL,
		Symptoms: p.Symptoms, Steps: p.Steps,
	}
}
