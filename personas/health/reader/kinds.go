package reader

// asked is a reply and the question that it is read for. Each kind of question, and each other
// purpose, has its own type based on it.
type asked struct {
	*text
	q *Question
}

type (
	numeric   struct{ asked } // reads a number on a scale or an amount
	timing    struct{ asked } // reads a time of day
	choosing  struct{ asked } // reads one of some options
	telling   struct{ asked } // reads a yes or no, and statements about an event
	declining struct{ asked } // finds a refusal, or a wish for the next question
	passing   struct{ asked } // reads a clause for a question that was not asked
	talking   struct{ *text } // finds words about the call
	revising  struct{ *text } // finds earlier answers that are taken back
)

func (r *text) ask(q *Question) asked { return asked{r, q} }
func (r *text) talking() talking      { return talking{r} }
func (r *text) revising() revising    { return revising{r} }
func (r asked) numeric() numeric      { return numeric{r} }
func (r asked) timing() timing        { return timing{r} }
func (r asked) choosing() choosing    { return choosing{r} }
func (r asked) telling() telling      { return telling{r} }
func (r asked) declining() declining  { return declining{r} }
func (r asked) passing() passing      { return passing{r} }
