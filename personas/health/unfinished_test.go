package health

import "testing"

// What has only begun is waited for, and what is whole is not: at the question that ends a
// check, taking one for the other loses what follows, or keeps a person waiting who is done.
func TestBreaksOff(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"no, wait", "Nothing. Oh, there is one thing.", "It was on the tip of my tongue", "I had it a moment ago", "It's to do with",
		"My ankles are", "Since Tuesday I've had", "I keep getting these", "Oh, just that when I", "Only that the doctor wants",
		"The doctor said", "My knee, it", "My left knee is.", "This afternoon I'm going to", "I've been having trouble with", "They",
		"That's all. Oh, wait", "I'm not", "not so", "It was because of", "I can't sleep when", "Desde el martes tengo", "Mi hijo dice", "Mi rodilla está",
		"No duermo porque me", "Nada. Ah, hay una cosa", "Lo tengo en la punta de la lengua", "Me duele al",
	} {
		if !unfinished(said) && !breaksOff(said) {
			t.Errorf("%q: whole, want more to follow", said)
		}
	}
	for _, said := range []string{
		"nothing that I know of", "that is it", "no, that's all there is", "as well as it is", "the same as it was", "Yes, it is.",
		"No, I haven't", "No, I've told you all I have", "I should rest a lot, the doctor said", "I took it", "I can't help it",
		"something to look forward to", "that's what it's for", "That's how it was", "It hurts", "my husband did", "I don't know when",
		"no, not that I can think of", "that's all I wanted to say", "I can't wait", "have my hair done and my feet seen to", "It slipped my mind.",
		"No, I'm not", "that's that", "my sister had just that", "eso es todo lo que tengo", "no, así está", "no que yo sepa",
		"todo igual que estaba", "no tengo", "así es", "no lo sé", "la cabeza no para", "todavía", "pase a otra cosa",
	} {
		if unfinished(said) || breaksOff(said) {
			t.Errorf("%q: more to follow, want whole", said)
		}
	}
}

// A piece that ends in a negation turns what follows it round; a "no" alone is an answer.
func TestNegates(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"I'm not": true, "It isn't,": true, "I don't feel": true, "I wouldn't say I'm": true, "not so": true, "I have no": true, "never": true,
		"Of course not": false, "I'd rather not": false, "No": false, "No, no.": false, "Seven": false, "It hurts": false,
		"No es": true, "No estoy": true, "No me siento": true, "nunca": true, "creo que no": false, "pues no": false,
	} {
		if got := negates(said); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
}
