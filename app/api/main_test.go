package api

import (
	"testing"

	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
