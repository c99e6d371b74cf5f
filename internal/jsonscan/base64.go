package jsonscan

// notBase64 is 0 for the bytes of the standard base64 alphabet and 1 for all
// others, padding included.
var notBase64 = func() (table [256]byte) {
	for i := range table {
		table[i] = 1
	}
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		table[c] = 0
	}
	return table
}()

// IsBase64 reports whether b is padded standard base64, without decoding it.
// Nothing is base64 of nothing.
func IsBase64(b []byte) bool {
	if len(b)%4 != 0 {
		return false
	}
	if n := len(b); n > 0 && b[n-1] == '=' {
		b = b[:n-1]
		if b[n-2] == '=' {
			b = b[:n-2]
		}
	}
	var bad byte
	for _, c := range b {
		bad |= notBase64[c]
	}
	return bad == 0
}
