package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

func anthropicClient() anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(os.Getenv("SVC_URL")), option.WithAPIKey(os.Getenv("SVC_KEY")), option.WithMaxRetries(0))
}

func anthropicAsked(content string) anthropic.MessageNewParams {
	messages := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(content))}
	return anthropic.MessageNewParams{Model: model, MaxTokens: 500, Messages: messages}
}

func anthropicShown(message anthropic.Message) shown {
	text := ""
	for _, block := range message.Content {
		text += block.Text
	}
	return shown{text, message.Usage.InputTokens, message.Usage.OutputTokens, costIn(message.Usage.RawJSON())}
}

func anthropicChat() (any, error) {
	client := anthropicClient()
	message, err := client.Messages.New(context.Background(), anthropicAsked(question))
	if err != nil {
		return nil, err
	}
	return anthropicShown(*message), nil
}

func anthropicStream() (any, error) {
	client := anthropicClient()
	stream := client.Messages.NewStreaming(context.Background(), anthropicAsked(question))
	message := anthropic.Message{}
	for stream.Next() {
		if err := message.Accumulate(stream.Current()); err != nil {
			return nil, err
		}
	}
	return anthropicShown(message), stream.Err()
}

func anthropicTools() (any, error) {
	client := anthropicClient()
	asked := anthropicAsked(toolQuestion)
	schema := anthropic.ToolInputSchemaParam{Properties: cityFields, Required: []string{"city"}}
	asked.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "get_weather", InputSchema: schema}}}
	message, err := client.Messages.New(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	for _, block := range message.Content {
		if block.Type == "tool_use" {
			return block.Name, nil
		}
	}
	return nil, errors.New("no tool was called")
}

func anthropicStructured() (any, error) {
	client := anthropicClient()
	asked := anthropicAsked(question)
	asked.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: review}}
	message, err := client.Messages.New(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	return reviewIn(anthropicShown(*message).Text)
}

// anthropicRefused asks for a model that is refused. The code is in the body that the client's own type of errors keeps.
func anthropicRefused(model string) (*refusal, error) {
	client := anthropicClient()
	asked := anthropicAsked(question)
	asked.Model = model
	_, err := client.Messages.New(context.Background(), asked)
	var refused *anthropic.Error
	if !errors.As(err, &refused) {
		return nil, fmt.Errorf("not a refusal: %w", err)
	}
	var body struct {
		Error struct {
			Details struct {
				Code string `json:"error_code"`
			} `json:"details"`
		} `json:"error"`
	}
	err = json.Unmarshal([]byte(refused.RawJSON()), &body)
	return &refusal{refused.StatusCode, body.Error.Details.Code}, err
}

func anthropicErrors() (any, error) {
	refused, err := anthropicRefused(unserved)
	if err != nil {
		return nil, err
	}
	return refused.Code, nil
}

func anthropicRefusal() (any, error) {
	return anthropicRefused(os.Getenv("SVC_MODEL"))
}

func anthropicModels() (any, error) {
	client := anthropicClient()
	pages := client.Models.ListAutoPaging(context.Background(), anthropic.ModelListParams{})
	ids := []string{}
	for pages.Next() {
		ids = append(ids, pages.Current().ID)
	}
	return ids, pages.Err()
}
