package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// knowUUIDs has a connection send and read [uuid.UUID] as its sixteen bytes. By
// itself pgx goes through database/sql's interfaces: every id of every query is
// written as text, parsed, and packed again.
func knowUUIDs(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}})
	return nil
}

// uuidCodec is pgx's own but for [uuid.UUID] in binary.
type uuidCodec struct{ pgtype.UUIDCodec }

// PlanEncode implements [pgtype.Codec].
func (c uuidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// PlanScan implements [pgtype.Codec].
func (c uuidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

type uuidPlan struct{}

// Encode implements [pgtype.EncodePlan].
func (uuidPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, ok := value.(uuid.UUID)
	if !ok {
		return nil, fmt.Errorf("encode uuid: %T is none", value)
	}
	return append(buf, id[:]...), nil
}

// Scan implements [pgtype.ScanPlan].
func (uuidPlan) Scan(src []byte, target any) error {
	id, ok := target.(*uuid.UUID)
	if !ok || src == nil {
		return errors.New("scan uuid: null, or no place for it")
	}
	parsed, err := uuid.FromBytes(src)
	if err != nil {
		return fmt.Errorf("scan uuid: %w", err)
	}
	*id = parsed
	return nil
}
