package jsonscan

import "encoding/json"

// AppendString appends s as a JSON string. Plain ASCII costs no allocation
// beyond growing dst.
func AppendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic("jsonscan: a string does not marshal: " + err.Error()) // it always does
			}
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
