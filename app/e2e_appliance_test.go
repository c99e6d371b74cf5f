package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// mailView is an e-mail as the API shows it.
type mailView struct{ ID, To, Subject, HTML, Text, Error string }

// mails are the e-mails that were caught for an address, newest first, as a whole.
func (h *house) mails(to string) []mailView {
	h.t.Helper()
	var list struct{ Items []mailView }
	h.must(http.MethodGet, "/api/v1/mails?limit=50", nil, &list)
	list.Items = slices.DeleteFunc(list.Items, func(m mailView) bool { return m.To != to })
	for i, m := range list.Items {
		h.must(http.MethodGet, "/api/v1/mails/"+m.ID, nil, &list.Items[i])
	}
	return list.Items
}

// The appliance helper in a whole sandbox: on the console's page, in a call of its own,
// and within a friendly call.
func TestApplianceHelper(t *testing.T) {
	t.Parallel()
	h := openSandbox(t)
	dorothy := h.addPerson(object{
		"name": "Dorothy Finch", "preferredName": "Dorothy", "phone": "+15550101010", "timezone": "America/Boise",
		"contacts": []object{{"name": "Ruth Finch", "relation": "daughter", "phone": "+15550101011", "email": "ruth.finch@example.org", "priority": 1}},
	})
	t.Run("page", func(t *testing.T) { h.in(t).applianceInABrowser() })
	t.Run("call", func(t *testing.T) { h.in(t).applianceCall(dorothy, "appliance_help") })
	t.Run("general", func(t *testing.T) { h.in(t).applianceCall(dorothy, "general") })
}

// applianceCall lets Dorothy's script answer a call: she reads the model's number wrong, asks
// whether the part fits and how it is put in, and has it all sent to her daughter.
func (h *house) applianceCall(dorothy person, callType string) {
	h.t.Helper()
	const to = "ruth.finch@example.org"
	before := len(h.mails(to))
	var c callView
	for range 6 { // she is out now and then
		if c = h.ended(h.placeAs(dorothy, callType)); c.Outcome == "reached" {
			c = h.settled(c.ID)
			break
		}
	}
	ours, hers := strings.Join(c.said("assistant"), "\n"), strings.Join(c.said("user"), "\n")
	if c.Outcome != "reached" || c.EndedCause != "goodbye" {
		h.t.Errorf("the call came to %s, %s", c.Outcome, c.EndedCause)
	}
	for _, want := range []string{
		"the model number", "four, eight, two, S, S, is that right?", "Control Board", "249 dollars 99", "Yes, that part fits", "Shall I send it to", "I have sent you the video",
	} {
		if !strings.Contains(ours, want) {
			h.t.Errorf("nAIber never said %q", want)
		}
	}
	for _, never := range []string{"http", "www.", "ruth.finch", "KDW482FS"} {
		if strings.Contains(ours, never) {
			h.t.Errorf("nAIber said %q", never)
		}
	}
	if !containsAll(hers, "two, F, S", "that's right", "send it to my daughter") {
		h.t.Error("Dorothy was not asked what she was to be asked")
	}
	sent := h.mails(to)
	if len(sent) != before+1 || !containsAll(sent[0].Text, "KDW482SS", "Control Board", "KP3406971") {
		h.t.Errorf("%d e-mails, want %d: %+v", len(sent), before+1, sent)
	}
	if h.t.Failed() {
		for _, l := range c.Transcript {
			h.t.Logf("%s: %s", l.Role, l.Text)
		}
	}
}

// applianceInABrowser has a conversation on the console's page, by the keyboard alone, and looks
// at the e-mail as a program for e-mails shows it.
func (h *house) applianceInABrowser() {
	h.t.Helper()
	var mu sync.Mutex // guards asked
	var asked []string
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Host+r.URL.Path)
		_, _ = io.WriteString(w, "somewhere else")
	}))
	loaded := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(asked)
	}
	h.t.Cleanup(elsewhere.Close)
	b := browse(h, "--ignore-certificate-errors", "--host-resolver-rules=MAP *.example "+elsewhere.Listener.Addr().String())
	b.enter(h.url)
	b.tabTo(`document.activeElement.textContent == "Appliances"`)
	b.presses("Enter")
	b.until("the page", `document.activeElement.id == "appliance-title"`)
	b.writes("My KDW482SS dishwasher won't start, and the dishes come out dirty", "diagnose_repair", "Control Board KP3406971$249.99", "Helps with: Will Not Start")
	b.writes("Will it fit?", "check_compatibility", "✓ Yes, KP3406971 fits KDW482SS.")
	b.writes("Actually I meant KP2240331, does that fit?", "check_compatibility", "✗ No, KP2240331 does not fit KDW482SS.")
	b.writes("Actually I meant KP3406971, show me how to install it", "install_instruction", "Control Board KP3406971", "Play the video here")
	b.writes("Email me the summary", "", "address")
	b.writes("ann@example.org", "email_summary", "✓ The summary goes to ann@example.org.")
	if got := loaded(); len(got) > 0 {
		h.t.Errorf("loaded from other hosts unasked: %q", got)
	}
	b.writes("Wait, I can smell gas now", "", "leave the house")

	b.leaves("location.reload()")
	b.until("the conversation again", `document.getElementById("appliance-log")?.textContent.includes("ann@example.org.Show the e-mail")`)
	b.do(`document.getElementById("appliance-title").focus()`)
	b.tabTo(`document.activeElement.textContent == "Show picture"`)
	b.presses("Enter")
	b.until("the focus on the picture", `document.activeElement.title.startsWith("Picture of ")`)
	await(h, "the picture", func() ([]string, bool) {
		got := loaded()
		return got, slices.Equal(got, []string{"parts.example/images/KP3406971.jpg"})
	})

	sent := h.mails("ann@example.org")
	if len(sent) != 1 {
		h.t.Fatalf("%d e-mails, want 1: %+v", len(sent), sent)
	}
	b.do(`location.hash = "#/mails/` + sent[0].ID + `"`)
	b.until("the mailbox", fmt.Sprintf(`document.getElementById("mail-subject").textContent == %q && document.getElementById("mail-text").textContent.includes("KDW482SS")`, sent[0].Subject))
	if got := loaded(); len(got) != 1 {
		h.t.Errorf("the mailbox loads pictures: %q", got)
	}

	inbox := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, sent[0].HTML)
	}))
	h.t.Cleanup(inbox.Close)
	b.leaves(fmt.Sprintf("location.href = %q", inbox.URL))
	b.until("the e-mail", `document.body != null && document.body.innerText.includes("KP3406971")`)
	for what, holds := range map[string]string{
		"a teal header with the title": `[...document.querySelectorAll("*")].some((e) => getComputedStyle(e).backgroundColor == "rgb(51, 119, 120)" && e.innerText.trim() && e.getBoundingClientRect().height > 20)`,
		"gold accents":                 `[...document.querySelectorAll("*")].some((e) => Object.values(getComputedStyle(e)).length && /rgb\(243, 192, 76\)/.test(getComputedStyle(e).borderColor + getComputedStyle(e).backgroundColor + getComputedStyle(e).color + getComputedStyle(e).borderLeftColor))`,
		"the video":                    `[...document.links].some((a) => a.href == "https://parts.example/videos/KP3406971")`,
		"links to known hosts alone":   `[...document.links].every((a) => ["parts.example", ""].includes(a.hostname) || a.protocol == "mailto:")`,
		"no script":                    `document.scripts.length == 0`,
	} {
		if b.do(holds) != "true" {
			h.t.Errorf("the e-mail has not %s:\n%s", what, sent[0].HTML)
		}
	}
	if got := loaded(); slices.ContainsFunc(got, func(a string) bool { return !strings.HasPrefix(a, "parts.example/images/") }) {
		h.t.Errorf("the e-mail loads more than pictures of parts: %q", got)
	}
}

// writes sends a message to the appliance helper, waits for its reply and looks for texts in
// it, and for what the tool has shown.
func (b *tab) writes(text, tool string, wants ...string) {
	b.h.t.Helper()
	n := b.do(`document.querySelectorAll("#appliance-log article").length`)
	b.do(`document.getElementById("appliance-text").focus()`)
	b.types(text)
	b.presses("Enter")
	b.until("the reply to "+text, `document.querySelectorAll("#appliance-log article").length > `+n+` + 1 && document.getElementById("appliance-state").textContent == ""`)
	got := b.do(`document.querySelector("#appliance-log").lastElementChild.textContent`)
	if !containsAll(got, wants...) || b.do(`document.querySelector("#appliance-log").lastElementChild.querySelector(".found") != null`) != strconv.FormatBool(tool != "") {
		b.h.t.Errorf("%s: got %q, want %q", text, got, wants)
	}
}

// tabTo presses Tab until the focus is where it is wanted.
func (b *tab) tabTo(condition string) {
	b.h.t.Helper()
	for range 100 {
		if b.do(condition) == "true" {
			return
		}
		b.presses("Tab")
	}
	b.h.t.Fatalf("Tab never comes to %s", condition)
}
