package handmade

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Upload creates the chat model of a script under a name on the server at baseURL
// (http://host:port), replacing any model of that name.
func Upload(ctx context.Context, baseURL, name string, script Script) error {
	gguf, err := Chat(script)
	if err != nil {
		return fmt.Errorf("make model %s: %w", name, err)
	}
	return upload(ctx, baseURL, name, gguf, script.template())
}

// UploadEmbedding creates the embedding model under a name.
func UploadEmbedding(ctx context.Context, baseURL, name string) error {
	return upload(ctx, baseURL, name, Embedding(), "")
}

// Delete removes a model. The server removes its file too.
func Delete(ctx context.Context, baseURL, name string) error {
	body, err := json.Marshal(map[string]string{"model": name})
	if err != nil {
		return err
	}
	return call(ctx, http.MethodDelete, baseURL, "/api/delete", body)
}

// upload sends a file as a blob and makes a model of it. One thread is enough for so small a model;
// several would wait for one another on a busy machine.
func upload(ctx context.Context, baseURL, name string, gguf []byte, template string) error {
	sum := sha256.Sum256(gguf)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	// A server that has the blob answers before it has read the upload, whose rest then fails: so
	// ask first.
	blob := "/api/blobs/" + digest
	if call(ctx, http.MethodHead, baseURL, blob, nil) != nil {
		if err := call(ctx, http.MethodPost, baseURL, blob, gguf); err != nil {
			return err
		}
	}
	create := map[string]any{
		"model":      name,
		"files":      map[string]string{"model.gguf": digest},
		"parameters": map[string]any{"temperature": 0, "num_thread": 1},
		"stream":     false,
	}
	if template != "" {
		create["template"] = template
	}
	body, err := json.Marshal(create)
	if err != nil {
		return err
	}
	return call(ctx, http.MethodPost, baseURL, "/api/create", body)
}

const errorBytesMax = 4 << 10

// call sends a request to the server directly, without a proxy.
func call(ctx context.Context, method, baseURL, path string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(baseURL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, errorBytesMax))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, text)
	}
	return nil
}
