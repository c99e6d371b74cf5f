package telephony

import (
	"embed"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/goccy/go-yaml"
	"golang.org/x/text/unicode/norm"

	"github.com/naiber/naiber/telephony/prompts"
)

//go:embed notices
var noticeFiles embed.FS

// noticeText holds the texts about alerts over the telephone network, in one language.
type noticeText struct {
	voice string
	Text  struct {
		Reply, More, Emergency, Taken, Ring, Next, By, Declined, Unclear, Stopped, Started, Neutral, Gone string
		OptedOut                                                                                          string `yaml:"opted_out"`
	}
	Call struct {
		Hello, Operator, Keys, Silence, Details, Ring, Emergency, Again, By, Declined, Machine, Over string
		Connect, Connecting, Gone, Busy, Through                                                     string
	}
}

var noticeTexts = func() map[string]noticeText {
	all := make(map[string]noticeText)
	for _, language := range prompts.Languages() {
		data, err := noticeFiles.ReadFile("notices/" + language + ".yaml")
		if err != nil {
			panic(err) // it is embedded in the program, as are the others
		}
		w := noticeText{voice: prompts.Voice(language)}
		if err := yaml.UnmarshalWithOptions(data, &w, yaml.Strict()); err != nil {
			panic("notices/" + language + ".yaml: " + err.Error())
		}
		all[language] = w
	}
	return all
}()

func noticeWords(language string) noticeText { return noticeTexts[prompts.Language(language)] }

// fill replaces each {name} by its value, given as pairs of name and value.
func fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// gsm7 and gsm7Double are the characters of a text message that needs no more than seven bits for
// each (3GPP TS 23.038), and those of them that count twice.
const (
	gsm7 = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
		"¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà" + gsm7Double
	gsm7Double = "\f^{}\\[~]|€"
)

// segments returns the number of parts in which a text message is sent, and paid for.
func segments(text string) int {
	n, one, more := 0, 160, 153
	for _, r := range text {
		if !strings.ContainsRune(gsm7, r) {
			n, one, more = len(utf16.Encode([]rune(text))), 70, 67
			break
		}
		n++
		if strings.ContainsRune(gsm7Double, r) {
			n++
		}
	}
	if n <= one {
		return 1
	}
	return (n + more - 1) / more
}

// texted returns a text as it is sent: without accents and with plain quotes and dashes if that
// takes fewer segments, else unchanged.
func texted(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune(gsm7, r):
			b.WriteRune(r)
		case strings.ContainsRune("‘’‚", r):
			b.WriteByte('\'')
		case strings.ContainsRune("“”„", r):
			b.WriteByte('"')
		case strings.ContainsRune("–—", r):
			b.WriteByte('-')
		case r == '…':
			b.WriteString("...")
		default:
			b.WriteString(plainLetters(string(r)))
		}
	}
	if plain := b.String(); segments(plain) < segments(text) {
		return plain
	}
	return text
}

// plainLetters removes accents.
func plainLetters(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text)))
}

// figures returns a telephone number with its digits separated, to be spoken one by one.
func figures(phone string) string { return strings.Join(strings.Split(phone, ""), " ") }
