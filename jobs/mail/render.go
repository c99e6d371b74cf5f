package mail

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Summary is the content of a mail. Body is plain text: headings begin with "#" or end in a
// colon, lists with "- ", steps with their numbers.
type Summary struct {
	Title, Body    string
	Videos, Images []Link
	HelpURL        string // for more help; empty if there is none
	Language       string // of the text around the body; English unless it is one of ours
}

// Link is the address of a video or a picture, with its title.
type Link struct{ Title, URL string }

// Rendered is a mail in the form in which it is sent.
type Rendered struct{ Subject, HTML, Text string }

// words are the texts around a body.
type words struct{ Intro, Videos, Images, Help, Notice string }

var languages = map[string]words{
	"en": {
		"Here is the summary of our conversation that you asked for.", "Videos", "Pictures", "More help",
		"This e-mail was written automatically by nAIber, because it was asked for in a conversation. Please do not answer it.",
	},
	"es": {
		"Este es el resumen de nuestra conversación que usted pidió.", "Vídeos", "Imágenes", "Más ayuda",
		"Este correo lo ha escrito nAIber automáticamente, porque se pidió en una conversación. Por favor, no lo conteste.",
	},
	"de": {
		"Hier ist die Zusammenfassung unseres Gesprächs, um die Sie gebeten haben.", "Videos", "Bilder", "Mehr Hilfe",
		"Diese E-Mail hat nAIber automatisch geschrieben, weil in einem Gespräch darum gebeten wurde. Bitte antworten Sie nicht darauf.",
	},
}

//go:embed mail.html
var page string

var pageTemplate = template.Must(template.New("mail").Parse(page))

// Maximum lengths of a mail, in runes.
const (
	maxTitle = 150
	maxBody  = 20_000
)

// block is a part of a body: a heading, a paragraph, a list or steps.
type block struct {
	Kind, Text string
	Items      []string
}

// Render renders a summary as a mail. It links only to allowed hosts and to the help, and
// leaves out code, JSON and addresses in the text.
func Render(s Summary, allowed func(host string) bool) (Rendered, error) {
	base, _, _ := strings.Cut(s.Language, "-")
	if _, known := languages[base]; !known {
		base = "en"
	}
	view := struct {
		Language, Title string
		Words           words
		Blocks          []block
		Videos, Images  []Link
		HelpURL         string
	}{
		base, cut(strings.Join(strings.Fields(clean(s.Title)), " "), maxTitle), languages[base], blocks(cut(clean(s.Body), maxBody)),
		safe(s.Videos, allowed), safe(s.Images, allowed), "",
	}
	if view.Title == "" {
		view.Title = "nAIber"
	}
	if u, ok := web(s.HelpURL); ok {
		view.HelpURL = u.String()
	}
	var html strings.Builder
	if err := pageTemplate.Execute(&html, view); err != nil {
		return Rendered{}, fmt.Errorf("render mail: %w", err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n\n%s\n\n", view.Title, view.Words.Intro)
	for _, b := range view.Blocks {
		switch b.Kind {
		case "heading":
			fmt.Fprintf(&text, "%s\n\n", strings.ToUpper(b.Text))
		case "paragraph":
			fmt.Fprintf(&text, "%s\n\n", b.Text)
		default:
			for i, item := range b.Items {
				mark := "-"
				if b.Kind == "steps" {
					mark = fmt.Sprint(i+1, ".")
				}
				fmt.Fprintf(&text, "%s %s\n", mark, item)
			}
			text.WriteString("\n")
		}
	}
	for _, part := range []struct {
		heading string
		links   []Link
	}{{view.Words.Videos, view.Videos}, {view.Words.Images, view.Images}} {
		if len(part.links) == 0 {
			continue
		}
		fmt.Fprintf(&text, "%s\n\n", strings.ToUpper(part.heading))
		for _, l := range part.links {
			fmt.Fprintf(&text, "%s\n%s\n\n", l.Title, l.URL)
		}
	}
	text.WriteString("-- \n")
	if view.HelpURL != "" {
		fmt.Fprintf(&text, "%s: %s\n", view.Words.Help, view.HelpURL)
	}
	text.WriteString(view.Words.Notice + "\n")
	return Rendered{Subject: view.Title, HTML: html.String(), Text: text.String()}, nil
}

// safe returns the allowed links, without duplicates and with titles.
func safe(links []Link, allowed func(host string) bool) (out []Link) {
	for _, l := range links {
		u, ok := web(l.URL)
		if !ok || u.Port() != "" || !allowed(strings.ToLower(u.Hostname())) {
			continue
		}
		title := cut(strings.Join(strings.Fields(clean(l.Title)), " "), maxTitle)
		if title == "" {
			title = u.Hostname()
		}
		if l = (Link{title, u.String()}); !slices.ContainsFunc(out, func(o Link) bool { return o.URL == l.URL }) {
			out = append(out, l)
		}
	}
	return out
}

// web parses an http or https URL without user information.
func web(address string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	return u, err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil
}

var (
	code     = regexp.MustCompile("(?s)```.*?(?:```|$)")
	object   = regexp.MustCompile(`(?s)[{\[][^{}\[\]]*"[^{}\[\]]*"[^{}\[\]]*[}\]]|\{\s*\}|\[\s*\]`)
	linked   = regexp.MustCompile(`!?\[([^\]\n]*)\]\([^)\n]*\)`)
	emphasis = strings.NewReplacer("**", "", "__", "", "`", "")
	// A web address, or what a mail program takes for one.
	address = regexp.MustCompile(`(?i)://|\bwww\.|^\W*(?:javascript|data|vbscript|mailto|tel|file):|[\p{L}\d]\.\p{L}{2,}[/?#:]|` +
		`[\p{L}\d-]\.(?:com|net|org|info|biz|io|co|app|dev|shop|store|site|online|xyz|top|link|click|live|club|me|tv|us|uk|eu|de|at|ch|es|fr|it|nl|pl|ru|cn|in|ca|au|br|mx|jp)\W*$`)
)

// clean removes what is not readable text: code, JSON, web addresses, emphasis marks and
// control characters.
func clean(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "")
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, text)
	text = linked.ReplaceAllString(code.ReplaceAllString(text, ""), "$1")
	for left := -1; left != len(text); { // nested JSON is removed from the inside
		left = len(text)
		text = object.ReplaceAllString(text, "")
	}
	var out strings.Builder
	for line := range strings.Lines(emphasis.Replace(text)) {
		words := strings.Fields(line)
		kept := slices.DeleteFunc(words, func(w string) bool { return address.MatchString(w) && !onlyMail.MatchString(w) })
		out.WriteString(strings.Join(kept, " ") + "\n")
	}
	return strings.TrimSpace(out.String())
}

// onlyMail matches an e-mail address with punctuation around it.
var onlyMail = regexp.MustCompile(`^[("'<]*[\w.+-]+@[\w-]+(?:\.[\w-]+)+[)"'>.,;:!?]*$`)

var (
	headed  = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	bullet  = regexp.MustCompile(`^[-*•–]\s+(.+)$`)
	step    = regexp.MustCompile(`^\d{1,2}[.)]\s+(.+)$`)
	heading = regexp.MustCompile(`^.{1,80}:$`)
)

// blocks parses a body line by line.
func blocks(text string) (out []block) {
	going := "" // the kind that the next line continues
	add := func(kind, text string) {
		last := len(out) - 1
		switch {
		case kind != going && (kind == "list" || kind == "steps"):
			out = append(out, block{Kind: kind, Items: []string{text}})
		case kind == going && len(out[last].Items) > 0:
			out[last].Items = append(out[last].Items, text)
		case kind == going:
			out[last].Text += " " + text
		default:
			out = append(out, block{Kind: kind, Text: text})
		}
		going = kind
		if kind == "heading" {
			going = ""
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch line = strings.TrimSpace(line); {
		case line == "":
			going = ""
		case headed.MatchString(line):
			add("heading", headed.FindStringSubmatch(line)[1])
		case bullet.MatchString(line):
			add("list", bullet.FindStringSubmatch(line)[1])
		case step.MatchString(line):
			add("steps", step.FindStringSubmatch(line)[1])
		case going == "" && heading.MatchString(line):
			add("heading", strings.TrimSuffix(line, ":"))
		default:
			add("paragraph", line)
		}
	}
	return out
}

// cut shortens a text to at most n runes.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return text
}
