package patterns

import "testing"

func TestRead(t *testing.T) {
	t.Parallel()
	f := Read("# a comment\nday = (?:lunes|miércoles)\nsay = el <day>\nsay = a\n  las dos\n")
	if len(f["say"]) != 2 || f["say"][1] != "a las dos" {
		t.Errorf("entries %q", f["say"])
	}
	for said, want := range map[string]bool{"el miércoles": true, "el miercoles": true, "el lunes": true, "el martes": false} {
		if got := f.Pattern("say").MatchString(said); got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
	if f.Pattern("gone").MatchString("") || f.Pattern("gone").MatchString("x") {
		t.Error("a pattern that is not there matches")
	}
	whole := func(p string) string { return "^" + p + "$" }
	if all := f.All("say", whole); len(all) != 2 || all[1].MatchString("va a las dos") {
		t.Errorf("all are %v", all)
	}
}
