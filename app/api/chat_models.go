package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const (
	manifestName = "models.json"
	// maxManifest bounds the manifest, in bytes: a line for each of some thousand models.
	maxManifest = 1 << 20
	gigabyte    = 1 << 30
)

// chatModel is a model that may be asked for, or a file of one.
type chatModel struct {
	Name        string   `json:"name" doc:"What to ask for; a file's name, where it is one"`
	Label       string   `json:"label" doc:"What to show"`
	Description string   `json:"description,omitempty"`
	SizeGB      *float64 `json:"sizeGB,omitempty" doc:"Of a file, in GB of 2^30 bytes"`
	Source      string   `json:"source" enum:"server,folder" doc:"Who has it"`
}

type chatModels struct {
	Models []chatModel `json:"models"`
	// Degraded is set if the server does not answer but the folder does.
	Degraded []string `json:"degraded,omitempty" doc:"Who did not answer"`
}

type chatProps struct {
	ContextWindow int    `json:"contextWindow" doc:"In tokens; 0 where the server does not tell"`
	ModelAlias    string `json:"modelAlias"`
}

func (a *api) chatModels(h huma.API) {
	op := underChat("models", "/models")
	handle(a, h, op("list-models", http.MethodGet, "", "Models of the server, and files in the models folder", http.StatusOK, http.StatusInternalServerError, http.StatusServiceUnavailable), a.listModels)
	props := op("get-model-props", http.MethodGet, "/props", "What llama.cpp's server has loaded", http.StatusOK, http.StatusServiceUnavailable)
	handle(a, h, props, func(ctx context.Context, _ *none) (chatProps, error) {
		p, err := a.Models.Props(ctx)
		if err != nil {
			a.Log.WarnContext(ctx, "model server tells no properties", "err", err)
			return chatProps{}, huma.Error503ServiceUnavailable("The model server does not tell what it has loaded.")
		}
		return chatProps{ContextWindow: p.ContextWindow, ModelAlias: p.ModelAlias}, nil
	})
}

func (a *api) listModels(ctx context.Context, _ *none) (chatModels, error) {
	set, err := a.Chat.Settings(ctx)
	if err != nil {
		return chatModels{}, err
	}
	out := chatModels{Models: []chatModel{}}
	names, err := a.Models.Models(ctx)
	if err != nil {
		a.Log.WarnContext(ctx, "model server lists no models", "err", err)
		if set.ModelsFolderPath == nil {
			return chatModels{}, huma.Error503ServiceUnavailable("The model server does not answer just now.")
		}
		out.Degraded = []string{"model"}
	}
	for _, name := range names {
		out.Models = append(out.Models, chatModel{Name: name, Label: name, Source: "server"})
	}
	if set.ModelsFolderPath != nil {
		files, err := a.folderModels(ctx, *set.ModelsFolderPath)
		if err != nil {
			a.Log.ErrorContext(ctx, "models folder cannot be read", "err", err)
			return chatModels{}, huma.Error500InternalServerError("The models folder cannot be read.")
		}
		out.Models = append(out.Models, files...)
	}
	return out, nil
}

// folderModels returns the model files of a folder by name, with what its manifest says of them.
func (a *api) folderModels(ctx context.Context, path string) ([]chatModel, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	about, err := readManifest(filepath.Join(path, manifestName))
	if err != nil {
		a.Log.WarnContext(ctx, "manifest of the models folder left out", "err", err)
	}
	var out []chatModel
	for _, e := range entries {
		if !strings.EqualFold(filepath.Ext(e.Name()), ".gguf") {
			continue
		}
		info, err := os.Stat(filepath.Join(path, e.Name())) // follows links, since downloads often are links
		if err != nil || !info.Mode().IsRegular() {
			continue // a dangling link or no regular file
		}
		size := math.Round(float64(info.Size())/gigabyte*100) / 100
		m := chatModel{Name: e.Name(), Label: about[e.Name()].Label, Description: about[e.Name()].Description, SizeGB: &size, Source: "folder"}
		if m.Label == "" {
			m.Label = strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b chatModel) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// manifest holds the text to show for each file name.
type manifest map[string]struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// readManifest reads a manifest, or returns nil if there is none.
func readManifest(path string) (manifest, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	raw, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	return m, nil
}
