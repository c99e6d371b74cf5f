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
		"SipResponseCode": {"200"}, "CallDuration": {"61"}, "MachineDetectionDuration": {"4200"},
		"Timestamp": {"Tue, 03 Mar 2026 09:00:00 +0000"}, "NewField": {"x"},
	})
	want := CallEvent{
		CallSID: "CA1", AccountSID: "AC1", Status: StatusCompleted, Direction: "outbound-api", From: testFrom, To: testTo,
		AnsweredBy: AnsweredByMachineEndBeep, Sequence: 3, SIPCode: 200, Duration: 61 * time.Second,
		DetectionTime: 4200 * time.Millisecond, At: time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC),
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("err %v (-want +got):\n%s", err, diff)
	}
	got, err = ParseCallEvent(url.Values{"CallSid": {"CA1"}, "CallDuration": {"-1"}, "SequenceNumber": {"many"}, "Timestamp": {"now"}})
	if diff := cmp.Diff(CallEvent{CallSID: "CA1", Sequence: -1}, got); diff != "" || err != nil {
		t.Errorf("err %v (-want +got):\n%s", err, diff)
	}
	if _, err := ParseCallEvent(url.Values{}); !errors.Is(err, ErrNoCall) {
		t.Errorf("err = %v", err)
	}
}

func TestRanks(t *testing.T) {
	t.Parallel()
	order := []CallStatus{"from the future", StatusQueued, StatusInitiated, StatusRinging, StatusInProgress, StatusCompleted}
	for i, s := range order {
		if s.Rank() != i || s.Final() != (s == StatusCompleted) {
			t.Errorf("%s: rank %d, final %v", s, s.Rank(), s.Final())
		}
	}
	for _, s := range []CallStatus{StatusBusy, StatusNoAnswer, StatusFailed, StatusCanceled} {
		if !s.Final() || s.Rank() != StatusCompleted.Rank() {
			t.Errorf("%s is not final", s)
		}
	}
	for a, want := range map[AnsweredBy]bool{
		AnsweredByHuman: false, AnsweredByMachineStart: false, AnsweredByFax: false, AnsweredByUnknown: false,
		AnsweredByMachineEndBeep: true, AnsweredByMachineEndOther: true, AnsweredByMachineEndSilence: true,
	} {
		if a.MachineReady() != want {
			t.Errorf("%s: MachineReady = %v", a, a.MachineReady())
		}
	}
}
