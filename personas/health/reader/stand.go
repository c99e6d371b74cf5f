package reader

// standsFor reports whether the yes or no at tokens i up to j is an answer by
// itself. A "no" before a noun denies that noun only ("no wonder", "no one rang"),
// unless the noun is what was asked about ("no falls"); "sure", "rather", "never" and
// their like may as well belong to the word behind them ("sure as eggs").
func (r *reply) standsFor(q Question, i, j int) bool {
	w := &r.lx.yesno
	if n, _ := r.lx.intents.wrongPerson.at(r.toks, i); n > 0 {
		return false
	}
	if r.before(j) != run || j >= len(r.toks) {
		return true
	}
	next := r.at(j)
	if w := r.at(j - 1); (w == "nothing" || w == "none") && (next == "but" || next == "except") {
		return false // "nothing but the pain"
	}
	if n, _ := w.particles.at(r.toks, j); n > 0 {
		return true
	}
	no := r.at(i) == "no" && j == i+1
	if no {
		if n, _ := w.noIdioms.at(r.toks, i); n > 0 {
			return false
		}
		return r.plain[j] || r.lx.joiners[next] || w.noNext[next] || r.lx.selves[next] || r.lx.others[next] && next != "one" ||
			w.aux[next] != 0 || r.about(q, j, j+4)
	}
	if next == "of" {
		return w.those[r.at(j+1)] && r.plainUntilPause(j+2)
	}
	if !w.loose[r.at(i)] && (r.at(i) != "no" || w.aux[next] != 0 || r.phrase(i, j) == "no no" || j-i > 2) {
		return true
	}
	return r.plainUntilPause(j) || r.lx.joiners[next] || w.looseNext[next]
}

// exclaims reports whether "oh no" cries out over a mishap: "oh no, I've dropped it".
func (r *reply) exclaims(i, j int) bool {
	w := &r.lx.yesno
	if r.at(i) != "no" || r.at(i-1) != "oh" {
		return false
	}
	for k := j; k < min(j+5, len(r.toks)) && r.before(k) != hard; k++ {
		if w.mishaps[r.at(k)] {
			return true
		}
	}
	return false
}
