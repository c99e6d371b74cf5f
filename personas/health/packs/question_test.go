package packs

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A saved question is the same however often it is read, and a broken one is an error
// each time.
func TestReadsSavedQuestions(t *testing.T) {
	t.Parallel()
	want := Question{
		Item: Item{
			ID: "falls", Text: "Did you fall?", Type: TypeBoolean, Topics: []string{"fall"},
			FollowUps: []FollowUp{{ID: "falls.where", When: "yes", Text: "Where?", Type: TypeText, Again: Wordings{"Whereabouts?"}}},
		},
		Pack: "daily", Version: "1",
	}
	saved, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		var got Question
		if err := json.Unmarshal(saved, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := json.Unmarshal([]byte(`{"id": 7}`), &got); err == nil {
			t.Error("a number was read as an id")
		}
	}
}

// However many questions a process reads, it keeps a bounded number of them.
func TestKeepsABoundedNumberOfQuestions(t *testing.T) {
	t.Parallel()
	for n := range 2 * maxDecoded {
		var q Question
		id := fmt.Sprintf("q%d", n)
		if err := json.Unmarshal([]byte(`{"id":"`+id+`"}`), &q); err != nil || q.ID != id {
			t.Fatalf("%s was read as %q, %v", id, q.ID, err)
		}
	}
	decoded.RLock()
	defer decoded.RUnlock()
	if n := len(decoded.by); n > maxDecoded {
		t.Errorf("%d questions are kept", n)
	}
}
