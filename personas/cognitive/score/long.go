package score

import "github.com/naiber/naiber/personas/cognitive/tasks"

func words(_ tasks.Task, _ tasks.Form, it tasks.Item, _ []Said) Score {
	return Score{Max: it.Max, Unclear: true}
}

func fluency(_ tasks.Task, it tasks.Item, _ []Said) Score { return Score{Max: it.Max, Unclear: true} }

func ideas(_ tasks.Task, _ tasks.Form, it tasks.Item, _ []Said) Score {
	return Score{Max: it.Max, Unclear: true}
}
