package carrier_test

import (
	"testing"

	"github.com/naiber/naiber/app/sandbox/carrier"
)

func TestMachineDetection(t *testing.T) {
	t.Parallel()
	human := func(r *carrier.Ring) (*carrier.Handset, error) { return r.Answer() }
	machine := func(r *carrier.Ring) (*carrier.Handset, error) {
		return r.AnswerAsMachine("You have reached Ada. Leave a message.")
	}
	tests := []struct {
		name   string
		answer func(*carrier.Ring) (*carrier.Handset, error)
		want   string
	}{
		{"human", human, "human"},
		{"machine", machine, "machine_end_beep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			form := w.callForm(w.stream(""))
			form.Set("MachineDetection", "DetectMessageEnd")
			form.Set("AsyncAmd", "true")
			form.Set("AsyncAmdStatusCallback", w.app.URL+"/amd")
			sid := w.place(form)
			if _, err := tt.answer(wait(t, w.rings, "ring")); err != nil {
				t.Fatal(err)
			}
			w.peer()
			h := w.hook("/amd")
			if f := h.form; f.Get("AnsweredBy") != tt.want || f.Get("CallSid") != sid || f.Get("MachineDetectionDuration") == "" {
				t.Errorf("verdict %v, want %s", f, tt.want)
			}
			if h.signature != signature(h.url, h.form) {
				t.Error("the verdict is signed wrongly")
			}
			if _, body := w.request("GET", "/Calls/"+sid+".json", nil); body["answered_by"] != tt.want {
				t.Errorf("answered_by %v", body["answered_by"])
			}
		})
	}
}

// A machine records what is said after its beep.
func TestMessageOnAMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(w.callForm(w.stream("")))
	h, err := wait(t, w.rings, "ring").AnswerAsMachine("Beep me.")
	if err != nil {
		t.Fatal(err)
	}
	p := w.peer()
	p.play("It is nAIber. I will call again.", 600)
	if e, _ := heard(t, h, carrier.HeardSilence); e.Text != "It is nAIber. I will call again." {
		t.Errorf("recorded %q", e.Text)
	}
}
