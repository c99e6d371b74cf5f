package mail_test

import (
	"flag"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/naiber/naiber/jobs/mail"
)

var update = flag.Bool("update", false, "rewrite the golden mails")

func ours(host string) bool { return host == "parts.example.com" || host == "video.example.com" }

func render(tb testing.TB, s mail.Summary) mail.Rendered {
	tb.Helper()
	r, err := mail.Render(s, ours)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestRender(t *testing.T) {
	t.Parallel()
	r := render(t, mail.Summary{
		Title: "Your Kestrel dishwasher KDW482SS",
		Body: "You told us that it **will not start** & that \"nothing\" happens.\n\n## Parts that may help\n- Control board (KP3406971), $249.99\n- Door latch\n\n" +
			"Steps:\n1. Switch off the current.\n2) Open the door.\n```json\n{\"a\": 1}\n```\nSee https://evil.example.net/x or www.evil.example or evil.com for more.\n" +
			"Write to ada@example.org. {\"parts\": [{\"n\": \"x\"}]}\n<script>alert(1)</script>",
		Videos: []mail.Link{
			{Title: "How to put it in", URL: "https://video.example.com/embed/abc?x=1&y=2"},
			{Title: "Foreign", URL: "https://evil.example.net/v"},
			{Title: "Twice", URL: "https://video.example.com/embed/abc?x=1&y=2"},
			{URL: "javascript:alert(1)"},
			{URL: "https://me@video.example.com/"},
			{URL: "https://video.example.com:8443/"},
		},
		Images:  []mail.Link{{Title: `Board "<b>"`, URL: "https://Parts.example.com/i/KP3406971.jpg"}},
		HelpURL: "https://help.example.org/kestrel",
	})
	for name, got := range map[string]string{"testdata/summary.html": r.HTML, "testdata/summary.txt": r.Subject + "\n\n" + r.Text} {
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	checkHTML(t, r)
}

func TestRenderSpeaksThePersonsLanguage(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{"": "that you asked for", "es-MX": "que usted pidió", "de": "um die Sie gebeten haben", "fr": "that you asked for"} {
		r := render(t, mail.Summary{Title: "Kestrel", Body: "Hello.", Language: language})
		if !strings.Contains(r.Text, want) || !strings.Contains(r.HTML, want) {
			t.Errorf("%q: %s", language, r.Text)
		}
	}
	if r := render(t, mail.Summary{}); r.Subject != "nAIber" {
		t.Errorf("subject = %q", r.Subject)
	}
}

var scheme = regexp.MustCompile(`(?i)(?:https?|ftp)://[^\s"<>]*`)

// elements are those that a mail is made of.
var elements = []string{"html", "head", "meta", "title", "body", "table", "tbody", "tr", "td", "h1", "h2", "p", "ul", "ol", "li", "a", "img", "br"}

// checkHTML wants no element and no attribute but ours, and no address but those that
// are allowed.
func checkHTML(tb testing.TB, r mail.Rendered) {
	tb.Helper()
	fine := func(address string) bool {
		u, err := url.Parse(address)
		return err == nil && u.User == nil && (u.Scheme == "https" || u.Scheme == "http") && (ours(strings.ToLower(u.Host)) || u.Host == "help.example.org")
	}
	doc, err := html.Parse(strings.NewReader(r.HTML))
	if err != nil {
		tb.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode || n.Type == html.ElementNode && !slices.Contains(elements, n.Data) {
			tb.Errorf("there is a <%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "href", "src":
				if !fine(a.Val) {
					tb.Errorf("it leads to %q", a.Val)
				}
			case "style", "alt", "width", "lang", "charset", "name", "content", "role", "cellpadding", "cellspacing", "align":
			default:
				tb.Errorf("there is an attribute %s", a.Key)
			}
		}
	}
	for _, address := range scheme.FindAllString(r.Text, -1) {
		if !fine(address) {
			tb.Errorf("the text has %q", address)
		}
	}
	if strings.ContainsAny(r.Subject, "\r\n") {
		tb.Errorf("subject = %q", r.Subject)
	}
}

func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"", "<img src=x onerror=alert(1)>", "</title><script>", "# Heading\n- a\n1. b", "```", "{\"a\":{\"b\":[1]}}", "[x](https://evil.example)", "ht\u200btps://evil.example/",
		"https://parts.example.com.evil.example/", "https://parts.example.com@evil.example/", "https://parts.example.com\\@evil.example/", "javascript:alert(1)", "//evil.example",
		"http://[::1]/", "\" style=\"x", "a\r\nBcc: x@example.net", "https://help.example.org/?q=\"><b>", "HTTPS://VIDEO.example.com/a b", "\xff\x00", "data:text/html,x",
	} {
		f.Add(s, s, s, s)
	}
	f.Fuzz(func(t *testing.T, title, body, name, address string) {
		links := []mail.Link{{Title: name, URL: address}, {Title: title, URL: "https://video.example.com/" + address}}
		checkHTML(t, render(t, mail.Summary{Title: title, Body: body, Videos: links, Images: links, HelpURL: "https://help.example.org/"}))
	})
}
