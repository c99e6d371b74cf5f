package reader

// standsFor reports whether the yes or no at tokens i up to j is an answer by
// itself. A "no" before a noun denies that noun only ("no wonder", "no one rang"),
// unless the noun is what was asked about ("no falls"); "sure", "rather", "never" and
// their like may as well belong to the word behind them ("sure as eggs").
func (r *reply) standsFor(q Question, i, j int) bool {
	if r.starts(i, cue.WrongPerson) {
		return false
	}
	if r.before(j) != run || j >= len(r.toks) {
		return true
	}
	next := r.at(j)
	if w := r.at(j - 1); (w == "nothing" || w == "none") && (next == "but" || next == "except") {
		return false // "nothing but the pain"
	}
	if r.starts(j, cue.Particles) {
		return true
	}
	no := r.at(i) == "no" && j == i+1
	if no {
		if r.starts(i, cue.NoIdioms) {
			return false
		}
		return r.toks[j].plain || r.lx.is(next, cue.Joiners) || r.lx.is(next, cue.NoNext) || r.lx.is(next, cue.Selves) || r.lx.is(next, cue.Others) && next != "one" ||
			r.lx.aux(next) != 0 || r.about(q, j, j+4)
	}
	if next == "of" {
		return r.in(j+1, cue.Those) && r.plainUntilPause(j+2)
	}
	if !r.in(i, cue.Loose) && (r.at(i) != "no" || r.lx.aux(next) != 0 || r.phrase(i, j) == "no no" || j-i > 2) {
		return true
	}
	return r.plainUntilPause(j) || r.lx.is(next, cue.Joiners) || r.lx.is(next, cue.LooseNext)
}

// exclaims reports whether "oh no" cries out over a mishap: "oh no, I've dropped it".
func (r *reply) exclaims(i, j int) bool {
	if r.at(i) != "no" || r.at(i-1) != "oh" {
		return false
	}
	for k := j; k < min(j+5, len(r.toks)) && r.before(k) != hard; k++ {
		if r.in(k, cue.Mishaps) {
			return true
		}
	}
	return false
}
