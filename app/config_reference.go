package app

import (
	"fmt"
	"strings"
)

// OptionDoc describes one option to a reader.
type OptionDoc struct {
	Key     string // the path in the file, and the flag's name
	Env     string
	Default string // as in the file
	Doc     string
	Secret  bool
}

// OptionDocs lists all options in the order of config.yaml.
func OptionDocs() []OptionDoc {
	defaults := Default()
	docs := make([]OptionDoc, len(options))
	for i, o := range options {
		docs[i] = OptionDoc{
			Key: o.key, Env: o.envName(), Default: yamlValue(valueOf(o.field(&defaults))), Doc: o.doc, Secret: o.secret(),
		}
	}
	return docs
}

const referenceHead = `# nAIber's configuration: every option with its default, and why it is there.
#
# What is set here is overridden by the environment variable named at its end,
# and that by a flag of the option's name: naiber serve --server.port 4000
# Unknown keys are mistakes. A key without a value keeps its default. Secrets
# are better kept in the environment than in this file.
`

// Reference is config.yaml: the options with their defaults.
func Reference() string {
	c := Default()
	return c.render(referenceHead, func(o *option) string {
		return "# " + o.doc + " [" + o.envName() + "]\n"
	})
}

// Redacted is cfg as a file, without comments but with where each value that is
// not a default comes from. Secrets do not show.
func (c Config) Redacted() string {
	return c.render("", func(o *option) string {
		if source := c.from[o.key]; source != "" {
			return "# from " + source + "\n"
		}
		return ""
	})
}

func (c Config) render(head string, comment func(*option) string) string {
	var b strings.Builder
	b.WriteString(head)
	current := ""
	for _, o := range options {
		section, name, nested := strings.Cut(o.key, ".")
		indent := "  "
		if !nested {
			section, name, indent = "", o.key, ""
		}
		if section != current {
			current = section
			if head != "" {
				fmt.Fprintf(&b, "\n# %s", sections[section])
			}
			fmt.Fprintf(&b, "\n%s:\n", section)
		} else if !nested && head != "" {
			b.WriteString("\n")
		}
		if c := comment(o); c != "" {
			b.WriteString(indent + c)
		}
		fmt.Fprintf(&b, "%s%s: %s\n", indent, name, yamlValue(valueOf(o.field(&c))))
	}
	return b.String()
}
