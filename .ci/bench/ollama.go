package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/ollama/ollama/api"
)

// native asks by Ollama's own client, as it streams, and is a model of eino.
type native struct {
	client *api.Client
	tools  api.Tools
}

func ollamaModel(client *http.Client, at string) (native, error) {
	base, err := url.Parse(at)
	if err != nil {
		return native{}, err
	}
	return native{client: api.NewClient(base, client)}, nil
}

// WithTools implements [model.ToolCallingChatModel].
func (m native) WithTools(offered []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	m.tools = nil
	for _, o := range offered {
		parameters, err := o.ToJSONSchema()
		if err != nil {
			return nil, err
		}
		f := api.ToolFunction{Name: o.Name, Description: o.Desc}
		if err := recode(parameters, &f.Parameters); err != nil {
			return nil, fmt.Errorf("the parameters of %s: %w", o.Name, err)
		}
		m.tools = append(m.tools, api.Tool{Type: "function", Function: f})
	}
	return m, nil
}

// recode turns one form of JSON into another.
func recode(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// Generate implements [model.BaseChatModel].
func (m native) Generate(ctx context.Context, talk []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	request := &api.ChatRequest{Model: modelName, Tools: m.tools}
	for _, said := range talk {
		message := api.Message{Role: string(said.Role), Content: said.Content, ToolName: said.ToolName, ToolCallID: said.ToolCallID}
		for _, c := range said.ToolCalls {
			call := api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{Name: c.Function.Name}}
			if err := json.Unmarshal([]byte(c.Function.Arguments), &call.Function.Arguments); err != nil {
				return nil, err
			}
			message.ToolCalls = append(message.ToolCalls, call)
		}
		request.Messages = append(request.Messages, message)
	}
	answer := &schema.Message{Role: schema.Assistant}
	err := m.client.Chat(ctx, request, func(part api.ChatResponse) error {
		answer.Content += part.Message.Content
		for _, c := range part.Message.ToolCalls {
			args, err := json.Marshal(c.Function.Arguments)
			if err != nil {
				return err
			}
			answer.ToolCalls = append(answer.ToolCalls, schema.ToolCall{
				ID: c.ID, Type: "function", Function: schema.FunctionCall{Name: c.Function.Name, Arguments: string(args)},
			})
		}
		return nil
	})
	return answer, err
}

// Stream implements [model.BaseChatModel]. The agent asks for whole answers.
func (m native) Stream(ctx context.Context, talk []*schema.Message, options ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	said, err := m.Generate(ctx, talk, options...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{said}), nil
}
