package reader_test

import (
	"testing"

	"github.com/naiber/naiber/personas/health/reader"
)

// TestIntentInLanguages reads what replies are for in the other languages.
func TestIntentInLanguages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		language string
		want     reader.Intent
		said     string
	}{
		{"es", reader.IntentExit, "bueno hija te tengo que dejar que se me quema el arroz"},
		{"es", reader.IntentExit, "Oiga, ya me cansé de tanta pregunta, hasta luego."},
		{"es", reader.IntentExit, "mejor llámeme mañana que hoy no puedo"},
		{"es", reader.IntentExit, "lo dejamos por hoy"},
		{"es", reader.IntentExit, "adios adios"},
		{"es", reader.IntentExit, "tengo que cortar, vino el plomero"},
		{"es", reader.IntentExit, "ya estuvo bueno por hoy"},
		{"es", reader.IntentExit, "chau querida"},
		{"es", reader.IntentExit, "no quiero seguir con esto"},
		{"es", reader.IntentNone, "En el corral, esta mañana."},
		{"es", reader.IntentExit, "seguimos otro día si le parece"},
		{"es", reader.IntentExit, "ahora no puedo hablar, estoy en misa"},
		{"es", reader.IntentNone, "me voy para los lados al andar"},
		{"es", reader.IntentNone, "dejé de tomar la del azúcar"},
		{"es", reader.IntentRepeat, "¿mande?"},
		{"es", reader.IntentRepeat, "¿cómo dice usted?"},
		{"es", reader.IntentRepeat, "hable más alto que no le oigo"},
		{"es", reader.IntentExplain, "no entiendo qué quiere decir"},
		{"es", reader.IntentHold, "espéreme tantito que tocan"},
		{"es", reader.IntentHold, "un momentito por favor"},
		{"es", reader.IntentDistress, "me duele mucho el pecho y no puedo respirar"},
		{"es", reader.IntentDistress, "yo ya no quiero vivir"},
		{"es", reader.IntentWrongPerson, "soy su hija, mi madre está durmiendo"},
		{"es", reader.IntentYes, "sí, así es"},
		{"es", reader.IntentYes, "Cómo no."},
		{"es", reader.IntentYes, "Cómo no, dígame"},
		{"es", reader.IntentRepeat, "¿Cómo?"},
		{"es", reader.IntentNo, "no, eso no lo dije yo"},
		{"es", reader.IntentFiller, "pues…"},
		{"de", reader.IntentExit, "Ich muss jetzt auflegen, auf Wiederhören."},
		{"de", reader.IntentExit, "tschüss"},
		{"de", reader.IntentExit, "rufen Sie morgen an"},
		{"de", reader.IntentExit, "mir reicht es jetzt"},
		{"de", reader.IntentRepeat, "Wie bitte?"},
		{"de", reader.IntentHold, "einen Moment bitte"},
		{"de", reader.IntentYes, "ja, das stimmt"},
		{"de", reader.IntentNo, "nein, das stimmt nicht"},
		{"de", reader.IntentDistress, "Ich kriege keine Luft."},
	} {
		if got := reader.IntentIn(tt.said, reader.Context{Locale: tt.language}); got != tt.want {
			t.Errorf("%s: IntentIn(%q) = %q, want %q", tt.language, tt.said, got, tt.want)
		}
	}
}

// TestSpanishBeside reads what Spanish replies tell of other questions, and what they
// take back.
func TestSpanishBeside(t *testing.T) {
	t.Parallel()
	var open []reader.Question
	in := now
	for _, id := range []string{"energy", "pain", "pills", "fall", "sleepc", "glasses"} {
		var q reader.Question
		q, in, _ = questionIn(id, "es")
		open = append(open, q)
	}
	for _, tt := range []struct{ said, id, want string }{
		{"dormí muy bien y ya me tomé las pastillas", "sleepc", "answered good"},
		{"dormí muy bien y ya me tomé las pastillas", "pills", "answered yes"},
		{"la energía un siete, pero el dolor es un cinco", "pain", "answered 5"},
		{"no me he caído, gracias a Dios, y de energía un seis", "fall", "answered no"},
		{"se me olvidaron las pastillas", "pills", "answered no"},
	} {
		if got := written(reader.ReadMany(open, tt.said, in)[tt.id]); got != tt.want {
			t.Errorf("ReadMany(%q)[%s] = %q, want %q", tt.said, tt.id, got, tt.want)
		}
	}
	if got := written(reader.Read(open[0], "póngale nueve y no diez, que hoy me falta siesta", in)); got != "answered 9" {
		t.Errorf("nine and not ten is %q", got)
	}
	for _, said := range []string{"Perdone, me equivoqué, el dolor es un cuatro.", "Quise decir que el dolor es un cuatro.", "lo del dolor cámbielo a un cuatro"} {
		got := reader.Corrections(open[:2], said, in)
		if len(got) != 1 || got[0].ID != "pain" || written(got[0].Reading) != "answered 4" {
			t.Errorf("Corrections(%q) = %+v, want pain 4", said, got)
		}
	}
}
