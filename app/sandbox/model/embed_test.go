package model

import (
	"math"
	"strings"
	"testing"
)

// A pair is two texts, told alike or unlike by a person. Memories are on the
// left, what is asked or said later on the right.
type pair struct{ a, b string }

var alike = []pair{
	{"my daughter visits Sunday", "when does my girl come to see me?"},
	{"My daughter Helen visits on Sundays.", "Is Helen coming over on Sunday?"},
	{"My knee has been aching all week.", "How is the pain in your knee?"},
	{"I could not sleep last night.", "I was awake the whole night."},
	{"I did not sleep a wink.", "Lying awake again, tossing and turning."},
	{"The cat ran away but she came back.", "How is your kitty?"},
	{"My dog Biscuit loves the park.", "I took the puppy for a walk in the park."},
	{"I feel so alone since he died.", "It gets lonely without my late husband, I miss him."},
	{"The roses are blooming in the garden.", "How are the flowers in your yard?"},
	{"I have an appointment with the doctor on Tuesday.", "When am I seeing the physician?"},
	{"I forgot to take my pills this morning.", "Did you take your medicine today?"},
	{"I fell in the kitchen yesterday.", "Have you had a tumble lately?"},
	{"I baked a blueberry pie.", "She loves baking cakes and pies."},
	{"We used to dance to the big band on Saturdays.", "Do you remember dancing the waltz?"},
	{"My grandson Peter plays hockey.", "How is Peter's game going?"},
	{"My wife passed away in March.", "Her funeral was in the spring, I still miss my wife."},
	{"It has been raining all day.", "What a wet day, such a downpour."},
	{"I go to mass every Sunday.", "Do you still go to church?"},
	{"The dishwasher is broken again.", "Something is wrong with my dishwasher."},
	{"I am worried about the heating bill.", "She frets over bills and money."},
	{"I sang in the choir for thirty years.", "Tell me about your singing."},
	{"My blood pressure was high at the check-up.", "What about your hypertension?"},
	{"My son Tom lives in Calgary.", "Have you heard from your boy Tom?"},
	{"I was a school teacher in Moose Jaw.", "What was it like teaching those pupils?"},
	{"My back hurts when I bend.", "Is your backache any better?"},
	{"I like reading mystery novels.", "Which book are you reading now?"},
	{"I feel dizzy when I get up.", "Any dizziness lately?"},
	{"My neighbour Ruth brings me groceries.", "Who helps with the shopping? Ruth from next door?"},
	{"I had soup for lunch.", "What did you eat at lunchtime? A bowl of broth?"},
	{"I am knitting a blue sweater.", "How is the knitting coming along?"},
	{"We farmed wheat near Salina.", "He worked on the farm, harvesting wheat."},
	{"My hearing aid whistles.", "Is your hearing aid working?"},
	{"The snow is deep and it is freezing.", "Is it icy outside in the snow?"},
	{"Somebody rang and wanted gift cards.", "That phone call about gift cards was a scam."},
	{"I feel sad and cry a lot.", "You sounded unhappy, tearful even."},
	{"I was in the hospital for an operation.", "How was your stay at the clinic, the surgery?"},
	{"My granddaughter Lucia is getting married.", "When is Lucia's wedding?"},
	{"I keep forgetting where I put things.", "Are you more forgetful lately?"},
	{"I moved into a care home last year.", "How do you like the nursing home?"},
	{"I turned ninety, and we had a party.", "How was your birthday celebration?"},
	{"I watch quiz shows on television.", "What is on the telly tonight?"},
	{"I was a carpenter on the railway.", "He used to be a carpenter."},
}

var unlike = []pair{
	{"my daughter visits Sunday", "The dishwasher is broken."},
	{"My knee has been aching all week.", "I baked a blueberry pie."},
	{"I could not sleep last night.", "My son Tom lives in Calgary."},
	{"The cat ran away but she came back.", "What is on the telly tonight?"},
	{"My dog Biscuit loves the park.", "Did you take your medicine today?"},
	{"I feel so alone since he died.", "The dishwasher needs a new filter."},
	{"The roses are blooming in the garden.", "Do you still go to church?"},
	{"I have an appointment with the doctor on Tuesday.", "We danced to the big band."},
	{"I forgot to take my pills this morning.", "How are the flowers in your yard?"},
	{"I fell in the kitchen yesterday.", "Which novel are you reading?"},
	{"I baked a blueberry pie.", "Is your backache any better?"},
	{"My grandson Peter plays hockey.", "What a wet day, such a downpour."},
	{"It has been raining all day.", "I sang in the choir for thirty years."},
	{"I go to mass every Sunday.", "How is the pain in your knee?"},
	{"I am worried about the heating bill.", "How is your kitty?"},
	{"My blood pressure was high at the check-up.", "When is Lucia's wedding?"},
	{"I was a school teacher in Moose Jaw.", "Lying awake again, tossing and turning."},
	{"I like reading mystery novels.", "Have you had a tumble lately?"},
	{"I feel dizzy when I get up.", "How is the knitting coming along?"},
	{"I had soup for lunch.", "It gets lonely without my late husband."},
	{"We farmed wheat near Salina.", "Is your hearing aid working?"},
	{"Somebody rang and wanted gift cards.", "How are the tomatoes in the greenhouse?"},
	{"I was in the hospital for an operation.", "Do you remember dancing the waltz?"},
	{"I watch quiz shows on television.", "Have you heard from your boy Tom?"},
	{"I was a carpenter on the railway.", "My wife likes tulips."},
	{"I keep forgetting where I put things.", "My grandson plays hockey in Toronto."},
	{"I moved into a care home last year.", "The trout were biting at the lake."},
	{"I turned ninety, and we had a party.", "My inhaler is empty."},
	{"The snow is deep and it is freezing.", "Who won the card game, bingo or bridge?"},
	{"I am knitting a blue sweater.", "My chest feels tight."},
}

// recallThreshold is the similarity above which a memory counts as recalled
// in the house (rag.similarity_threshold).
const recallThreshold = 0.45

func TestLikeTextsLandNearEachOther(t *testing.T) {
	t.Parallel()
	lowest, highest := 1.0, 0.0
	for _, p := range alike {
		got := likeness(p.a, p.b)
		lowest = min(lowest, got)
		if got < recallThreshold {
			t.Errorf("likeness(%q, %q) = %.2f, want at least %.2f", p.a, p.b, got, recallThreshold)
		}
	}
	for _, p := range unlike {
		got := likeness(p.a, p.b)
		highest = max(highest, got)
		if got >= recallThreshold {
			t.Errorf("likeness(%q, %q) = %.2f, want below %.2f", p.a, p.b, got, recallThreshold)
		}
	}
	t.Logf("%d alike, lowest %.2f; %d unlike, highest %.2f", len(alike), lowest, len(unlike), highest)
}

// What is asked must find its own memory before all others, which is what
// recall rests on; every right side is asked of all left sides.
func TestAQuestionFindsItsMemoryFirst(t *testing.T) {
	t.Parallel()
	found := 0
	for i, p := range alike {
		best, bestAt := -1.0, -1
		for j, q := range alike {
			if s := likeness(q.a, p.b); s > best {
				best, bestAt = s, j
			}
		}
		if bestAt == i {
			found++
			continue
		}
		t.Logf("%q found %q", p.b, alike[bestAt].a)
	}
	if found < len(alike)*85/100 {
		t.Errorf("%d of %d questions found their memory first", found, len(alike))
	}
}

func TestEmbedIsAUnitVectorOfTheSizeAsked(t *testing.T) {
	t.Parallel()
	for _, dims := range []int{1, 8, 256, 1536, 3072} {
		for _, text := range []string{"", "...", "the", "My knee hurts.", strings.Repeat("word ", 500), "héllo wörld 你好"} {
			v := vectorOf(text, dims)
			if len(v) != dims {
				t.Fatalf("embed(%q, %d) has %d dimensions", text, dims, len(v))
			}
			if n := math.Sqrt(cosine(v, v)); math.Abs(n-1) > 1e-6 {
				t.Errorf("embed(%q, %d) has length %f, want 1", text, dims, n)
			}
			if c := cosine(v, vectorOf(text, dims)); math.Abs(c-1) > 1e-9 {
				t.Errorf("embed(%q, %d) is not the same twice", text, dims)
			}
		}
	}
}

func TestLexiconIsWellFormed(t *testing.T) {
	t.Parallel()
	phrases := 0
	for key := range theLexicon() {
		n := strings.Count(key, ":")
		if n >= longestPhrase {
			t.Errorf("%s is too long to be found", key)
		}
		phrases += min(n, 1)
	}
	if words := len(theLexicon()) - phrases; words < 500 || phrases < 50 {
		t.Errorf("%d words and %d phrases", words, phrases)
	}
	for line := range strings.Lines(lexiconText) {
		_, list, _ := strings.Cut(strings.TrimSpace(line), ":")
		for entry := range strings.SplitSeq(list, ",") {
			if !strings.HasPrefix(line, "#") && small[strings.TrimSpace(entry)] {
				t.Errorf("the lexicon knows %q, which carries no subject", entry)
			}
		}
	}
}
