package limits

import (
	"testing"
)

func TestIllness(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]string{
		"Type 2 diabetes": "diabetes", "diabetes mellitus type II": "diabetes", "arthritis": "arthritis", "arthritis in both knees": "arthritis",
		"Heart failure (mild)": "Heart failure", "congestive heart failure": "heart failure", "Parkinson's disease": "Parkinson", "COPD": "COPD",
		"chronic kidney disease, stage 3": "kidney disease", "high blood pressure": "blood pressure", "rheumatoid arthritis": "arthritis",
		"disease": "disease", "": "",
	} {
		if got := illness(condition, "english"); got != want {
			t.Errorf("%q is spoken of as %q, not %q", condition, want, got)
		}
	}
	if got := illness("artritis reumatoide tipo 1", "spanish"); got != "artritis reumatoide" {
		t.Errorf("in Spanish %q", got)
	}
}
