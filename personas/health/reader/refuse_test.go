package reader_test

import (
	"testing"

	"github.com/naiber/naiber/personas/health/reader"
)

// TestNoRefusal has replies with the words of refusing, of skipping and of putting off
// that do none of it.
func TestNoRefusal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ question, said string }{
		{"energy", "I'm not telling a lie when I say I'm tired."},
		{"energy", "I won't tell you a lie, it's a four."},
		{"energy", "I'm not saying it's bad, a five I'd say."},
		{"energy", "I'm not explaining this very well."},
		{"energy", "I won't say it again, it's a six."},
		{"pain", "I'd rather not complain, it's a four."},
		{"pain", "I don't like to complain. A three."},
		{"pain", "I don't give in to it, a six."},
		{"pain", "I'll pass out if I stand up."},
		{"pain", "It's an eight, I can't pass water for the pain."},
		{"pain", "The doctor won't say what it is. Seven."},
		{"pain", "I don't talk much these days. Seven."},
		{"mood", "I wouldn't say that. A seven."},
		{"mood", "My son and I, we don't speak. A four."},
		{"mood", "I don't talk to my sister any more. Three."},
		{"mood", "I'm not going into hospital till next week."},
		{"sleepq", "I share a room, I don't share a bed. Six."},
		{"pills", "I fell asleep, but I don't think I missed a dose."},
		{"pills", "I pass the chemist every day."},
		{"pills", "I'll take the next one at noon."},
		{"pills", "The next one is at six."},
		{"pills", "I'll do it later."},
		{"pills", "I'll take them later on."},
		{"pills", "I leave them till last."},
		{"pills", "I missed a dose."},
		{"pills", "I skip them now and then."},
		{"pills", "I don't bother with them."},
		{"pills", "She won't give me them."},
		{"pills", "I won't be answering the door, I'm in bed."},
		{"missed", "I don't give them a miss, no."},
		{"missed", "I skipped one on the Monday."},
		{"missed", "No, I'd never skip it."},
		{"fall", "Don't tell my daughter, but I fell."},
		{"fall", "I fell, but I'm not telling my son."},
		{"fall", "I go past the shops and I've never fallen."},
		{"fall", "Next door's boy fell off his bike."},
		{"breath", "I have to stop and pass the time on the landing."},
		{"breath", "It'll come back to me."},
		{"dizzy", "I feel I'm going to pass out."},
		{"dizzy", "I pass water a lot."},
		{"ate", "I skip lunch."},
		{"ate", "I gave breakfast a miss."},
		{"ate", "I'll skip lunch today."},
		{"ate", "I can't leave the cake alone."},
		{"sleepc", "I moved on to the sofa. Poor."},
		{"usual", "I get on better with the next meal. Same."},
		{"walk", "I can move on my own."},
		{"walk", "I can go on my own to the next street."},
		{"walk", "I won't be pushed, I do it by myself."},
		{"glasses", "I'd like another cup. Two."},
		{"glasses", "I'll have another one later. Two so far."},
		{"falls", "There are ten years between me and my sister."},
		{"meter", "I won't do it again till noon."},
		{"plans", "I'm going to the doctor next week."},
		{"plans", "The next day I go to my sister."},
		{"plans", "I have to leave the house at nine."},
		{"plans", "I'm not going into town today."},
		{"plans", "I'd rather not go out in this weather."},
		{"plans", "I won't be answering the door, the grandchildren are coming."},
		{"plans", "First the doctor, then on to my sister's."},
		{"plans", "I pass the time with the crossword."},
		{"else", "My son runs his own business in Leeds."},
		{"else", "My daughter says I shouldn't leave it till later."},
		{"else", "I told them I won't give my cat away."},
		{"symptoms", "I pass blood now and again."},
		{"symptoms", "It comes and goes and then it comes back to me at night."},
		{"symptoms", "I'd rather not complain but my knee is swollen."},
		{"bed", "Later than usual, about eleven."},
		{"bed", "I leave the house at nine and I'm in bed by ten."},
		{"bed", "I couldn't put the book down, so midnight."},
		{"wake", "I don't get up till next door's dog barks, at seven."},
		{"lunch", "I skip lunch."},
		{"lunch", "I'd an early one, half past twelve."},
		{"dose", "I leave it till after the news, at ten in the evening."},
	} {
		q, ok := question(tt.question)
		if !ok {
			t.Fatalf("no question %q", tt.question)
		}
		if r := reader.Read(q, tt.said, now); r.Status == reader.Refused || r.Status == reader.Skipped {
			t.Errorf("Read(%s, %q) = %s on %q", tt.question, tt.said, r.Status, r.Quote)
		}
	}
}
