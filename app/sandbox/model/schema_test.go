package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// margaret's call is what most schemas are filled from.
const margaretsCall = `nAIber: Good morning Margaret, this is nAIber. How are you today?
Margaret: Oh, hello. My knee hurts on the stairs, worse than last week.
nAIber: I am sorry that it hurts. Who is coming to see you next?
Margaret: My daughter Helen comes on Sunday. She brings my grandson Peter.
nAIber: How nice. How is Whiskers?
Margaret: My cat Whiskers caught a moth. I baked a blueberry pie yesterday.
nAIber: Have you taken your medicine?
Margaret: Yes, I took my lisinopril this morning. Dr. Walsh sees me on the 12th.
nAIber: How would you rate your energy, from one to ten?
Margaret: About a seven, I would say.`

func sceneOf(texts ...string) *scene {
	history := []message{{Role: "system", Content: "You read the transcripts of calls with Margaret."}}
	for _, t := range texts {
		history = append(history, message{Role: "user", Content: t})
	}
	return readScene(history)
}

// fill runs a schema over a call and fails when the answer does not honour it.
func fill(t *testing.T, schemaJSON string, sc *scene) map[string]any {
	t.Helper()
	s, err := parseSchema([]byte(schemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	text, err := fillSchema(s, sc)
	if err != nil {
		t.Fatal(err)
	}
	if err := honours(schemaJSON, text); err != nil {
		t.Fatalf("%s does not honour %s: %v", text, schemaJSON, err)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

func TestFillSummaryAndTopics(t *testing.T) {
	t.Parallel()
	got := fill(t, `{"type":"object","additionalProperties":false,
		"properties":{
			"summary":{"type":"string","description":"What was talked about."},
			"topics":{"type":"array","maxItems":12,"items":{"$ref":"#/$defs/topic"}},
			"mood":{"type":"string","enum":["cheerful","neutral","low"]},
			"distress":{"type":"boolean"}},
		"required":["summary","topics","mood","distress"],
		"$defs":{"topic":{"type":"object","additionalProperties":false,"properties":{
			"label":{"type":"string"},"mentions":{"type":"integer","minimum":1},"quote":{"type":"string"}},"required":["label","mentions","quote"]}}}`,
		sceneOf(margaretsCall))
	summary, ok := got["summary"].(string)
	if !ok || !strings.Contains(summary, "Margaret talked about") || !strings.Contains(summary, "daughter Helen") || strings.Contains(summary, "nAIber") {
		t.Errorf("summary is %q", summary)
	}
	var found []string
	topics, ok := got["topics"].([]any)
	if !ok {
		t.Fatalf("topics are %v", got["topics"])
	}
	for _, item := range topics {
		topic, ok := item.(map[string]any)
		if !ok {
			t.Fatalf("a topic is %v", item)
		}
		label, quote := fmt.Sprint(topic["label"]), fmt.Sprint(topic["quote"])
		found = append(found, label)
		if !strings.Contains(margaretsCall, quote) || quote == "" {
			t.Errorf("%s is quoted as %q, which nobody said", label, quote)
		}
	}
	for _, want := range []string{"daughter Helen", "grandson Peter", "cat Whiskers", "knee pain", "Dr. Walsh"} {
		if !slices.Contains(found, want) {
			t.Errorf("topics %q lack %q", found, want)
		}
	}
	if got["distress"] != false {
		t.Error("a friendly call counts as distress")
	}
}

func TestFillSchemasNeverSeen(t *testing.T) {
	t.Parallel()
	str := func(name, desc string) string {
		return `{"type":"object","properties":{"` + name + `":{"type":["string","null"],"description":"` + desc + `"}},"required":["` + name + `"],"additionalProperties":false}`
	}
	num := func(name, more string) string {
		return `{"type":"object","properties":{"` + name + `":{"type":["integer","null"]` + more + `}},"required":["` + name + `"],"additionalProperties":false}`
	}
	boolean := func(name, desc string) string {
		return `{"type":"object","properties":{"` + name + `":{"type":["boolean","null"],"description":"` + desc + `"}},"required":["` + name + `"],"additionalProperties":false}`
	}
	enum := func(name string, values ...string) string {
		return `{"type":"object","properties":{"` + name + `":{"type":"string","enum":["` + strings.Join(values, `","`) + `"]}},"required":["` + name + `"],"additionalProperties":false}`
	}
	qa := func(q, a string) string { return "Question: " + q + "\nAnswer: " + a }
	energy, pills := "How would you rate your energy, from one to ten?", "Did you take your medicine this morning?"
	tests := []struct {
		name, schema, key string
		said              string
		want              any
	}{
		{"a number in words", num("value", `,"minimum":1,"maximum":10`), "value", qa(energy, "Oh, about a seven I should think."), 7.0},
		{"a number with a hedge", num("value", `,"minimum":1,"maximum":10`), "value", qa(energy, "seven-ish"), 7.0},
		{"so many out of ten", num("value", `,"minimum":1,"maximum":10`), "value", qa(energy, "Six out of ten."), 6.0},
		{"digits", num("score", `,"minimum":1,"maximum":10`), "score", qa(energy, "8, dear"), 8.0},
		{"out of the scale", num("value", `,"minimum":1,"maximum":10`), "value", qa(energy, "Twenty-five!"), nil},
		{"no number", num("value", `,"minimum":1,"maximum":10`), "value", qa(energy, "I don't know."), nil},
		{"that one is no number", num("value", ""), "value", qa(energy, "That one again?"), nil},
		{"the upper blood pressure", num("systolic", ""), "systolic", qa("What is your blood pressure?", "It was a hundred and thirty over eighty-five."), 130.0},
		{"the lower blood pressure", num("diastolic", ""), "diastolic", qa("What is your blood pressure?", "It was a hundred and thirty over eighty-five."), 85.0},
		{"hours of sleep", num("hoursOfSleep", ""), "hoursOfSleep", "I slept six hours. I ate two eggs.", 6.0},
		{"a yes", boolean("value", "the answer"), "value", qa(pills, "Yes, with my tea."), true},
		{"a no", boolean("value", "the answer"), "value", qa(pills, "No, I forgot."), false},
		{"neither", boolean("value", "the answer"), "value", qa(pills, "The weather is fine."), nil},
		{"a field by its subject", boolean("tookMedication", "whether the pills were taken"), "tookMedication", "I baked a pie. I took my pills this morning.", true},
		{"a field by its subject, denied", boolean("tookMedication", "whether the pills were taken"), "tookMedication", "I forgot my pills this morning.", false},
		{"a fall", boolean("fell", "whether the person had a fall"), "fell", "I fell in the kitchen yesterday.", true},
		{"no fall", boolean("hasFallen", "whether the person had a fall"), "hasFallen", "I have not fallen this month.", false},
		{"goodbye", boolean("wantsToEndCall", ""), "wantsToEndCall", "Goodbye, dear.", true},
		{"emergency", boolean("emergency", ""), "emergency", "I have chest pain and can't breathe.", true},
		{"status answered", enum("status", "answered", "refused", "unclear"), "status", qa(energy, "A seven."), "answered"},
		{"status refused", enum("status", "answered", "refused", "unclear"), "status", qa(energy, "I'd rather not say."), "refused"},
		{"status unclear", enum("status", "answered", "refused", "unclear"), "status", qa(energy, "I don't know."), "unclear"},
		{"sentiment", enum("sentiment", "positive", "neutral", "negative"), "sentiment", "I feel sad and lonely, I cry a lot.", "negative"},
		{"category by words", enum("category", "family", "health", "garden"), "category", "The roses in the yard are blooming.", "garden"},
		{"intent", enum("intent", "substantive", "filler", "goodbye"), "intent", "Mm, yes.", "filler"},
		{"an email address", str("emailAddress", ""), "emailAddress", "Send it to helen.moore@example.org please.", "helen.moore@example.org"},
		{"no email address", str("emailAddress", ""), "emailAddress", "I have no computer.", nil},
		{"a model number", str("productModel", ""), "productModel", "My dishwasher is a WDT780SAEM1.", "WDT780SAEM1"},
		{"a part number", str("partNumber", ""), "partNumber", "I need part PS3406971 for it.", "PS3406971"},
		{"a daughter's name", str("daughterName", ""), "daughterName", "My son Tom and my daughter Helen were here.", "Helen"},
		{"a place", str("city", ""), "city", "Helen lives in Gander now.", "Gander"},
		{"when", str("when", ""), "when", "Helen comes on Sunday.", "on Sunday"},
		{"a quote", str("quote", "where the knee is mentioned"), "quote", "I baked a pie. My knee hurts.", "My knee hurts."},
		{"a kinship", str("relationship", ""), "relationship", "My neighbour Ruth has a key.", "neighbour"},
		{"nothing to tell", str("insuranceCompany", "name of the insurer"), "insuranceCompany", "I slept well.", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := fill(t, tt.schema, sceneOf(tt.said))[tt.key]; got != tt.want {
				t.Errorf("%q gave %v, want %v", tt.said, got, tt.want)
			}
		})
	}
}

func TestFillListsFromTheCall(t *testing.T) {
	t.Parallel()
	list := func(name, items string) string {
		return `{"type":"object","properties":{"` + name + `":{"type":"array","items":` + items + `}},"required":["` + name + `"],"additionalProperties":false}`
	}
	tests := []struct {
		name, key, items string
		want             []string // in the JSON of the list
		not              []string
	}{
		{"names", "people", `{"type":"string"}`, []string{"Helen", "Peter"}, []string{"Whiskers"}},
		{"pets", "pets", `{"type":"string"}`, []string{"Whiskers"}, []string{"Helen"}},
		{"symptoms", "symptoms", `{"type":"string"}`, []string{"knee"}, []string{"pie"}},
		{"medications", "medications", `{"type":"string"}`, []string{"lisinopril"}, []string{"pie"}},
		{"facts", "facts", `{"type":"object","properties":{"text":{"type":"string"},"kind":{"enum":["family","health","other"]},"confidence":{"type":"number","minimum":0,"maximum":1}},"required":["text","kind","confidence"],"additionalProperties":false}`, []string{"My daughter Helen comes on Sunday.", `"health"`, "0.9"}, []string{"nAIber"}},
		{"follow-ups", "followUps", `{"type":"string"}`, []string{"Sunday"}, []string{"moth"}},
		{"alerts", "alerts", `{"type":"string"}`, nil, []string{"knee"}},
		{"numbers", "scores", `{"type":"integer","minimum":1,"maximum":10}`, []string{"7"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(fill(t, list(tt.key, tt.items), sceneOf(margaretsCall))[tt.key])
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(got), want) {
					t.Errorf("%s lacks %q", got, want)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(string(got), not) {
					t.Errorf("%s has %q", got, not)
				}
			}
		})
	}
}

// oddSchemas ask for what no call holds.
var oddSchemas = []string{
	`{"type":"string"}`, `{"type":"null"}`, `true`, `{}`, `{"const":"x"}`, `{"enum":[3,"b",null]}`, `{"type":"integer","enum":["a",4]}`,
	`{"type":"integer","minimum":3,"maximum":5}`, `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.001}`,
	`{"type":"integer","multipleOf":7,"minimum":50}`, `{"type":"number","multipleOf":0.25,"maximum":-1}`,
	`{"type":"string","minLength":40}`, `{"type":"string","maxLength":0}`, `{"type":"string","minLength":3,"maxLength":3}`,
	`{"type":"string","pattern":"^[A-Z]{2}-\\d{4}$"}`, `{"type":"string","pattern":"^(yes|no)$"}`, `{"type":"string","pattern":"^x+$","minLength":9}`,
	`{"type":"string","format":"date"}`, `{"type":"string","format":"date-time"}`, `{"type":"string","format":"uuid"}`, `{"type":"string","format":"email"}`,
	`{"type":"array","items":{"type":"string"},"minItems":3}`, `{"type":"array","items":{"type":"integer"},"minItems":4,"uniqueItems":true}`,
	`{"type":"array","items":{"enum":["a","b"]},"minItems":2,"uniqueItems":true}`, `{"type":"array","items":{"type":"string"},"maxItems":0}`,
	`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"boolean"}}`,
	`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"oneOf":[{"type":"integer"},{"type":"string"}]}`, `{"type":["boolean","null"]}`,
	`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}`,
	`{"allOf":[{"type":"integer","minimum":2},{"maximum":4}]}`,
	`{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]},"name":{"type":"string"}},"required":["next","name"],"additionalProperties":false}`,
	`{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}}},"required":["children"]}`,
	`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"b":{"$ref":"#/$defs/b"}},"required":["b"]},"b":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"string"}]},"minItems":1}}}`,
	`{"type":"object","required":["unnamed"]}`, `{"type":"object","properties":{"a b/c\"":{"type":"string"}},"required":["a b/c\""]}`,
	`{"type":"integer","minimum":1,"exclusiveMinimum":true}`, `{"type":"string","nullable":true}`,
}

func TestFillHonoursWhatNobodySaid(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"", "Hello.", margaretsCall} {
		sc := sceneOf(said)
		for _, raw := range oddSchemas {
			s, err := parseSchema([]byte(raw))
			if err != nil {
				t.Errorf("%s: %v", raw, err)
				continue
			}
			text, err := fillSchema(s, sc)
			if err != nil {
				t.Errorf("%s over %.20q: %v", raw, said, err)
				continue
			}
			if err := honours(raw, text); err != nil {
				t.Errorf("%s over %.20q gave %s: %v", raw, said, text, err)
			}
		}
	}
}

// Schemas that nobody wrote: whatever can be filled honours its schema.
func TestFillHonoursRandomSchemas(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	sc := sceneOf(margaretsCall)
	filled := 0
	for range 2000 {
		raw, err := json.Marshal(map[string]any{
			"anyOf": []any{randomSchema(rng, 0)}, "$defs": map[string]any{"a": randomSchema(rng, 2), "b": randomSchema(rng, 2)},
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseSchema(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		text, err := fillSchema(s, sc)
		if err != nil {
			continue
		}
		filled++
		if err := honours(string(raw), text); err != nil {
			t.Fatalf("%s gave %s: %v", raw, text, err)
		}
	}
	if filled < 1200 {
		t.Errorf("%d of 2000 schemas were filled", filled)
	}
}

func randomSchema(rng *rand.Rand, depth int) map[string]any {
	names := []string{"topics", "value", "name", "count", "status", "when", "happy", "painLevel", "quote", "people"}
	some := func(n int) []any {
		var out []any
		for range n {
			out = append(out, randomSchema(rng, depth+1))
		}
		return out
	}
	kinds := []string{"string", "integer", "number", "boolean", "enum", "null", "several"}
	if depth < 4 {
		kinds = append(kinds, "object", "object", "array", "array", "anyOf", "allOf", "ref")
	}
	switch kind := kinds[rng.IntN(len(kinds))]; kind {
	case "object":
		props, required := map[string]any{}, []string{}
		for range 1 + rng.IntN(4) {
			name := names[rng.IntN(len(names))]
			props[name] = randomSchema(rng, depth+1)
			if rng.IntN(3) > 0 {
				required = append(required, name)
			}
		}
		return map[string]any{"type": "object", "properties": props, "required": required, "additionalProperties": rng.IntN(2) == 0}
	case "array":
		least := rng.IntN(4)
		return map[string]any{"type": "array", "items": randomSchema(rng, depth+1), "minItems": least, "maxItems": least + rng.IntN(4), "uniqueItems": rng.IntN(3) == 0}
	case "anyOf", "allOf":
		return map[string]any{kind: some(1 + rng.IntN(3))}
	case "ref":
		return map[string]any{"$ref": []string{"#", "#/$defs/a", "#/$defs/b"}[rng.IntN(3)]}
	case "enum":
		return map[string]any{"enum": []any{"yes", 3, nil, "family", true, "low"}[rng.IntN(5):]}
	case "several":
		return map[string]any{"type": []string{"null", "integer", "string", "boolean"}[rng.IntN(3):]}
	case "string":
		least := rng.IntN(30)
		return map[string]any{"type": kind, "minLength": least, "maxLength": least + rng.IntN(60), "description": names[rng.IntN(len(names))]}
	case "integer", "number":
		low := rng.IntN(20) - 10
		return map[string]any{"type": kind, "minimum": low, "maximum": low + rng.IntN(20), "multipleOf": []any{1, 2, 0.5, 0.1}[rng.IntN(4)]}
	default:
		return map[string]any{"type": kind}
	}
}

func TestFillRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`false`, `{"type":"integer","minimum":3,"maximum":2}`, `{"enum":[]}`, `{"type":"string","enum":[1,2]}`,
		`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`, `{"type":"array","minItems":2,"maxItems":1}`,
		`{"type":"array","items":{"const":1},"minItems":2,"uniqueItems":true}`, `{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		`{"type":"object","required":["a"],"additionalProperties":false}`, `{"type":"string","pattern":"^a{3}$","maxLength":2}`,
		`{"allOf":[{"type":"string"},{"type":"integer"}]}`,
	} {
		s, err := parseSchema([]byte(raw))
		if err != nil {
			continue
		}
		if raw == `{"enum":[]}` {
			continue // an empty list is the same as none
		}
		if text, err := fillSchema(s, sceneOf(margaretsCall)); err == nil {
			t.Errorf("%s gave %s", raw, text)
		}
	}
	for _, raw := range []string{`[]`, `7`, `{"type":"elder"}`, `{"properties":[]}`, `{"items":7}`, `{"$ref":"#/$defs/none"}`, `{"anyOf":[null]}`, strings.Repeat(`{"items":`, 200) + "{}" + strings.Repeat("}", 200)} {
		if _, err := parseSchema([]byte(raw)); err == nil {
			t.Errorf("%.60s was accepted", raw)
		}
	}
}

func TestPropertiesComeInTheOrderOfTheSchema(t *testing.T) {
	t.Parallel()
	s, err := parseSchema([]byte(`{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"integer"},"m":{"type":"integer"}},"required":["a","m","z"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fillSchema(s, sceneOf("")); err != nil || got != `{"z":0,"a":0,"m":0}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// A person who may have a person is filled once, not as deep as it goes.
func TestCircularSchemaIsFilledOnce(t *testing.T) {
	t.Parallel()
	got := fill(t, `{"$ref":"#/$defs/person","$defs":{"person":{"type":"object","additionalProperties":false,
		"properties":{"name":{"type":"string"},"friend":{"anyOf":[{"$ref":"#/$defs/person"},{"type":"null"}]},"children":{"type":"array","items":{"$ref":"#/$defs/person"}}},
		"required":["name","friend","children"]}}}`, sceneOf(margaretsCall))
	children, ok := got["children"].([]any)
	if got["friend"] != nil || !ok || len(children) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestReadScene(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		messages []message
		agent    string
		person   string
	}{
		{"roles", talkOf("s", "How are you?", "Fine."), "How are you?", "Fine."},
		{"labels", []message{{Role: "user", Content: "Summarise this call:\n\nnAIber: How are you?\nMargaret: Fine.\nReally."}}, "How are you?", "Fine. Really."},
		{"labels with times", []message{{Role: "user", Content: "[00:01] Assistant: How are you?\n[00:04] User: Fine."}}, "How are you?", "Fine."},
		{"labels in bold", []message{{Role: "user", Content: "**nAIber**: How are you?\n**Margaret**: Fine."}}, "How are you?", "Fine."},
		{"a list in JSON", []message{{Role: "user", Content: `[{"role":"agent","text":"How are you?"},{"role":"user","text":"Fine."}]`}}, "How are you?", "Fine."},
		{"an object in JSON", []message{{Role: "user", Content: `{"transcript":[{"role":"assistant","message":"How are you?"},{"role":"user","message":"Fine."}]}`}}, "How are you?", "Fine."},
		{"in the system prompt", []message{{Role: "system", Content: "Topic: x\nTranscript:\nnAIber: How are you?\nMargaret: Fine."}}, "How are you?", "Fine."},
		{"a colon is no label", []message{{Role: "user", Content: "I said: no."}}, "", "I said: no."},
		{"a question and its answer", []message{{Role: "user", Content: "Question type: scale\nQuestion: How are you?\nAnswer: Fine."}}, "How are you?", "Fine."},
		{"an order after the talk", append(talkOf("s", "How are you?", "Fine."), message{Role: "user", Content: "Extract the answer."}), "How are you?", "Fine."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var agent, person []string
			for _, l := range readScene(tt.messages).lines {
				if l.agent {
					agent = append(agent, l.text)
				} else {
					person = append(person, l.text)
				}
			}
			if a, p := strings.Join(agent, " "), strings.Join(person, " "); a != tt.agent || p != tt.person {
				t.Errorf("agent %q, person %q; want %q, %q", a, p, tt.agent, tt.person)
			}
		})
	}
}

func TestNumbersIn(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"seven": "[7]", "seven-ish": "[7]", "twenty-one": "[21]", "Twenty one.": "[21]", "7.5 kg": "[7.5]", "six and a half": "[6.5]",
		"a hundred and thirty over eighty-five": "[130 85]", "two hundred": "[200]", "one of those days": "[]", "no one": "[]", "One.": "[1]",
		"on a scale from one to ten, four": "[4]", "nine out of ten": "[9]", "the 12th of May": "[12]", "": "[]", "120/80": "[120 80]", "a couple": "[2]",
	}
	for in, want := range tests {
		if got := fmt.Sprint(numbersIn(in)); got != want {
			t.Errorf("numbersIn(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestFillObjectFollowsTheExample(t *testing.T) {
	t.Parallel()
	got := fillObject([]message{
		{Role: "system", Content: `Answer in JSON like {"energy": 5, "people": ["Ann"], "ok": true}.`},
		{Role: "user", Content: margaretsCall},
	})
	var out struct {
		Energy int
		People []string
		OK     *bool
	}
	if err := json.Unmarshal([]byte(got), &out); err != nil || !slices.Contains(out.People, "Helen") || out.OK == nil {
		t.Errorf("got %s, %v", got, err)
	}
	if got := fillObject([]message{{Role: "user", Content: "json please. " + margaretsCall}}); !strings.Contains(got, `"topics":[`) {
		t.Errorf("got %s", got)
	}
}

func FuzzFillSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string","maxLength":3}},"required":["a"]}`, margaretsCall)
	f.Add(`{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"array","minItems":1,"items":{"$ref":"#"}}}}`, "x: y")
	f.Add(`{"type":"number","multipleOf":0.1,"minimum":5}`, "")
	for _, raw := range oddSchemas {
		f.Add(raw, "nAIber: How are you?\nMargaret: Six, I have 2 cats.")
	}
	f.Fuzz(func(t *testing.T, raw, said string) {
		s, err := parseSchema([]byte(raw))
		if err != nil {
			return
		}
		text, err := fillSchema(s, sceneOf(said))
		if err != nil {
			return
		}
		if err := honours(raw, text); err != nil {
			t.Errorf("%q over %q gave %q: %v", raw, said, text, err)
		}
	})
}

func FuzzParseChat(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"stop":["a"],"tools":[{"type":"function","function":{"name":"end_call","parameters":{"type":"object"}}}],"tool_choice":"required"}`))
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"json"}],"response_format":{"type":"json_object"}}`))
	f.Add([]byte(`{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1","content":"x"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := parseChat(body)
		if err != nil {
			return
		}
		a, err := compose(req)
		if err != nil {
			return
		}
		if a.text == "" && len(a.calls) == 0 {
			t.Errorf("nothing was answered to %q", body)
		}
		if req.JSONObject && !json.Valid([]byte(a.text)) {
			t.Errorf("no JSON: %q", a.text)
		}
		for _, c := range a.calls {
			if !json.Valid([]byte(c.Function.Arguments)) {
				t.Errorf("arguments %q", c.Function.Arguments)
			}
		}
	})
}

func FuzzParseEmbeddings(f *testing.F) {
	f.Add([]byte(`{"model":"m","input":["a","b"],"dimensions":16}`))
	f.Add([]byte(`{"model":"m","input":[[1,2]]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		inputs, dims, _, _, err := parseEmbeddings(body)
		if err != nil {
			return
		}
		for _, text := range inputs[:min(len(inputs), 3)] {
			if v := embed(text, dims); math.Abs(cosine(v, v)-1) > 1e-6 {
				t.Errorf("%q has length %f", text, cosine(v, v))
			}
		}
	})
}

// honours checks JSON against a schema. It is written apart from the filler,
// over plain maps, so that a mistake in one is not repeated in the other.
func honours(schemaJSON, text string) error {
	var root, value any
	if err := json.Unmarshal([]byte(schemaJSON), &root); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return fmt.Errorf("value: %w", err)
	}
	return (&checker{root: root}).check(root, value, 0)
}

type checker struct{ root any }

func (c *checker) check(schema, v any, depth int) error {
	if depth > 200 {
		return nil
	}
	s, ok := schema.(map[string]any)
	if !ok {
		if schema == false {
			return fmt.Errorf("%v is forbidden", v)
		}
		return nil
	}
	if ref, ok := s["$ref"].(string); ok && ref != "" {
		return c.check(c.find(ref), v, depth+1)
	}
	// "nullable" is of OpenAPI: it stands beside a type, and allows null.
	if v == nil && s["nullable"] == true && s["type"] != nil {
		return nil
	}
	if err := c.checkValue(s, v); err != nil {
		return err
	}
	if all, ok := s["allOf"].([]any); ok {
		for _, sub := range all {
			if err := c.check(sub, v, depth+1); err != nil {
				return err
			}
		}
	}
	var some []any
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := s[key].([]any); ok {
			some = append(some, list...)
		}
	}
	if len(some) > 0 && !slices.ContainsFunc(some, func(sub any) bool { return c.check(sub, v, depth+1) == nil }) {
		return fmt.Errorf("%v fits none of the alternatives", v)
	}
	switch v := v.(type) {
	case map[string]any:
		return c.checkObject(s, v, depth)
	case []any:
		return c.checkArray(s, v, depth)
	}
	return nil
}

func (c *checker) find(ref string) any {
	if ref == "#" {
		return c.root
	}
	root, _ := c.root.(map[string]any)
	for _, key := range []string{"$defs", "definitions"} {
		defs, _ := root[key].(map[string]any)
		if name, ok := strings.CutPrefix(ref, "#/"+key+"/"); ok {
			return defs[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		}
	}
	return nil
}

func (c *checker) checkValue(s map[string]any, v any) error {
	if types := typesIn(s["type"]); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(t, v) }) {
		return fmt.Errorf("%v is none of %v", v, types)
	}
	allowed, _ := s["enum"].([]any)
	if x, ok := s["const"]; ok {
		allowed = []any{x}
	}
	if len(allowed) > 0 && !slices.ContainsFunc(allowed, func(x any) bool { return same(x, v) }) {
		return fmt.Errorf("%v is not allowed", v)
	}
	switch v := v.(type) {
	case float64:
		return checkNumber(s, v)
	case string:
		n := float64(utf8.RuneCountInString(v))
		if least, ok := s["minLength"].(float64); ok && n < least && least <= 10_000 {
			return fmt.Errorf("%q is short", v)
		}
		if most, ok := s["maxLength"].(float64); ok && n > max(most, 0) {
			return fmt.Errorf("%q is long", v)
		}
		if p, ok := s["pattern"].(string); ok {
			if re, err := regexp.Compile(p); err == nil && !re.MatchString(v) {
				return fmt.Errorf("%q does not match %s", v, p)
			}
		}
	}
	return nil
}

func checkNumber(s map[string]any, v float64) error {
	if least, ok := s["minimum"].(float64); ok && (v < least || (s["exclusiveMinimum"] == true && v == least)) {
		return fmt.Errorf("%v is below %v", v, least)
	}
	if most, ok := s["maximum"].(float64); ok && (v > most || (s["exclusiveMaximum"] == true && v == most)) {
		return fmt.Errorf("%v is above %v", v, most)
	}
	if least, ok := s["exclusiveMinimum"].(float64); ok && v <= least {
		return fmt.Errorf("%v is not above %v", v, least)
	}
	if most, ok := s["exclusiveMaximum"].(float64); ok && v >= most {
		return fmt.Errorf("%v is not below %v", v, most)
	}
	if step, ok := s["multipleOf"].(float64); ok && step > 0 {
		if r := math.Abs(math.Remainder(v, step)); r > 1e-9*math.Max(1, math.Abs(v)) && r > 1e-6*step {
			return fmt.Errorf("%v is no multiple of %v", v, step)
		}
	}
	return nil
}

func (c *checker) checkObject(s, v map[string]any, depth int) error {
	props, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, r := range required {
		if name, ok := r.(string); ok {
			if _, there := v[name]; !there {
				return fmt.Errorf("%q is missing", name)
			}
		}
	}
	for name, field := range v {
		sub, known := props[name]
		if !known {
			if s["additionalProperties"] == false {
				return fmt.Errorf("%q is not in the schema", name)
			}
			continue
		}
		if err := c.check(sub, field, depth+1); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (c *checker) checkArray(s map[string]any, v []any, depth int) error {
	if least, ok := s["minItems"].(float64); ok && float64(len(v)) < min(least, 10_000) {
		return fmt.Errorf("%d elements are too few", len(v))
	}
	if most, ok := s["maxItems"].(float64); ok && float64(len(v)) > max(most, 0) {
		return fmt.Errorf("%d elements are too many", len(v))
	}
	prefix, _ := s["prefixItems"].([]any)
	for i, element := range v {
		sub := s["items"]
		if i < len(prefix) {
			sub = prefix[i]
		}
		if err := c.check(sub, element, depth+1); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
		if s["uniqueItems"] == true && slices.ContainsFunc(v[:i], func(x any) bool { return same(x, element) }) {
			return fmt.Errorf("[%d] is there twice", i)
		}
	}
	return nil
}

func typesIn(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, t := range v {
			out = append(out, fmt.Sprint(t))
		}
		return out
	}
	return nil
}

func isType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || (name == "integer" && v == math.Trunc(v))
	case []any:
		return name == "array"
	default:
		return name == "object"
	}
}

func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
