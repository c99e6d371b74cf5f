package elders_test

import (
	"fmt"

	"github.com/naiber/naiber/app/sandbox/elders"
)

// A call, as whoever drives a script goes through it.
func ExampleScript() {
	all, err := elders.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	bernice, _ := elders.Find(all, "bernice")
	if ring := bernice.Ring(1); ring.Outcome != elders.Answer {
		fmt.Println("nobody answers")
		return
	}
	call := elders.NewScript(bernice, 1)
	fmt.Println(call.Next("").Say)
	fmt.Println(call.Next("Hello Bernice, this is nAIber.").Say)
	fmt.Println(call.Next("Goodbye, Bernice.").Say)
	fmt.Println(call.Next("").HangUp)
	// Output:
	// Aloha, Bernice speaking.
	// Hello, nice to hear from you.
	// I have to go to my ukulele group now. Goodbye!
	// true
}
