package appliance

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"

	"github.com/naiber/naiber/personas/appliance/reading"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/parts"
)

// ToolData is the result of a tool, for a screen.
type ToolData struct {
	ToolName Goal `json:"toolName"`
	Data     Data `json:"data"`
}

// Data is the result of a tool; which fields are set depends on the tool. Error is what the person
// was told if it failed.
type Data struct {
	SuggestedParts []Suggested `json:"suggestedParts,omitempty"` // diagnose_repair

	Model      string   `json:"model,omitempty"`
	PartNumber string   `json:"partNumber,omitempty"`
	Name       string   `json:"name,omitempty"`
	Price      float64  `json:"price,omitempty"` // in dollars
	ImageURL   string   `json:"imageUrl,omitempty"`
	VideoURL   string   `json:"videoUrl,omitempty"` // install_instruction
	Steps      []string `json:"steps,omitempty"`
	Compatible *bool    `json:"compatible,omitempty"` // check_compatibility
	Message    string   `json:"message,omitempty"`
	Success    *bool    `json:"success,omitempty"` // email_summary
	To         string   `json:"to,omitempty"`
	MailID     string   `json:"mailId,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// Suggested is a part that may remedy symptoms.
type Suggested struct {
	PartNumber      string   `json:"partNumber"`
	Name            string   `json:"name"`
	Price           float64  `json:"price"`
	Description     string   `json:"description"`
	ImageURL        string   `json:"imageUrl"`
	MatchedSymptoms []string `json:"matchedSymptoms"`
}

const (
	// mostSuggested is how many parts are suggested, mostResults how many results a session keeps
	// for its summary, and stepsAtOnce how many steps are read aloud at once.
	mostSuggested = 3
	mostResults   = 8
	stepsAtOnce   = 3
)

// executeTool runs the tool of the goal, says its result, and clears the goal, whether it succeeded
// or not. It then asks about the next goal in the queue.
func (p *Persona) executeTool(ctx context.Context, s *State, r *run) error {
	in, goal := r.Input(), s.GoalType
	s.GoalType = ""
	var pr prompt
	var err error
	switch goal {
	case Diagnose:
		pr, err = p.diagnose(ctx, s, in)
	case Check:
		pr, err = p.check(ctx, s, in)
	case Install:
		pr, err = p.install(ctx, s, in)
	case Mail:
		pr = p.mail(ctx, s, in)
	}
	if err != nil {
		p.log.LogAttrs(ctx, slog.LevelError, "tool failed", slog.String("session_id", in.session), slog.String("tool", string(goal)), slog.Any("err", err))
		pr = prompt{Say: s.aloud(in, "unavailable"), Fixed: true}
		s.result(ToolData{ToolName: goal, Data: Data{Error: pr.Say}})
	}
	came := "ok"
	if s.LastToolResult.Data.Error != "" {
		came = "failed"
	}
	p.metrics.tools.WithLabelValues(string(goal), came).Inc()
	if q := s.after(goal, in); q != "" {
		pr.Say += map[bool]string{true: "\n\n", false: " "}[strings.Contains(pr.Say, "\n")] + q
	}
	return p.speak(ctx, s, r, pr)
}

// after returns the question to ask after a tool, or "": about the next steps, the next goal, or a
// mail.
func (s *State) after(goal Goal, in input) string {
	d := s.LastToolResult.Data
	switch {
	case in.phone && goal == Install && s.Step < len(d.Steps):
		s.Asked = &Asked{Kind: AskSteps}
	case len(s.Queue) > 0:
		s.GoalType, s.Queue = s.Queue[0], s.Queue[1:]
		if missing := s.missing(s.GoalType); len(missing) > 0 && s.GoalType != Mail {
			return s.aloud(in, "ask."+strings.Join(missing, "_"))
		}
		s.Asked = &Asked{Kind: AskNext}
	case in.phone && goal == Install && d.Error == "" && d.VideoURL != "":
		s.Asked = &Asked{Kind: AskMail}
	default:
		return ""
	}
	return s.put(in, s.Asked)
}

// result records the result of a tool. Those that a summary uses are kept, once for each part.
func (s *State) result(d ToolData) {
	s.LastToolResult, s.Told = &d, true
	if d.ToolName == Mail || d.Data.Error != "" {
		return
	}
	for i, old := range s.Results {
		if old.ToolName == d.ToolName && old.Data.Model == d.Data.Model && old.Data.PartNumber == d.Data.PartNumber {
			s.Results = append(s.Results[:i], s.Results[i+1:]...)
			break
		}
	}
	s.Results = append(s.Results, d)
	s.Results = s.Results[max(0, len(s.Results)-mostResults):]
}

// fail records why the goal cannot be reached for now. The goal remains.
func (s *State) fail(why string) {
	if s.GoalType != "" {
		s.result(ToolData{ToolName: s.GoalType, Data: Data{Error: why}})
	}
}

// diagnose finds the parts that remedy the symptoms.
func (p *Persona) diagnose(ctx context.Context, s *State, in input) (prompt, error) {
	found, err := p.cfg.Catalogue.MatchParts(ctx, s.ProductModel, s.Symptoms, mostSuggested)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return prompt{}, err
	}
	symptoms := make([]string, len(s.Symptoms))
	for i, label := range s.Symptoms {
		symptoms[i] = reading.Symptom(label, s.Language)
	}
	if len(found) == 0 {
		text := s.aloud(in, "no_match", "model", s.ProductModel, "symptoms", strings.Join(symptoms, ", "))
		s.result(ToolData{ToolName: Diagnose, Data: Data{Error: text}})
		return prompt{Say: text}, nil
	}
	d, pr := Data{Model: s.ProductModel}, prompt{}
	var items, names []string
	for i, m := range found {
		d.SuggestedParts = append(d.SuggestedParts, Suggested{
			PartNumber: m.Number, Name: m.Name, Price: dollars(m.PriceCents), Description: m.Description, ImageURL: m.ImageURL, MatchedSymptoms: m.Matched,
		})
		items = append(items, s.aloud(in, "found_item", "n", strconv.Itoa(i+1), "name", m.Name, "number", m.Number)+s.cost(in, m.PriceCents))
		names = append(names, m.Name)
		pr.Facts = append(pr.Facts, m.Description)
	}
	s.result(ToolData{ToolName: Diagnose, Data: d})
	if !in.phone {
		pr.Say = s.aloud(in, "found", "model", s.ProductModel, "list", strings.Join(items, "\n"))
		return pr, nil
	}
	pr.Say = s.aloud(in, "found", "name", names[0]) + s.cost(in, found[0].PriceCents)
	if len(names) > 1 {
		pr.Say += " " + s.aloud(in, "found_also", "others", list(names[1:], s.aloud(in, "or")))
	}
	return pr, nil
}

// cost returns what a part costs, in words, or "" if that is not known.
func (s *State) cost(in input, cents int64) string {
	amount := price(s.Language, in.phone, cents)
	if amount == "" {
		return ""
	}
	text := s.aloud(in, "found_price", "price", amount)
	if in.phone {
		text = " " + text
	}
	return text
}

func dollars(cents int64) float64 { return float64(cents) / 100 }

// part returns the part; fits is false if it is not one of the model's parts.
func (p *Persona) part(ctx context.Context, s *State) (part parts.Part, fits bool, err error) {
	part, err = p.cfg.Catalogue.CataloguePart(ctx, s.ProductModel, s.PartNumber)
	if errors.Is(err, store.ErrNotFound) {
		return part, false, nil
	}
	return part, err == nil, err
}

// check finds out whether a part fits a model.
func (p *Persona) check(ctx context.Context, s *State, in input) (prompt, error) {
	part, fits, err := p.part(ctx, s)
	if err != nil {
		return prompt{}, err
	}
	name := map[bool]string{true: "fits", false: "fits_not"}[fits]
	fill := []string{"part", s.PartNumber, "model", s.ProductModel}
	s.result(ToolData{ToolName: Check, Data: Data{
		Model: s.ProductModel, PartNumber: s.PartNumber, Name: part.Name, Compatible: &fits, Message: say(s.Language, false, name, fill...),
	}})
	return prompt{Say: s.aloud(in, name, fill...), Fixed: true}, nil
}

// install shows how a part is put in: its video, and its steps if the catalogue has them.
func (p *Persona) install(ctx context.Context, s *State, in input) (prompt, error) {
	part, fits, err := p.part(ctx, s)
	if err != nil {
		return prompt{}, err
	}
	if !fits {
		text := s.aloud(in, "install_not", "part", s.PartNumber, "model", s.ProductModel)
		s.result(ToolData{ToolName: Install, Data: Data{Error: text}})
		return prompt{Say: text, Fixed: true}, nil
	}
	s.result(ToolData{ToolName: Install, Data: Data{
		Model: s.ProductModel, PartNumber: part.Number, Name: part.Name, Price: dollars(part.PriceCents), ImageURL: part.ImageURL, VideoURL: part.VideoURL, Steps: part.Steps,
	}})
	first, last := 0, len(part.Steps)
	if in.phone {
		if first = s.Step; first >= last {
			first = 0
		}
		last = min(first+stepsAtOnce, last)
		s.Step = last
	}
	var said []string
	if first == 0 {
		cost := price(s.Language, in.phone, part.PriceCents)
		if cost != "" {
			cost = s.aloud(in, "found_price", "price", cost)
		}
		text := s.aloud(in, "install", "name", part.Name, "number", part.Number, "price", cost, "model", s.ProductModel)
		if in.phone {
			text += " " + cost
		}
		said = append(said, strings.TrimSpace(text))
		switch {
		case part.VideoURL != "":
			said = append(said, s.aloud(in, "install_video"))
		case len(part.Steps) == 0:
			said = append(said, s.aloud(in, "no_guide"))
		}
	}
	var steps []string
	for i, step := range part.Steps[first:last] {
		steps = append(steps, s.aloud(in, "step", "n", strconv.Itoa(first+i+1), "step", ended(step)))
	}
	if len(steps) > 0 {
		said = append(said, s.aloud(in, "install_steps", "steps", strings.Join(steps, map[bool]string{true: " ", false: "\n"}[in.phone])))
	}
	// Steps are said word for word, because a model would add to them.
	return prompt{Say: strings.Join(said, " "), Fixed: len(steps) > 0}, nil
}

// ended returns a sentence with a mark at its end.
func ended(text string) string {
	if text = strings.TrimSpace(text); text != "" && !strings.ContainsRune(".!?…", rune(text[len(text)-1])) {
		text += "."
	}
	return text
}

// mail sends the summary.
func (p *Persona) mail(ctx context.Context, s *State, in input) prompt {
	done := func(name string, ok bool) prompt {
		text := s.aloud(in, name, "to", s.EmailAddress)
		d := Data{Success: &ok, To: s.EmailAddress}
		if !ok {
			d.Error = text
		}
		s.result(ToolData{ToolName: Mail, Data: d})
		return prompt{Say: text, Fixed: true}
	}
	if !reading.Valid(s.EmailAddress) {
		pr := done("bad_address", false)
		s.EmailAddress = ""
		return pr
	}
	if p.cfg.Mailer == nil {
		return done("mail_none", false)
	}
	m := p.summary(ctx, s, in)
	err := p.cfg.Mailer.Send(ctx, m)
	switch {
	case errors.Is(err, ErrNoMail):
		return done("mail_none", false)
	case err != nil:
		p.log.LogAttrs(ctx, slog.LevelError, "summary is not sent", slog.String("session_id", in.session), slog.Any("err", err))
		return done("mail_failed", false)
	}
	s.Mails++
	name := "mail_sent"
	if len(m.Videos) > 0 {
		name = "mail_sent_video"
	}
	pr := done(name, true)
	s.LastToolResult.Data.MailID = m.Key
	return pr
}
