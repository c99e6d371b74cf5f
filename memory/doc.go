// Package memory remembers people. What nAIber may use about a person in a call
// comes from here, as short sentences.
//
// [Profile] is what is known without any search: the person's record, who cares
// for them, what the last calls were about. Nothing is remembered, and nothing
// recalled, of a person who did not consent to being remembered.
package memory
