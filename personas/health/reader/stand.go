package reader

import "strings"

// standsFor reports whether the yes or no at tokens i up to j is an answer by itself. A "no" before
// a noun only negates that noun ("no wonder", "no one rang"), unless the noun is what was asked
// about ("no falls"); "sure", "rather", "never" and the like may just as well belong to the next
// word ("sure as eggs").
func (r telling) standsFor(i, j int) bool {
	switch {
	case r.starts(i, cue.WrongPerson):
		return false
	case !r.follows(j):
		return true
	case r.in(i, cue.IfUnmarked) && r.marked():
		return false
	case r.in(j-1, cue.Nothing) && r.in(j, cue.ButExcept):
		return false // "nothing but the pain"
	case r.starts(j, cue.Particles):
		return true
	case r.in(i, cue.ItsThats) && r.in(j-1, cue.Not), r.in(i, cue.TheItNo) && !r.in(i, cue.No):
		return r.ends(j) && !r.in(j, cue.Like) // "it does not", and not "it's not like it was"
	case r.lx.inflected && j-i > 1 && r.in(j-1, cue.No):
		return r.ends(j) || r.in(j, cue.NoNext) || r.about(j, j+4) // "yo no me di con nada" says something else
	case r.in(i, cue.No) && j == i+1:
		return !r.starts(i, cue.NoIdioms) && (r.toks[j].plain || r.in(j, cue.Joiners) || r.in(j, cue.NoNext) || r.in(j, cue.Selves) ||
			r.in(j, cue.Others) && !r.in(j, cue.One) || r.aux(j) != 0 || r.about(j, j+4))
	case r.in(j, cue.Of):
		return r.in(j+1, cue.Those) && r.plainUntilPause(j+2)
	case !r.in(i, cue.Loose) && (!r.in(i, cue.No) || r.aux(j) != 0 || r.in(i+1, cue.No) || j-i > 2):
		return true
	}
	return r.ends(j) || r.in(j, cue.LooseNext)
}

// marked reports whether the text has accents, so that a yes without its accent is the other word:
// "si me caigo, me levanto".
func (r *text) marked() bool {
	return strings.ContainsAny(r.said, "áéíóúÁÉÍÓÚ")
}

// exclaims reports whether an "oh no" is an exclamation about a mishap: "oh no, I've dropped it".
func (r telling) exclaims(i, j int) bool {
	_, to := r.around(i, j, hard)
	return r.starts(i-1, cue.OhNo) && r.any(j, min(j+5, to), cue.Mishaps)
}
