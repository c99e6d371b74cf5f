package telephony

import (
	"strings"
	"time"

	"github.com/naiber/naiber/internal/law"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/telephony/prompts"
)

// streamGap is how long no audio must have come, once the person has begun to speak, to conclude
// that all of the first words were sent.
const streamGap = 300 * time.Millisecond

// disclosed holds what the first words of a call disclose.
type disclosed struct {
	Place     string `json:"place,omitempty"` // the place whose rule applied: "US-CA"; empty: not known, and the strictest rule
	AI        bool   `json:"ai"`
	Full      bool   `json:"full"`      // false for the short reminder alone
	Recording string `json:"recording"` // recorded, written_down or not_kept
	OptOutKey bool   `json:"optOutKey"`
}

// lawOf returns the rule that applies to a call: that of the telephone's place, and, if the call is
// the person's, of the region where they live.
func lawOf(line calls.Line) law.Rule {
	region := ""
	if line.Call.PersonID.Known() && countryOf(line.Call.Phone) == countryOf(line.Person.Phone) {
		region = line.Person.Region
	}
	return law.Of(line.Call.Phone, region)
}

// disclose returns the first words of a call, preceded by the disclosure if a text leaves it out,
// and what they disclose.
func (s *Service) disclose(first string, d prompts.Data, line calls.Line) (string, *disclosed, error) {
	told := &disclosed{Place: lawOf(line).Place, AI: true, Full: true, Recording: "not_kept"}
	switch {
	case d.Recorded:
		told.Recording = "recorded"
	case d.WrittenDown:
		told.Recording = "written_down"
	}
	whole, err := s.dep.Prompts.Text(prompts.Disclosure, d)
	if err != nil {
		return "", nil, err
	}
	if !strings.Contains(first, whole) {
		short, err := s.dep.Prompts.Text(prompts.Reminder, d)
		if err != nil {
			return "", nil, err
		}
		if !d.Full && !d.FirstCall && strings.Contains(first, short) {
			told.Full = false
		} else {
			first = whole + " " + first
		}
	}
	if d.OptOutKey {
		key, err := s.dep.Prompts.Text(prompts.OptOutKey, d)
		if err != nil {
			return "", nil, err
		}
		told.OptOutKey = strings.Contains(first, key)
	}
	return first, told, nil
}

// timeLimit returns the longest that the call may last: it ends before a disclosure would have to
// be repeated.
func (c *liveCall) timeLimit() time.Duration {
	if repeat := lawOf(c.now()).Repeat(); repeat > 0 {
		return min(c.cfg.TimeLimit, repeat)
	}
	return c.cfg.TimeLimit
}

// onTelling asks Twilio to report when the first words of a conversation were played, once no audio
// has come for gap.
func (c *liveCall) onTelling(gap time.Duration) {
	l := &c.loop
	v := l.conv
	if v == nil || v.told.Load() == nil || v.toldMark != "" || l.stream != v.stream || v.lastAudio.Load() == 0 {
		return
	}
	if left := gap - time.Since(time.Unix(0, v.lastAudio.Load())); left > 0 {
		l.telling.Reset(speechGap)
		return
	}
	if name, err := v.stream.mark("told"); err == nil {
		v.toldMark = name
	}
}

// onTold records what the first words disclosed, if a mark proves that they were heard.
func (c *liveCall) onTold(st *stream, name string, played bool) {
	v := c.loop.conv
	if v == nil || v.told.Load() == nil || v.stream != st || v.toldMark != name {
		return
	}
	if played {
		c.notes.event(calls.EventDisclosed, v.told.Load())
	}
	v.told.Store(nil)
}
