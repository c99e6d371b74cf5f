package model

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed talk.yaml
var talkYAML string

// A subject is what can be said about one kind of thing.
type subject struct {
	React []string `yaml:"react"`
	Sorry []string `yaml:"sorry"`
	Ask   []string `yaml:"ask"`
}

// talk is everything that the companion can say, by occasion.
type talk struct {
	Openings    []string           `yaml:"openings"`
	Greetings   []string           `yaml:"greetings"`
	HowAreYou   []string           `yaml:"howareyou"`
	AskFeeling  []string           `yaml:"askfeeling"`
	Identity    []string           `yaml:"identity"`
	Who         []string           `yaml:"who"`
	Privacy     []string           `yaml:"privacy"`
	NoMoney     []string           `yaml:"nomoney"`
	Hushed      []string           `yaml:"hushed"`
	Advice      []string           `yaml:"advice"`
	Crisis      []string           `yaml:"crisis"`
	WrongPerson []string           `yaml:"wrongperson"`
	Farewells   []string           `yaml:"farewells"`
	Thanks      []string           `yaml:"thanks"`
	Silence     []string           `yaml:"silence"`
	Again       []string           `yaml:"again"`
	Clock       []string           `yaml:"clock"`
	Help        []string           `yaml:"help"`
	AboutMe     []string           `yaml:"aboutme"`
	Remembered  []string           `yaml:"remembered"`
	Noted       []string           `yaml:"noted"`
	Recalled    []string           `yaml:"recalled"`
	Unrecalled  []string           `yaml:"unrecalled"`
	Yes         []string           `yaml:"yes"`
	No          []string           `yaml:"no"`
	Short       []string           `yaml:"short"`
	Glad        []string           `yaml:"glad"`
	Sorry       []string           `yaml:"sorry"`
	General     subject            `yaml:"general"`
	Subjects    map[string]subject `yaml:"subjects"`
	Spare       spare              `yaml:"spare"`
}

// spare holds the parts that lines are made of when the written ones are used.
type spare struct {
	ReactHead []string `yaml:"reactHead"`
	ReactTail []string `yaml:"reactTail"`
	AskHead   []string `yaml:"askHead"`
	AskBody   []string `yaml:"askBody"`
	AskTail   []string `yaml:"askTail"`
}

// theTalk is the embedded file, read on first use. A mistake in it is a broken
// invariant, and a test reads the file.
var theTalk = sync.OnceValue(func() *talk {
	t, err := parseTalk(talkYAML)
	if err != nil {
		panic(err)
	}
	return t
})

func parseTalk(text string) (*talk, error) {
	var t talk
	if err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict()).Decode(&t); err != nil {
		return nil, fmt.Errorf("read the companion's lines: %w", err)
	}
	return &t, nil
}
