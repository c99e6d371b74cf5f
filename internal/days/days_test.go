package days

import (
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/internal/english"
)

// saturday is when the questions are asked.
var saturday = time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)

func TestSpanishPeriods(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ question, want string }{ // the first and the last day
		{"¿qué le conté ayer?", "2026-03-13 2026-03-13"},
		{"lo que pasó anteayer", "2026-03-12 2026-03-12"},
		{"lo hablamos antier", "2026-03-12 2026-03-12"},
		{"antes de ayer fui al médico", "2026-03-12 2026-03-12"},
		{"¿qué le dije el martes?", "2026-03-10 2026-03-10"},
		{"el martes pasado vino mi hija", "2026-03-10 2026-03-10"},
		{"la semana pasada estuve en cama", "2026-03-02 2026-03-08"},
		{"¿qué hice esta semana?", "2026-03-09 2026-03-15"},
		{"el mes pasado", "2026-02-01 2026-02-28"},
		{"en febrero nevó mucho", "2026-02-01 2026-02-28"},
		{"el año pasado me operaron", "2025-01-01 2025-12-31"},
		{"el tres de mayo", "2025-05-03 2025-05-03"},
		{"el 24 de diciembre cenamos juntos", "2025-12-24 2025-12-24"},
		{"el uno de marzo", "2026-03-01 2026-03-01"},
		{"el primero de marzo", "2026-03-01 2026-03-01"},
		{"hace una semana me caí", "2026-03-04 2026-03-10"},
		{"hace tres días", "2026-03-11 2026-03-11"},
		{"hace dos semanas", "2026-02-25 2026-03-03"},
		{"hace un mes se casó mi nieta", "2026-02-01 2026-02-28"},
		{"hace dos años murió mi perro", "2024-01-01 2024-12-31"},
		{"el domingo pasado", "2026-03-08 2026-03-08"},
		{"anoche no dormí", "2026-03-13 2026-03-13"},
		{"esta mañana", "2026-03-14 2026-03-14"},
		{"hoy vino el cartero", "2026-03-14 2026-03-14"},
		{"en 1962 me casé", "1962-01-01 1962-12-31"},
		{"en el 58 nos fuimos a Caracas", "1958-01-01 1958-12-31"},
		{"en los años setenta vivíamos en Sevilla", "1970-01-01 1979-12-31"},
		{"en los sesenta", "1960-01-01 1969-12-31"},
		{"en agosto fuimos al pueblo", "2025-08-01 2025-08-31"},
		{"el día de Navidad", "2025-12-25 2025-12-25"},
		{"en Nochebuena", "2025-12-24 2025-12-24"},
		{"el día de Año Nuevo", "2026-01-01 2026-01-01"},
		{"el verano pasado", "2025-06-01 2025-08-31"},
		{"el fin de semana pasado", "2026-03-07 2026-03-08"},
		{"el doce de octubre", "2025-10-12 2025-10-12"},
		{"el jueves me llamó mi hermano", "2026-03-12 2026-03-12"},
		{"antes de anoche no pegué ojo", "2026-03-12 2026-03-12"},
		{"el 5 de este mes", "2026-03-05 2026-03-05"},
		{"el 31 de abril", ""},
		{"el 29 de febrero nació mi nieto", "2024-02-29 2024-02-29"},
		{"el día de Reyes", "2026-01-06 2026-01-06"},
		{"el pan cuesta tres euros", ""},

		{"mañana viene mi hija", ""},
		{"por la mañana tomo café", ""},
		{"hasta mañana", ""},
		{"hoy en día todo es caro", ""},
		{"mi hija tiene cuarenta años", ""},
		{"tengo tres hijos", ""},
		{"no veo a mi hermano los domingos", ""},
		{"el sol sale para todos", ""},
		{"el treinta y uno de diciembre", "2025-12-31 2025-12-31"},
		{"", ""},
	} {
		got := ""
		if span, ok := Period("spanish", tt.question, saturday); ok {
			got = span.From.Format(time.DateOnly) + " " + span.To.AddDate(0, 0, -1).Format(time.DateOnly)
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.question, got, tt.want)
		}
	}
	english, okEnglish := english.Period("What did I say last Tuesday?", saturday)
	if got, ok := Period("english", "What did I say last Tuesday?", saturday); got != english || ok != okEnglish {
		t.Errorf("in English %v, %v", got, ok)
	}
}

func TestResolveSpanish(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sentence string
		reading  english.Reading
		want     string
	}{
		{"Ayer fue al médico.", english.ByTense, "El viernes 13 de marzo de 2026 fue al médico."},
		{"Su hija vino anteayer con los niños.", english.ByTense, "Su hija vino el jueves 12 de marzo de 2026 con los niños."},
		{"La operaron el año pasado.", english.ByTense, "La operaron en 2025."},
		{"Su perro murió hace dos semanas.", english.ByTense, "Su perro murió hacia el 28 de febrero de 2026."},
		{"El martes va al mercado.", english.ByTense, "El martes va al mercado."}, // which one is not certain
		{"Los martes va al mercado.", english.ByTense, "Los martes va al mercado."},
		{"Lee el periódico de ayer.", english.ByTense, "Lee el periódico de ayer."},
		{"Se casó el tres de mayo.", english.ByTense, "Se casó el tres de mayo."},
		{"Llamar el martes.", english.Promised, "Llamar el martes 17 de marzo de 2026."},
		{"Mañana viene el cartero.", english.Planned, "El domingo 15 de marzo de 2026 viene el cartero."},
		{"She went yesterday.", english.ByTense, "She went on Friday 13 March 2026."}, // a model may write English
	} {
		if got, _ := Resolve("spanish", tt.sentence, saturday, tt.reading); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.sentence, got, tt.want)
		}
	}
}

func TestHangsOnDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Ayer vino su hija.": true, "El martes va al médico.": true, "She came yesterday.": true,
		"Nació en 1940.": false, "Le gustan las rosas.": false, "Toma café por la mañana.": false,
	} {
		if got := HangsOnDay(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestNextOnInSpanish(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"mi cumpleaños es el doce de abril": "2026-04-12", "nací el 3 de enero": "2027-01-03", "el 29 de febrero": "2028-02-29", "on 12 May": "2026-05-12", "un día": "",
	} {
		got := ""
		if day, ok := NextOn("spanish", text, saturday); ok {
			got = day.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Every rule of the file has a meaning.
func TestEveryKindIsKnown(t *testing.T) {
	t.Parallel()
	l := languages["spanish"]
	lists := []string{"numbers", "dates", "units", "weekdays", "months", "seasons", "decades", "quick", "part", "n", "unit", "weekday", "month", "date", "season", "decade", "year", "short"}
	for key := range l.file {
		kind := strings.Fields(key)[0]
		if kinds[kind] == nil && kind != "never" && !strings.HasPrefix(kind, "text_") && !strings.Contains(" "+strings.Join(lists, " ")+" ", " "+kind+" ") {
			t.Errorf("nothing is read by %q", key)
		}
	}
}

func FuzzPeriod(f *testing.F) {
	for _, s := range []string{"ayer", "hace 999 días", "el 99 de mayo", "en el 00", "hace un año, el martes", "año nuevo\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if span, ok := Period("spanish", text, saturday); ok && (!span.From.Before(span.To) || span.From.After(saturday)) {
			t.Errorf("%q is %v", text, span)
		}
		Resolve("spanish", text, saturday, english.Promised)
	})
}

func BenchmarkPeriod(b *testing.B) {
	for _, bb := range []struct{ name, config, question string }{
		{"english", "english", "What did I tell you about my sister's garden last Tuesday?"},
		{"english number", "english", "Do you remember the 3 cats that we had when the children were small?"},
		{"spanish", "spanish", "¿Qué le conté del jardín de mi hermana el martes pasado?"},
		{"spanish none", "spanish", "¿Se acuerda de los gatos que teníamos cuando los niños eran chicos?"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				Period(bb.config, bb.question, saturday)
			}
		})
	}
}
