// Command naiber phones elderly people, keeps them company and makes sure that
// a human being hears of it when something is wrong.
package main

import (
	"os"

	"github.com/naiber/naiber/app"
)

func main() { os.Exit(app.Main(os.Args[1:])) }
