// What the matrix of clients asks Go's clients for: one function for a client and a column, which is the program's argument.
// It prints what a program sees in the client's own members, as one line of JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

const (
	model        = "plain/chat"
	embedder     = "vectors/small"
	unserved     = "none/such"
	question     = "Tell me about the sea."
	toolQuestion = "Call get_weather, please."
)

// shown is what a program sees of an answer; what is nil the client does not show.
type shown struct {
	Text   string   `json:"text"`
	Input  int64    `json:"input"`
	Output int64    `json:"output"`
	Cost   *float64 `json:"cost,omitempty"`
}

// refusal is what the client's own type of errors has of one.
type refusal struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
}

var (
	city       = map[string]any{"type": "object", "properties": cityFields, "required": []string{"city"}}
	cityFields = map[string]any{"city": map[string]any{"type": "string"}}
	review     = map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"title": map[string]any{"type": "string"}, "stars": map[string]any{"type": "integer"}},
		"required":             []string{"title", "stars"},
		"additionalProperties": false,
	}
)

// reviewed is a value of the schema.
type reviewed struct {
	Title string `json:"title"`
	Stars int    `json:"stars"`
}

func reviewIn(text string) (any, error) {
	var value reviewed
	err := json.Unmarshal([]byte(text), &value)
	return value, err
}

// costIn reads the member that no type knows.
func costIn(raw string) *float64 {
	var usage struct {
		Cost *float64 `json:"cost"`
	}
	_ = json.Unmarshal([]byte(raw), &usage)
	return usage.Cost
}

func main() {
	columns := map[string]func() (any, error){
		"openai_chat": openaiChat, "openai_stream": openaiStream, "openai_tools": openaiTools,
		"openai_structured": openaiStructured, "openai_embeddings": openaiEmbeddings, "openai_errors": openaiErrors,
		"openai_refused": openaiRefusal, "openai_models": openaiModels, "openai_batch": openaiBatch,
		"community_refused": communityRefusal, "community_models": communityModels,
		"anthropic_refused": anthropicRefusal, "anthropic_models": anthropicModels,
		"anthropic_chat": anthropicChat, "anthropic_stream": anthropicStream, "anthropic_tools": anthropicTools,
		"anthropic_structured": anthropicStructured, "anthropic_errors": anthropicErrors,
		"community_chat": communityChat, "community_stream": communityStream, "community_tools": communityTools,
		"community_structured": communityStructured, "community_embeddings": communityEmbeddings, "community_errors": communityErrors,
	}
	value, err := columns[os.Args[1]]()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	line, _ := json.Marshal(value)
	fmt.Println(string(line))
}
