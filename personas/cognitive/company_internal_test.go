package cognitive

import (
	"testing"

	"github.com/naiber/naiber/personas/cognitive/tasks"
)

// Prompting is told from what people say of their families in an answer.
func TestCompany(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said string
		kind tasks.Kind
		want bool
	}{
		{"May, it's May", tasks.Question, false},
		{"Mae, it's May", tasks.Question, true},
		{"Mum, it's Thursday", tasks.Question, true},
		{"Margaret, it's Thursday", tasks.Question, true},
		{"My daughter says it's the fourteenth", tasks.Question, true},
		{"My daughter's telling me it's May", tasks.Question, true},
		{"My husband told me", tasks.Question, true},
		{"My son just said it", tasks.Digits, true},
		{"No dad, four three", tasks.Digits, true},
		{"This is her daughter speaking", tasks.Question, true},
		{"Thursday", tasks.Question, false},
		{"I'd ring my daughter, she has a key", tasks.Reason, false},
		{"My son told me never to leave it out, so I'd throw it away", tasks.Reason, false},
		{"I live with my daughter", tasks.Question, false},
		{"She told her sister, and mum made tea", tasks.Story, false},
		{"nurse, teacher, my husband was a baker", tasks.Fluency, false},
	} {
		s := State{Name: "Margaret Mae May", Phase: PhaseTask, Tasks: []Task{{Form: tasks.Form{Items: []tasks.Item{{Kind: tt.kind}}}, Items: make([]Answer, 1)}}}
		r := &reply{s: &s, in: &input{words: tt.said}}
		if got := r.company(); got != tt.want {
			t.Errorf("%q to %s: %t, want %t", tt.said, tt.kind, got, tt.want)
		}
	}
}
