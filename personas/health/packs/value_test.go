package packs

func Scale(n int) Value { return Value{Type: TypeScale, Number: float64(n)} }

func Bool(yes bool) Value { return Value{Type: TypeBoolean, Bool: yes} }

func Number(n float64, unit string) Value { return Value{Type: TypeNumber, Number: n, Unit: unit} }

func Text(s string) Value { return Value{Type: TypeText, Text: s} }

func Time(clock string) Value { return Value{Type: TypeTime, Text: clock} }
