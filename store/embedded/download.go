package embedded

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/ulikunitz/xz"
)

// download downloads a build and unpacks it into a folder.
func download(ctx context.Context, cfg Config, version, to string) error {
	name := "embedded-postgres-binaries-" + build()
	url := cfg.Mirror + "/io/zonky/test/postgres/" + name + "/" + version + "/" + name + "-" + version + ".jar"
	client := fetcher()
	jar, err := get(ctx, client, url, cfg.Progress)
	if err != nil {
		return err
	}
	published, err := get(ctx, client, url+".sha256", cfg.Progress)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(jar); hex.EncodeToString(sum[:]) != strings.TrimSpace(string(published)) {
		return errors.New("the checksums of what came and of what is published differ")
	}
	return unpack(jar, to)
}

// fetcher returns a client that keeps no idle connections: one not yet returned to the pool
// when the pool is closed would stay open forever.
func fetcher() *http.Client {
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableKeepAlives: true}}
}

// build returns zonky.io's name of the builds for this machine.
func build() string {
	arch := map[string]string{"arm64": "arm64v8", "arm": "arm32v7"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	if _, err := os.Stat("/etc/alpine-release"); err == nil {
		arch += "-alpine"
	}
	return runtime.GOOS + "-" + arch
}

// progressStep is the number of bytes per line of progress.
const progressStep = 4 << 20

func get(ctx context.Context, client *http.Client, url string, say func(string)) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", req.URL.Host, resp.Status)
	}
	var all bytes.Buffer
	for {
		_, err := io.CopyN(&all, resp.Body, progressStep)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read from %s: %w", req.URL.Host, err)
		}
		if resp.ContentLength > progressStep {
			say(fmt.Sprintf("  fetched %d of %d MB", all.Len()>>20, resp.ContentLength>>20))
		}
		if err != nil {
			return all.Bytes(), nil
		}
	}
}

// unpack writes the files of a build, an xz-compressed tar archive in a jar, into a folder.
func unpack(jar []byte, to string) error {
	outer, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	if err != nil {
		return fmt.Errorf("open the jar: %w", err)
	}
	i := slices.IndexFunc(outer.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, ".txz") })
	if i < 0 {
		return errors.New("the jar holds no binaries")
	}
	packed, err := outer.File[i].Open()
	if err != nil {
		return fmt.Errorf("open the jar: %w", err)
	}
	defer func() { _ = packed.Close() }()
	plain, err := xz.NewReader(packed)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	root, err := os.OpenRoot(to) // prevents names in the archive from leading out of it
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	defer func() { _ = root.Close() }()
	for archive := tar.NewReader(plain); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = place(root, entry, archive)
		}
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
	}
}

func place(root *os.Root, entry *tar.Header, content io.Reader) error {
	name := path.Clean(entry.Name)
	if entry.Typeflag == tar.TypeDir {
		return root.MkdirAll(name, 0o755)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if entry.Typeflag == tar.TypeSymlink {
		return root.Symlink(entry.Linkname, name)
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, entry.FileInfo().Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
