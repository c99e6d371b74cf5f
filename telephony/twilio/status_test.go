package twilio

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseCallEvent(t *testing.T) {
	t.Parallel()
	got, err := ParseCallEvent(url.Values{
		"CallSid": {"CA1"}, "AccountSid": {"AC1"}, "CallStatus": {"completed"}, "Direction": {"outbound-api"},
		"From": {testFrom}, "To": {testTo}, "AnsweredBy": {"machine_end_beep"}, "SequenceNumber": {"3"},
		"Timestamp": {"Tue, 03 Mar 2026 09:00:00 +0000"}, "NewField": {"x"},
	})
	want := CallEvent{
		CallSID: "CA1", Status: StatusCompleted, From: testFrom, AnsweredBy: "machine_end_beep",
		At: time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC),
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("err %v (-want +got):\n%s", err, diff)
	}
	got, err = ParseCallEvent(url.Values{"CallSid": {"CA1"}, "Timestamp": {"now"}})
	if diff := cmp.Diff(CallEvent{CallSID: "CA1"}, got); diff != "" || err != nil {
		t.Errorf("err %v (-want +got):\n%s", err, diff)
	}
	if _, err := ParseCallEvent(url.Values{}); !errors.Is(err, ErrNoCall) {
		t.Errorf("err = %v", err)
	}
}

func TestMachineReady(t *testing.T) {
	t.Parallel()
	for a, want := range map[AnsweredBy]bool{
		"human": false, "machine_start": false, "unknown": false, AnsweredByFax: false,
		"machine_end_beep": true, "machine_end_other": true, "machine_end_silence": true,
	} {
		if a.MachineReady() != want {
			t.Errorf("%s: MachineReady = %v", a, a.MachineReady())
		}
	}
}
