package vectors

import (
	"context"
	"fmt"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Ensure implements [Store]. It creates the collection and its payload indexes if they are
// missing, and refuses a collection that was made for something else with an error that
// says what to do.
func (d *Qdrant) Ensure(ctx context.Context, dims int) error {
	if err := checkDims(dims); err != nil {
		return err
	}
	info, err := d.collection(ctx)
	if err != nil {
		return err
	}
	if info == nil {
		if err := d.create(ctx, dims); err != nil {
			return err
		}
		if info, err = d.collection(ctx); err != nil {
			return err
		}
	}
	if err := d.fits(info, dims); err != nil {
		return err
	}
	if err := d.index(ctx, info.GetPayloadSchema()); err != nil {
		return err
	}
	d.dims.Store(int64(dims))
	return nil
}

// collection returns the server's description of the collection, or nil if there is none.
func (d *Qdrant) collection(ctx context.Context) (*qdrant.CollectionInfo, error) {
	var info *qdrant.CollectionInfo
	err := d.read(ctx, "look up", func(ctx context.Context) (err error) {
		info, err = d.client.GetCollectionInfo(ctx, d.cfg.Collection)
		if status.Code(err) == codes.NotFound {
			info, err = nil, nil
		}
		return err
	})
	return info, err
}

// create creates the collection. It also succeeds if another process created it first.
func (d *Qdrant) create(ctx context.Context, dims int) error {
	return d.write(ctx, "create collection for", func(ctx context.Context) error {
		err := d.client.CreateCollection(ctx, &qdrant.CreateCollection{
			CollectionName: d.cfg.Collection,
			VectorsConfig: qdrant.NewVectorsConfig(&qdrant.VectorParams{
				Size: uint64(dims), Distance: qdrant.Distance_Cosine, //nolint:gosec // checkDims bounds it
			}),
		})
		if status.Code(err) != codes.AlreadyExists && !d.exists(ctx, err) {
			return err
		}
		return nil
	})
}

// exists reports whether err, from creating the collection, means that it already exists.
// Older servers report that with the code for any invalid argument.
func (d *Qdrant) exists(ctx context.Context, err error) bool {
	if err == nil || status.Code(err) != codes.InvalidArgument {
		return false
	}
	there, asked := d.client.CollectionExists(ctx, d.cfg.Collection)
	return asked == nil && there
}

// fits checks that a collection holds vectors of the right size and distance.
func (d *Qdrant) fits(info *qdrant.CollectionInfo, dims int) error {
	name := d.cfg.Collection
	if info == nil {
		return fmt.Errorf("collection %q is gone again: %w", name, ErrNotReady)
	}
	have := info.GetConfig().GetParams().GetVectorsConfig().GetParams()
	const advice = "name another collection (qdrant.collection), and embed all memories again into it"
	switch {
	case have == nil:
		return fmt.Errorf("collection %q has no single unnamed vector: %w; %s", name, ErrNotReady, advice)
	case have.GetSize() != uint64(dims): //nolint:gosec // checkDims bounds it
		return fmt.Errorf("collection %q is for vectors of %d dimensions and the embedding model makes %d: %w; %s",
			name, have.GetSize(), dims, ErrDimension, advice)
	case have.GetDistance() != qdrant.Distance_Cosine:
		return fmt.Errorf("collection %q compares by %s and not by cosine: %w; %s", name, have.GetDistance(), ErrNotReady, advice)
	}
	return nil
}

// index creates the missing indexes. Filters need them: a server in strict mode refuses a
// filter on a key without an index.
func (d *Qdrant) index(ctx context.Context, have map[string]*qdrant.PayloadSchemaInfo) error {
	for _, key := range []string{keyPerson, keySession, keyProject, keyKind, keyModel} {
		if have[key].GetDataType() == qdrant.PayloadSchemaType_Keyword {
			continue
		}
		params := &qdrant.KeywordIndexParams{}
		if key == keyPerson {
			params.IsTenant = new(true) // stores a person's points next to each other
		}
		err := d.write(ctx, "index "+key+" of", func(ctx context.Context) error {
			_, err := d.client.CreateFieldIndex(ctx, &qdrant.CreateFieldIndexCollection{
				CollectionName: d.cfg.Collection, Wait: new(true), FieldName: key,
				FieldType: qdrant.FieldType_FieldTypeKeyword.Enum(), FieldIndexParams: qdrant.NewPayloadIndexParamsKeyword(params),
			})
			return err
		})
		if err != nil && !d.indexed(ctx, key, err) {
			return err
		}
	}
	return nil
}

// indexed reports whether creating an index failed because another process created it
// first: that index may have been the last that strict mode allows.
func (d *Qdrant) indexed(ctx context.Context, key string, err error) bool {
	if status.Code(err) != codes.InvalidArgument {
		return false
	}
	info, asked := d.collection(ctx)
	return asked == nil && info.GetPayloadSchema()[key].GetDataType() == qdrant.PayloadSchemaType_Keyword
}
