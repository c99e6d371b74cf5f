package app

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/learn"
)

func TestForgetParts(t *testing.T) {
	t.Parallel()
	turn, lines, at := uuid.New(), []int64{7, 8}, time.Date(2026, time.November, 3, 15, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		asked learn.ForgetRequest
		want  []memory.ForgetRequest
	}{
		"all":              {learn.ForgetRequest{All: true, At: at}, []memory.ForgetRequest{{All: true}}},
		"a topic, said":    {learn.ForgetRequest{Topic: "Tom", Utterances: lines, Turns: []uuid.UUID{turn}, At: at}, []memory.ForgetRequest{{Topic: "Tom", Lines: lines, Until: at}}},
		"a topic, written": {learn.ForgetRequest{Topic: "Tom", Turns: []uuid.UUID{turn}, At: at}, []memory.ForgetRequest{{Topic: "Tom", Until: at}, {Memories: []uuid.UUID{turn}}}},
		"a day":            {learn.ForgetRequest{Day: "2026-11-02", Utterances: lines, At: at}, []memory.ForgetRequest{{Day: "2026-11-02"}, {Lines: lines, Until: at}}},
		"lines":            {learn.ForgetRequest{Utterances: lines, At: at}, []memory.ForgetRequest{{Lines: lines, Until: at}}},
	} {
		if diff := cmp.Diff(row.want, forgetParts(row.asked)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
