package openai_test

import (
	"fmt"
	"strings"
	"testing"
)

// Every field that OpenAI's SDKs send is accepted, or refused with a message that names it
// (FRT-3). The values are ones that ask for something.
func TestFRT3EveryFieldOfTheSDKsIsTakenOrRefusedInWords(t *testing.T) {
	taken := map[string]string{
		"frequency_penalty": "0.5", "presence_penalty": "0.5", "temperature": "0.7", "top_p": "0.9", "seed": "7", "logit_bias": `{"50256":-100}`,
		"max_tokens": "9", "max_completion_tokens": "9", "metadata": `{"a":"b"}`, "modalities": `["text"]`, "n": "1", "parallel_tool_calls": "true",
		"prompt_cache_key": `"a"`, "prompt_cache_options": "{}", "prompt_cache_retention": `"24h"`, "reasoning_effort": `"low"`, "response_format": `{"type":"text"}`,
		"safety_identifier": `"a"`, "service_tier": `"auto"`, "store": "true", "stream_options": `{"include_obfuscation":false}`, "tool_choice": `"none"`,
		"top_logprobs": "0", "user": `"a"`, "verbosity": `"low"`, "tools": "[]", "stop": "null", "logprobs": "false",
	}
	refused := map[string]string{
		"audio": `{"voice":"a"}`, "function_call": `{"name":"a"}`, "functions": "[{}]", "logprobs": "true", "moderation": `{"model":"a"}`, "modalities": `["audio"]`,
		"n": "2", "prediction": `{"type":"content"}`, "response_format": `{"type":"json_object"}`, "stop": `["a"]`, "tool_choice": `"required"`, "tools": "[{}]", "web_search_options": `{"a":1}`,
	}
	try(t, "/v1/chat/completions", `{"model":"shelly","messages":[{"role":"assistant","content":"Hi"}],%q:%s}`, taken, refused, "is the last message")
	taken = map[string]string{
		"background": "true", "include": `["a"]`, "instructions": `"a"`, "max_output_tokens": "9", "max_tool_calls": "3", "metadata": `{"a":"b"}`,
		"parallel_tool_calls": "true", "prompt_cache_key": `"a"`, "prompt_cache_options": "{}", "prompt_cache_retention": `"24h"`, "reasoning": `{"effort":"low"}`,
		"safety_identifier": `"a"`, "service_tier": `"auto"`, "store": "false", "stream_options": `{"include_obfuscation":false}`, "temperature": "0.7",
		"text": `{"format":{"type":"text"},"verbosity":"low"}`, "tool_choice": `"auto"`, "top_logprobs": "0", "top_p": "0.9", "truncation": `"auto"`, "user": `"a"`, "tools": "[]",
		"conversation": `"a"`,
	}
	refused = map[string]string{
		"context_management": `[{"type":"compaction"}]`, "moderation": `{"model":"a"}`, "prompt": `{"id":"a"}`, "previous_response_id": `"resp_none"`,
		"text": `{"format":{"type":"json_object"}}`, "tool_choice": `"required"`, "tools": "[{}]", "conversation": "7",
	}
	try(t, "/v1/responses", `{"model":"shelly","input":[{"role":"assistant","content":"Hi"}],%q:%s}`, taken, refused, "is the last item")
}

// try sends each field in a message that is refused last, with the words that say so where the
// field is taken.
func try(t *testing.T, path, form string, taken, refused map[string]string, last string) {
	t.Helper()
	s := serve(t)
	for name, value := range taken { // order-free: each is another message
		if got := s.Ask("POST", path, fmt.Sprintf(form, name, value)); !strings.Contains(got.Body, last) {
			t.Errorf("%s of %s: %d %s", name, path, got.Status, got.Body)
		}
	}
	for name, value := range refused { // order-free: each is another message
		got := s.Ask("POST", path, fmt.Sprintf(form, name, value))
		if got.Status < 400 || strings.Contains(got.Body, last) || !strings.Contains(got.Body, `"param":"`+name) && name != "previous_response_id" {
			t.Errorf("%s of %s: %d %s", name, path, got.Status, got.Body)
		}
	}
}
