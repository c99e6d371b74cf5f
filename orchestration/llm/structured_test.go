package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/orchestration/llm"
)

type mood struct {
	Feeling string   `json:"feeling" desc:"In one word." enum:"good,bad,unclear"`
	Pain    *int     `json:"pain" desc:"0 to 10, null if not said."`
	Topics  []string `json:"topics"`
}

func TestStructured(t *testing.T) {
	t.Parallel()
	schema := llm.SchemaOf[mood]("mood")
	seven := 7
	good := `{"feeling":"good","pain":7,"topics":["tea"]}`
	want := mood{"good", &seven, []string{"tea"}}
	tests := []struct {
		name    string
		answers []answer
		told    string // what the second request says was wrong
	}{
		{"at once", []answer{says(`{"feeling":"good",`, `"pain":7,"topics":["tea"]}`)}, ""},
		{"in a fence", []answer{says("Here you are:\n```json\n" + good + "\n```")}, ""},
		{"whole, not streamed", []answer{page("application/json", `{"choices":[{"message":{"content":`+quote(good)+`},"finish_reason":"stop"}]}`)}, ""},
		{"prose first", []answer{says("I feel good."), says(good)}, "not one JSON object"},
		{"a key is missing", []answer{says(`{"feeling":"good","pain":7}`), says(good)}, `lacks the key "topics"`},
		{"another word", []answer{says(`{"feeling":"so-so","pain":7,"topics":[]}`), says(good)}, "must be one of"},
		{"another type", []answer{says(`{"feeling":"good","pain":"7","topics":[]}`), says(good)}, "answer.pain must be of type"},
		{"an element of another type", []answer{says(`{"feeling":"good","pain":7,"topics":[1]}`), says(good)}, "answer.topics[0] must be"},
		{"cut by length", []answer{pieces(script("length", `{"feeling":"go`)), says(good)}, "cut off by its length"},
		{"broken", []answer{cuts(token(`{"feel`)), says(good)}, "Good morning."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]answer{"m": inTurn(tt.answers...)})
			var got mood
			req := ask()
			req.MaxTokens = 100
			if err := s.client(t, nil, "m").Structured(t.Context(), req, schema, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			reqs := s.requests("m")
			if len(reqs) != len(tt.answers) {
				t.Fatalf("%d requests, want %d", len(reqs), len(tt.answers))
			}
			if !strings.Contains(reqs[len(reqs)-1].last(), tt.told) {
				t.Errorf("told %q, want %q", reqs[len(reqs)-1].last(), tt.told)
			}
			if format := string(reqs[0].raw["response_format"]); !strings.HasPrefix(format, `{"type":"json_schema","json_schema":{"name":"mood","strict":true,"schema":{"type":"object"`) {
				t.Errorf("format: %s", format)
			}
		})
	}
}

func TestStructuredStaysWrong(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"m": says(`{"feeling":"secretly sad"}`)})
	got := mood{Feeling: "as it was"}
	err := s.client(t, nil, "m").Structured(t.Context(), ask(), llm.SchemaOf[mood]("mood"), &got)
	if !errors.Is(err, llm.ErrInvalidAnswer) || got.Feeling != "as it was" || len(s.requests("m")) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	if strings.Contains(err.Error(), "secretly") {
		t.Errorf("%q quotes the answer", err)
	}
}

// What nobody waits for is put to the background model first; the others answer
// where it fails, or does not get the form right.
func TestBackgroundModel(t *testing.T) {
	t.Parallel()
	schema, good := llm.SchemaOf[mood]("mood"), `{"feeling":"bad","pain":null,"topics":[]}`
	for name, c := range map[string]struct {
		small      answer
		asked      int // the main model
		background bool
	}{
		"it answers":         {says(good), 0, true},
		"it fails":           {status(500, "{}"), 1, true},
		"it answers wrongly": {says("I feel bad."), 1, true},
		"somebody waits":     {says(good), 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, map[string]answer{"small": c.small, "m": says(good)})
			req := ask()
			req.Background = c.background
			var got mood
			err := s.client(t, func(cfg *llm.Config) { cfg.BackgroundModel = "small" }, "m").Structured(t.Context(), req, schema, &got)
			if err != nil || got.Feeling != "bad" || len(s.requests("m")) != c.asked || len(s.requests("small")) == 0 == c.background {
				t.Errorf("got %+v, %v after %d questions to the small one and %d to the other", got, err, len(s.requests("small")), len(s.requests("m")))
			}
		})
	}
}

func TestStructuredWithoutSchemaSupport(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"m": inTurn(
		status(400, apiError("unsupported_parameter", "response_format")),
		says(`{"feeling":"bad","pain":null,"topics":[]}`),
	)})
	var got mood
	if err := s.client(t, nil, "m").Structured(t.Context(), ask(), llm.SchemaOf[mood]("mood"), &got); err != nil {
		t.Fatal(err)
	}
	last := s.requests("m")[1]
	if got.Feeling != "bad" || last.raw["response_format"] != nil || !strings.Contains(last.last(), `"feeling"`) {
		t.Errorf("got %+v after %s", got, last.raw["messages"])
	}
}

func TestStructuredDeadline(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]answer{"m": hangs(token(`{"fee`))})
	var got mood
	err := s.client(t, func(cfg *llm.Config) { cfg.Deadline = 2 * time.Second }, "m").
		Structured(t.Context(), ask(), llm.SchemaOf[mood]("mood"), &got)
	if !errors.Is(err, context.DeadlineExceeded) || len(s.requests("m")) != 1 {
		t.Errorf("got %v after %d requests", err, len(s.requests("m")))
	}
}

func TestStructuredNeedsAPointer(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	if err := s.client(t, nil, "m").Structured(t.Context(), ask(), llm.SchemaOf[mood]("mood"), mood{}); err == nil {
		t.Error("no error")
	}
}

func TestSchemaOf(t *testing.T) {
	t.Parallel()
	type inner struct {
		N float64 `json:"n"`
		I *int    `json:"i"`
	}
	type outer struct {
		Level string   `json:"level" enum:"low,high" desc:"How \"bad\"."`
		Maybe *string  `json:"maybe" enum:"a,b"`
		List  []inner  `json:"list" desc:"All."`
		Kinds []string `json:"kinds" enum:"x,y"`
		One   inner    `json:"one"`
		Ok    bool     `json:"ok"`
	}
	const in = `{"type":"object","properties":{"n":{"type":"number"},"i":{"type":["integer","null"]}},"required":["n","i"],"additionalProperties":false}`
	want := `{"type":"object","properties":{` +
		`"level":{"type":"string","description":"How \"bad\".","enum":["low","high"]},` +
		`"maybe":{"type":["string","null"],"enum":["a","b",null]},` +
		`"list":{"type":"array","description":"All.","items":` + in + `},` +
		`"kinds":{"type":"array","items":{"type":"string","enum":["x","y"]}},` +
		`"one":` + in + `,` +
		`"ok":{"type":"boolean"}},` +
		`"required":["level","maybe","list","kinds","one","ok"],"additionalProperties":false}`
	got := llm.SchemaOf[outer]("outer")
	if diff := cmp.Diff(want, string(got.JSON)); diff != "" || got.Name != "outer" {
		t.Error(diff)
	}
}

type loop struct {
	Next *loop `json:"next"`
}

func TestSchemaOfRefuses(t *testing.T) {
	t.Parallel()
	for name, derive := range map[string]func(){
		"a map":             func() { llm.SchemaOf[struct{ M map[string]int }]("x") },
		"an interface":      func() { llm.SchemaOf[struct{ V any }]("x") },
		"raw JSON":          func() { llm.SchemaOf[struct{ V json.RawMessage }]("x") },
		"a type in itself":  func() { llm.SchemaOf[loop]("x") },
		"what is no struct": func() { llm.SchemaOf[string]("x") },
		"a field unnamed":   func() { llm.SchemaOf[struct{ V string }]("x") },
		"an empty struct":   func() { llm.SchemaOf[struct{}]("x") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			derive()
		})
	}
}
