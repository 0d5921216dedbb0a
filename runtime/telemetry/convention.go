package telemetry

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"shelly/fsm"
)

// schemaURL pins the semantic conventions from which the names are taken. Those of generative AI
// are in development, and newer versions rename things, so the version is chosen only here.
const schemaURL = "https://opentelemetry.io/schemas/1.41.0"

// Attributes of the conventions. None of them holds a text of a person, a model or a tool.
const (
	operation     attribute.Key = "gen_ai.operation.name"
	providerName  attribute.Key = "gen_ai.provider.name"
	agentName     attribute.Key = "gen_ai.agent.name"
	conversation  attribute.Key = "gen_ai.conversation.id"
	requestModel  attribute.Key = "gen_ai.request.model"
	responseModel attribute.Key = "gen_ai.response.model"
	finishReasons attribute.Key = "gen_ai.response.finish_reasons"
	inputTokens   attribute.Key = "gen_ai.usage.input_tokens"
	cachedTokens  attribute.Key = "gen_ai.usage.cache_read.input_tokens"
	outputTokens  attribute.Key = "gen_ai.usage.output_tokens"
	toolName      attribute.Key = "gen_ai.tool.name"
	toolCall      attribute.Key = "gen_ai.tool.call.id"
	toolType      attribute.Key = "gen_ai.tool.type"
	errorType     attribute.Key = "error.type"
)

// Operations of the conventions.
const (
	operationAgent = "invoke_agent"
	operationChat  = "chat"
	operationEmbed = "embeddings"
	operationTool  = "execute_tool"
)

// description is how a kind of call appears in a trace.
type description struct {
	operation string // of the conventions; empty: they have none
	name      string // empty: the kind's
	kind      trace.SpanKind
}

// describing has the kinds of call for which there are conventions; the others are internal.
var describing = map[fsm.CallKind]description{
	fsm.CallBrain: {operationChat, operationChat, trace.SpanKindClient},
	fsm.CallEmbed: {operationEmbed, operationEmbed, trace.SpanKindClient},
	fsm.CallTool:  {operationTool, operationTool, trace.SpanKindInternal},
}
