package telephony

import "testing"

// FuzzE164: what is read as a telephone number is one that can be kept, and is
// read as the same number again.
func FuzzE164(f *testing.F) {
	for _, s := range []string{"+15550100123", "+1 555 010 0123;ext=5", "anonymous", "sip:ada@example.org", "+266696687", "+０１２３", "+49 (0) 30 1", "tel:+1-555-010-0123"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		number, err := e164(s)
		if err != nil {
			return
		}
		if !e164Form.MatchString(number) {
			t.Errorf("%q is read as %q", s, number)
		}
		if again, err := e164(number); again != number {
			t.Errorf("%q is read as %q, that as %q, %v", s, number, again, err)
		}
	})
}
