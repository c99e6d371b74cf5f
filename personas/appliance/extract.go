package appliance

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/appliance/reading"
	"github.com/naiber/naiber/store/quoted"
)

const (
	// mostSymptoms, mostLines and lineChars limit the size of a state.
	mostSymptoms = 12
	mostLines    = 40
	lineChars    = 600
	// extractByPhone and extractByText are the timeouts of an extraction, and unexplained is how
	// many words of a message the rules may leave open without asking for one.
	extractByPhone = 2 * time.Second
	extractByText  = 6 * time.Second
	unexplained    = 12
	leastWords     = 3
)

// extract reads a message: by rules first, then by a model if they leave something open.
func (p *Persona) extract(ctx context.Context, s *State, r *run) error {
	in := r.Input()
	s.next, s.Told, s.Ending, s.danger = nodeCheckGoal, false, "", ""
	if in.leave {
		s.next, s.Active, s.Strayed = nodeWait, false, 0
		return nil
	}
	s.Active = in.within
	s.add(in, llm.RoleUser, in.text)
	rd := reading.Read(in.text, s.Language)
	if in.language == "" && !s.begun() {
		s.Language = rd.Language
	}
	s.Strayed++
	if rd.Says() || rd.Yes || rd.No || rd.Wait || rd.More {
		s.Strayed = 0
	}
	rerun := s.answer(in, &rd)
	s.goals(&rd)
	corrected := p.numbers(ctx, s, in, rd.Numbers, rd.Stream, rd.Correct)
	s.email(in, rd.Email)
	s.addSymptoms(rd.Symptoms)
	told := len(rd.Symptoms) > 0 || rd.Trouble && rd.Appliance
	if p.wantsModel(s, in, &rd) {
		told = p.byModel(ctx, s, in, len(rd.Goals) == 0) || told
	}
	if told && s.GoalType == "" {
		s.GoalType = Diagnose
	}
	s.choose(in.text, &rd)
	p.offerAddress(ctx, s, in)
	if (rerun || corrected) && s.GoalType == "" && s.LastToolResult != nil && s.LastToolResult.ToolName != Mail {
		s.GoalType = s.LastToolResult.ToolName // what was found for the other number does not hold
	}
	s.closing(in, &rd)
	switch {
	case in.quiet:
		s.next = nodeWait
	case s.danger != "": // a second vote may raise an alarm, but never cancels one
		s.next, s.Ending = nodeWait, ""
		return p.speak(ctx, s, r, prompt{Say: p.alarm(s.danger, s.Language, in), Fixed: true})
	}
	return nil
}

// begun reports whether anything is known yet.
func (s *State) begun() bool {
	return s.GoalType != "" || s.ProductModel != "" || s.PartNumber != "" || len(s.Symptoms) > 0 || len(s.Lines) > 1
}

// add appends a line to a conversation by text.
func (s *State) add(in input, role, text string) {
	if in.phone || text == "" {
		return
	}
	s.Lines = append(s.Lines, Line{role, english.Clip(text, lineChars)})
	s.Lines = s.Lines[max(0, len(s.Lines)-mostLines):]
}

// answer handles a message as the answer to the open question, if it is one. It reports whether a
// number was replaced.
func (s *State) answer(in input, rd *reading.Reading) (replaced bool) {
	q := s.Asked
	if q == nil {
		return false
	}
	number := q.Kind == AskModel || q.Kind == AskPart
	yes := rd.Yes || q.Kind == AskSteps && rd.More
	switch {
	case number && len(rd.Numbers) > 0:
		s.Asked = nil
		for _, n := range rd.Numbers { // a number heard twice is understood
			i := slices.IndexFunc(q.Candidates, func(c string) bool { return slices.Contains(n.Variants, reading.Plain(c)) })
			if i > 0 || i == 0 && !rd.No {
				return s.set(q.Kind, q.Candidates[i], true)
			}
		}
	case (q.Kind == AskEmail || q.Kind == AskAddress) && rd.Email.Address != "":
		s.Asked = nil
	case q.Kind == AskAddress && named(q.Names, in.text) >= 0: // "no, to Susan"
		s.EmailAddress, s.Asked = q.Candidates[named(q.Names, in.text)], nil
		s.want(Mail)
	case rd.No:
		s.declined(q)
	case yes && in.cut && (number || q.Kind == AskEmail || q.Kind == AskAddress): // the question was not heard
	case yes:
		s.Asked = nil
		switch q.Kind {
		case AskModel, AskPart:
			return s.set(q.Kind, q.Candidates[0], true)
		case AskEmail, AskAddress:
			s.EmailAddress = q.Candidates[0]
			s.want(Mail)
		case AskMail:
			s.want(Mail)
		case AskSteps:
			s.want(Install)
		case AskNext: // the goal is set already
		}
	case q.Kind == AskNext, q.Kind == AskMail, q.Kind == AskSteps:
		s.Asked = nil
	default:
		if q.Times++; q.Times > 1 {
			s.Asked = nil
		}
	}
	return false
}

// named returns the index of the first name of which text holds a word, or -1.
func named(names []string, text string) int {
	return slices.IndexFunc(names, func(name string) bool {
		for w := range strings.FieldsSeq(english.Plain(name)) {
			if len(w) > 1 && english.Holds(strings.ReplaceAll(english.Plain(text), "'s", ""), w) {
				return true
			}
		}
		return false
	})
}

// declined handles a no to a question: the next candidate is asked about, if there is one.
func (s *State) declined(q *Asked) {
	if len(q.Candidates) > 1 && !q.Change && q.Kind != AskEmail {
		q.Candidates, q.Times = q.Candidates[1:], 0
		if len(q.Names) > 1 {
			q.Names = q.Names[1:]
		}
		return
	}
	s.Asked = nil
	switch {
	case q.Kind == AskNext:
		s.GoalType = ""
	case (q.Kind == AskModel || q.Kind == AskPart) && !q.Change && s.GoalType == "" && s.LastToolResult != nil:
		s.GoalType = s.LastToolResult.ToolName // the goal for which the number was
	}
}

// set sets the model or part number. A different one that is set is replaced if replace is set, and
// else asked about. It reports whether it replaced something.
func (s *State) set(kind Question, value string, replace bool) bool {
	field := &s.ProductModel
	if kind == AskPart {
		field = &s.PartNumber
	}
	switch {
	case *field == value:
		return false
	case *field != "" && !replace && s.Asked != nil: // one question at a time
		return false
	case *field != "" && !replace:
		s.Asked = &Asked{Kind: kind, Said: value, Candidates: []string{value}, Change: true}
		return false
	}
	had := *field != ""
	*field, s.Step = value, 0
	return had
}

// email handles an address: a spoken one is read back first.
func (s *State) email(in input, e reading.Email) {
	switch {
	case e.Address == "" && s.GoalType == Mail && strings.Contains(in.text, "@"): // not a valid address
		s.EmailAddress = ""
	case e.Address == "":
	case e.Spoken || in.phone:
		if s.Asked == nil {
			s.Asked = &Asked{Kind: AskEmail, Candidates: []string{e.Address}}
		}
	default:
		s.EmailAddress = e.Address
	}
}

// addSymptoms adds new symptoms, and reports whether any is new.
func (s *State) addSymptoms(list []string) (added bool) {
	for _, symptom := range list {
		same := func(o string) bool { return english.Plain(o) == english.Plain(symptom) }
		if len(s.Symptoms) < mostSymptoms && !slices.ContainsFunc(s.Symptoms, same) {
			s.Symptoms, added = append(s.Symptoms, symptom), true
		}
	}
	return added
}

// goals handles what is wanted: an explicit change of mind replaces the current goal.
func (s *State) goals(rd *reading.Reading) {
	for i, name := range rd.Goals {
		g := Goal(name)
		if i == 0 && rd.Change && s.GoalType != "" && s.GoalType != g {
			s.GoalType, s.Asked = g, nil
			continue
		}
		s.want(g)
	}
}

// choose selects the part that is meant among those that were found: "the second one", "the pump"
// or, if none is known yet, "it".
func (s *State) choose(text string, rd *reading.Reading) {
	wants := func(g Goal) bool {
		return (g == Install || g == Check) && (s.GoalType == g || slices.Contains(s.Queue, g))
	}
	i := len(s.Results) - 1
	for i >= 0 && s.Results[i].ToolName != Diagnose {
		i--
	}
	if i < 0 || len(rd.Numbers) > 0 || !wants(Install) && !wants(Check) {
		return
	}
	found := s.Results[i].Data.SuggestedParts
	if rd.Ordinal > 0 && rd.Ordinal <= len(found) {
		s.set(AskPart, found[rd.Ordinal-1].PartNumber, true)
		return
	}
	best, most := -1, 0
	for i, part := range found {
		if n := english.Common(english.Content(part.Name), english.Content(text)); n > most {
			best, most = i, n
		}
	}
	switch {
	case best >= 0:
		s.set(AskPart, found[best].PartNumber, true)
	case s.PartNumber == "" && len(found) > 0 && (rd.It || len(found) == 1):
		s.set(AskPart, found[0].PartNumber, true)
	}
}

// closing checks whether nothing more is wanted.
func (s *State) closing(in input, rd *reading.Reading) {
	if rd.Says() {
		return
	}
	switch {
	case rd.Goodbye && in.phone && !in.within:
		s.Ending = "goodbye"
	case rd.Leave:
		s.GoalType, s.Queue, s.Asked = "", nil, nil
		if in.phone && !in.within {
			s.Ending = "done"
		}
	case rd.Thanks && s.GoalType == "" && s.Asked == nil:
	default:
		return
	}
	s.next = nodeClose
}

// extraction is what a model extracts from a message.
type extraction struct {
	Model    *string  `json:"model" desc:"The appliance's model number as it stands in the message, or null"`
	Part     *string  `json:"part" desc:"The part number as it stands in the message, or null"`
	Symptoms []string `json:"symptoms" desc:"What the machine does or does not do, each quoted word for word from the message"`
	Goal     *string  `json:"goal" enum:"diagnose_repair,install_instruction,check_compatibility,email_summary" desc:"What the person wants in this message, or null"`
	Email    *string  `json:"email" desc:"An e-mail address as it stands in the message, or null"`
	Danger   *string  `json:"danger" enum:"gas,smoke,sparks,water_electricity,burning,shock" desc:"What is dangerous now, by this message, or null"`
}

var extractionSchema = llm.SchemaOf[extraction]("appliance_extraction")

// wantsModel reports whether a model must read a message: the rules leave something open that is
// needed, or explain too little of it.
func (p *Persona) wantsModel(s *State, in input, rd *reading.Reading) bool {
	if p.cfg.Model == nil || rd.Words < leastWords || in.quiet || s.unknown != nil {
		return false
	}
	if s.Asked != nil { // there may be danger in place of an answer
		return len(rd.Numbers) == 0 && rd.Email.Address == "" && rd.Words-rd.Known > 2*leastWords
	}
	open := s.GoalType == "" && !rd.Says() || len(s.missing(s.GoalType)) > 0
	return rd.Words-rd.Known > unexplained || open && rd.Words-rd.Known >= leastWords
}

// byModel asks a model what a message says, and keeps what the message really contains. It reports
// whether a symptom is new.
func (p *Persona) byModel(ctx context.Context, s *State, in input, anyGoal bool) bool {
	ctx, cancel := context.WithTimeout(ctx, map[bool]time.Duration{true: extractByPhone, false: extractByText}[in.phone])
	defer cancel()
	var got extraction
	warm := 0.1
	req := llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: execute("extract.txt", map[string]any{"State": s, "Label": quoted.Label})},
			{Role: llm.RoleUser, Content: quoted.Fence(in.text)},
		},
		Temperature: &warm, MaxTokens: 300,
	}
	if p.cfg.SmallModel != "" {
		req.Models = []string{p.cfg.SmallModel}
	}
	err := p.cfg.Model.Structured(ctx, req, extractionSchema, &got)
	p.metrics.models.WithLabelValues("extract", outcome(err)).Inc()
	if err != nil { // treat it as an empty extraction
		p.log.LogAttrs(ctx, slog.LevelInfo, "nothing was extracted", slog.String("session_id", in.session), slog.Any("err", err))
		return false
	}
	stands := func(quote *string, plain func(string) string) bool {
		return quote != nil && plain(*quote) != "" && strings.Contains(plain(in.text), plain(*quote))
	}
	for kind, n := range map[string]*string{reading.KindModel: got.Model, reading.KindPart: got.Part} {
		if stands(n, reading.Plain) && len(reading.Plain(*n)) >= leastNumber {
			p.numbers(ctx, s, in, []reading.Number{{Variants: []string{reading.Plain(*n)}, Kind: kind, Sure: !in.phone}}, nil, false)
		}
	}
	if got.Danger != nil && slices.Contains(reading.Dangers, *got.Danger) {
		s.danger = *got.Danger
	}
	var symptoms []string
	for _, quote := range got.Symptoms {
		if stands(&quote, english.Plain) {
			if known := reading.Read(quote, s.Language).Symptoms; len(known) > 0 {
				symptoms = append(symptoms, known...)
			} else {
				symptoms = append(symptoms, english.Clip(english.OneLine(quote), lineChars/6))
			}
		}
	}
	if e := got.Email; stands(e, english.Lower) && reading.Valid(strings.ToLower(*e)) {
		s.email(in, reading.Email{Address: strings.ToLower(*e)})
	}
	if got.Goal != nil && anyGoal && s.GoalType == "" && slices.Contains(reading.Goals, *got.Goal) {
		s.GoalType = Goal(*got.Goal)
	}
	return s.addSymptoms(symptoms)
}

// leastNumber is the least number of letters and digits in a number.
const leastNumber = 4

func outcome(err error) string {
	if err != nil {
		return "failed"
	}
	return "ok"
}
