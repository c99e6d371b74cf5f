package parts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is imported.
const (
	maxValue     = 1 << 20 // bytes of JSON of one part
	maxNumber    = 40      // letters and digits
	maxSpelled   = 60      // including spaces and punctuation
	maxName      = 300     // characters, like the limits below
	maxText      = 20_000
	maxLink      = 2000
	maxSymptoms  = 200
	maxSteps     = 200
	maxStep      = 2000
	maxSkipDepth = 200
)

// record is a part in the file; see docs/parts.md.
type record struct {
	Name        string   `json:"name"`
	Price       price    `json:"price,omitzero"`
	Description string   `json:"description"`
	ImageURL    string   `json:"image_url"`
	VideoURL    string   `json:"repair_video_url"`
	Symptoms    []string `json:"solves_symptoms"`
	Steps       []string `json:"steps,omitempty"`
}

// price is in cents. In JSON it is a number of dollars, or a string with one; null, empty
// or missing means unknown.
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

// RowError is an error in a part or model of a file.
type RowError struct {
	Path string // WDT780SAEM1.parts.PS3406971
	Err  error
}

// Error returns the path and the error.
func (e RowError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the error.
func (e RowError) Unwrap() error { return e.Err }

// reader reads the parts of a file one by one.
type reader struct {
	json    *json.Decoder
	budget  *budget
	invalid func(RowError)
	model   string // the current model
	name    string // of the model, in the file's spelling
	inside  place
}

type place int

const (
	atStart place = iota
	amongModels
	inModel
	amongParts
)

// budget limits how much is read for one value, which keeps one value from filling the
// memory.
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

// newReader returns a reader of from. It calls invalid for each entry that is invalid and
// left out.
func newReader(from io.Reader, invalid func(RowError)) *reader {
	b := &budget{from: from, left: maxValue}
	return &reader{json: json.NewDecoder(b), budget: b, invalid: invalid}
}

// next returns the next part, or a model, as a part without a number, or [io.EOF] at the
// end. After another error, which says where it occurred, the file cannot be read further.
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

// step reads one token or part. It returns the zero part for anything but a part or a
// model.
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

// end returns [io.EOF] if nothing follows.
func (r *reader) end() error {
	r.budget.left = maxValue
	if _, err := r.json.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object of models")
	}
	return io.EOF
}

// openModel enters a model, or skips it if it is invalid.
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

// enter enters an object. It reports and skips any other value.
func (r *reader) enter(path string) (bool, error) {
	t, err := r.token()
	if err != nil || t == json.Delim('{') {
		return err == nil, err
	}
	r.invalid(RowError{path, errors.New("is no object")})
	return false, r.skipFrom(t)
}

// skip skips a value.
func (r *reader) skip() error {
	t, err := r.token()
	if err != nil {
		return err
	}
	return r.skipFrom(t)
}

// skipFrom skips a value that begins with t.
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

// part reads the part with a number, or skips it if it is invalid.
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

// plainly rewords an error about a value without Go's terms.
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

// partFrom checks and converts a part of a file.
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

// numberMarks are the characters allowed in a number besides letters and digits.
const numberMarks = " -./_"

// spelled returns a number as it is stored, in upper case, or an error if it is invalid.
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

// link matches a URL whose host is unambiguous: http or https, an ASCII name, no user.
var link = regexp.MustCompile(`^(?i:https?)://[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?(?:[/?#][!-~]*)?$`)

func checkLink(field, text string) error {
	if text == "" {
		return nil
	}
	if _, err := url.Parse(text); err == nil && link.MatchString(text) && !strings.ContainsAny(text, `"<>\^{|}`+"`") {
		return nil
	}
	return fmt.Errorf("%s: %s is no link of http or https", field, shown(text))
}

// shown quotes and shortens a text of a file for messages.
func shown(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	if text == "" {
		return `""`
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// recordOf converts a part back to its record.
func recordOf(p Part) record {
	return record{
		Name: p.Name, Price: price(p.PriceCents), Description: p.Description, ImageURL: p.ImageURL, VideoURL: p.VideoURL,
		Symptoms: p.Symptoms, Steps: p.Steps,
	}
}
