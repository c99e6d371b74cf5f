package app

import (
	"fmt"
	"strings"
)

const referenceHead = `# nAIber's configuration: every option with its default, and why it is there.
#
# What is set here is overridden by the environment variable named at its end,
# and that by a flag of the option's name: naiber serve --server.port 4000
# Unknown keys are mistakes. A key without a value keeps its default. Secrets
# are better kept in the environment than in this file.
`

// Reference returns the text of config.yaml: all options with their defaults.
func Reference() string {
	c := Default()
	var b strings.Builder
	b.WriteString(referenceHead)
	current := ""
	for _, o := range options {
		section, name, nested := strings.Cut(o.key, ".")
		indent := "  "
		if !nested {
			section, name, indent = "", o.key, ""
		}
		if section != current {
			current = section
			fmt.Fprintf(&b, "\n# %s\n%s:\n", sections[section], section)
		} else if !nested {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s# %s [%s]\n%s%s: %s\n", indent, o.doc, o.envName(), indent, name, yamlValue(valueOf(o.field(&c))))
	}
	return b.String()
}
