package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	openai "github.com/sashabaranov/go-openai"
)

func communityClient() *openai.Client {
	config := openai.DefaultConfig(os.Getenv("SVC_KEY"))
	config.BaseURL = os.Getenv("SVC_URL") + "/v1"
	return openai.NewClientWithConfig(config)
}

func communityAsked(content string) openai.ChatCompletionRequest {
	return openai.ChatCompletionRequest{Model: model, Messages: []openai.ChatCompletionMessage{{Role: "user", Content: content}}}
}

// Its types leave the cost out; the headers of a whole answer have it.
func communityChat() (any, error) {
	answer, err := communityClient().CreateChatCompletion(context.Background(), communityAsked(question))
	if err != nil {
		return nil, err
	}
	cost, err := strconv.ParseFloat(answer.Header().Get("x-litellm-response-cost"), 64)
	usage := answer.Usage
	return shown{answer.Choices[0].Message.Content, int64(usage.PromptTokens), int64(usage.CompletionTokens), &cost}, err
}

func communityStream() (any, error) {
	asked := communityAsked(question)
	asked.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	stream, err := communityClient().CreateChatCompletionStream(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	seen := shown{}
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return seen, nil
		}
		if err != nil {
			return nil, err
		}
		if len(chunk.Choices) > 0 {
			seen.Text += chunk.Choices[0].Delta.Content
		}
		if chunk.Usage != nil {
			seen.Input, seen.Output = int64(chunk.Usage.PromptTokens), int64(chunk.Usage.CompletionTokens)
		}
	}
}

func communityTools() (any, error) {
	asked := communityAsked(toolQuestion)
	function := openai.FunctionDefinition{Name: "get_weather", Description: "Tells the weather", Parameters: city}
	asked.Tools = []openai.Tool{{Type: openai.ToolTypeFunction, Function: &function}}
	answer, err := communityClient().CreateChatCompletion(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	return answer.Choices[0].Message.ToolCalls[0].Function.Name, nil
}

func communityStructured() (any, error) {
	asked := communityAsked(question)
	schema, _ := json.Marshal(review)
	asked.ResponseFormat = &openai.ChatCompletionResponseFormat{
		Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "review", Strict: true, Schema: json.RawMessage(schema)},
	}
	answer, err := communityClient().CreateChatCompletion(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	return reviewIn(answer.Choices[0].Message.Content)
}

func communityEmbeddings() (any, error) {
	answer, err := communityClient().CreateEmbeddings(context.Background(), openai.EmbeddingRequest{Model: embedder, Input: "sea"})
	if err != nil {
		return nil, err
	}
	return len(answer.Data[0].Embedding), nil
}

// communityRefused asks for a model that is refused, and reads the refusal off the client's own type of errors.
func communityRefused(model string) (*openai.APIError, error) {
	asked := communityAsked(question)
	asked.Model = model
	_, err := communityClient().CreateChatCompletion(context.Background(), asked)
	var refused *openai.APIError
	if errors.As(err, &refused) {
		return refused, nil
	}
	return nil, fmt.Errorf("not a refusal: %w", err)
}

func communityErrors() (any, error) {
	refused, err := communityRefused(unserved)
	if err != nil {
		return nil, err
	}
	return refused.Code, nil
}

func communityRefusal() (any, error) {
	refused, err := communityRefused(os.Getenv("SVC_MODEL"))
	if err != nil {
		return nil, err
	}
	code, _ := refused.Code.(string)
	return refusal{refused.HTTPStatusCode, code}, nil
}

func communityModels() (any, error) {
	list, err := communityClient().ListModels(context.Background())
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, model := range list.Models {
		ids = append(ids, model.ID)
	}
	return ids, nil
}
