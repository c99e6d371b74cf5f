package pg

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// knowUUIDs makes a connection send and read [uuid.UUID] as its sixteen bytes. By default
// pgx uses database/sql's interfaces: every id of every query is written as text, parsed,
// and packed again.
func knowUUIDs(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}})
	return nil
}

// uuidCodec is pgx's own, except for [uuid.UUID] and our own ids in binary format. It maps
// null to the zero id, both ways.
type uuidCodec struct{ pgtype.UUIDCodec }

// PlanEncode implements [pgtype.Codec].
func (c uuidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := idOf(value); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// PlanScan implements [pgtype.Codec].
func (c uuidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if idIn(target) != nil && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

func idOf(value any) (id uuid.UUID, ok bool) {
	switch v := value.(type) {
	case uuid.UUID:
		return v, true
	case PersonID:
		return v.UUID, true
	case CallID:
		return v.UUID, true
	default:
		return uuid.Nil, false
	}
}

func idIn(target any) *uuid.UUID {
	switch t := target.(type) {
	case *uuid.UUID:
		return t
	case *PersonID:
		return &t.UUID
	case *CallID:
		return &t.UUID
	default:
		return nil
	}
}

type uuidPlan struct{}

// Encode implements [pgtype.EncodePlan].
func (uuidPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, ok := idOf(value)
	if !ok {
		return nil, fmt.Errorf("encode uuid: %T is none", value)
	}
	if id == uuid.Nil {
		return nil, nil
	}
	return append(buf, id[:]...), nil
}

// Scan implements [pgtype.ScanPlan].
func (uuidPlan) Scan(src []byte, target any) (err error) {
	id := idIn(target)
	if id == nil {
		return fmt.Errorf("scan uuid: %T is no place for it", target)
	}
	if *id = uuid.Nil; src == nil {
		return nil
	}
	if *id, err = uuid.FromBytes(src); err != nil {
		return fmt.Errorf("scan uuid: %w", err)
	}
	return nil
}
