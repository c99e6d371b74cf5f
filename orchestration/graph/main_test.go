package graph_test

import (
	"testing"

	"github.com/naiber/naiber/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
