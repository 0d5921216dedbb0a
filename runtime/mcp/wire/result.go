package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm/wording"
	"shelly/runtime/misfit"
)

// Result reads a call's result. Content that the library cannot read, such as that of a type of a
// later version, becomes a text that says so. The library would also round long numbers of the
// structured content.
func Result(b []byte) (*sdk.CallToolResult, error) {
	r := &sdk.CallToolResult{}
	b = bounded(b)
	err := json.Unmarshal(b, r)
	if err != nil {
		err = json.Unmarshal(readable(b), r)
	}
	if err != nil {
		return nil, misfit.Worded(err)
	}
	var exact struct {
		StructuredContent any `json:"structuredContent"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&exact); err != nil {
		return nil, err
	}
	r.StructuredContent = exact.StructuredContent
	return r, nil
}

// bounded returns a result with at most itemsMax items of content, and one that says that there are more.
func bounded(result []byte) []byte {
	if len(result) < 2*itemsMax {
		return result
	}
	var fields map[string]json.RawMessage
	var content items
	if json.Unmarshal(result, &fields) != nil || json.Unmarshal(fields["content"], &content) != nil || len(content) <= itemsMax {
		return result
	}
	content[itemsMax], _ = json.Marshal(map[string]string{"type": "text", "text": fmt.Sprintf("[more than %d items of content; the others are not shown]", itemsMax)})
	fields["content"], _ = json.Marshal([]json.RawMessage(content)) // each has been parsed
	if b, err := json.Marshal(fields); err == nil {
		return b
	}
	return result
}

// readable returns a result with a text in place of each item of its content that cannot be read.
func readable(result []byte) []byte {
	var fields map[string]json.RawMessage
	var items []json.RawMessage
	if json.Unmarshal(result, &fields) != nil || json.Unmarshal(fields["content"], &items) != nil {
		return result
	}
	for i, item := range items {
		if json.Unmarshal(fmt.Appendf(nil, `{"content":[%s]}`, item), &sdk.CallToolResult{}) == nil {
			continue
		}
		items[i], _ = json.Marshal(map[string]string{"type": "text", "text": "[" + Unshown(item) + "]"})
	}
	content, err := json.Marshal(items)
	if err != nil {
		return result
	}
	fields["content"] = content
	if b, err := json.Marshal(fields); err == nil {
		return b
	}
	return result
}

// Unshown says of an item of a result's content that it cannot be shown.
func Unshown(item []byte) string {
	var of struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(item, &of) != nil || of.Type == "" {
		return "content without a type; it cannot be shown"
	}
	return fmt.Sprintf("content of the type %s; it cannot be shown", wording.Quote(of.Type))
}
