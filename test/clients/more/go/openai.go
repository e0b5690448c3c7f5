package main

import (
	"context"
	"errors"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

func openaiClient() openai.Client {
	return openai.NewClient(option.WithBaseURL(os.Getenv("SVC_URL")+"/v1"), option.WithAPIKey(os.Getenv("SVC_KEY")), option.WithMaxRetries(0))
}

func openaiAsked(content string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(content)}}
}

func openaiShown(answer openai.ChatCompletion) shown {
	return shown{answer.Choices[0].Message.Content, answer.Usage.PromptTokens, answer.Usage.CompletionTokens, costIn(answer.Usage.RawJSON())}
}

func openaiChat() (any, error) {
	client := openaiClient()
	answer, err := client.Chat.Completions.New(context.Background(), openaiAsked(question))
	if err != nil {
		return nil, err
	}
	return openaiShown(*answer), nil
}

func openaiStream() (any, error) {
	client := openaiClient()
	asked := openaiAsked(question)
	asked.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	stream := client.Chat.Completions.NewStreaming(context.Background(), asked)
	var last openai.CompletionUsage
	text := ""
	for stream.Next() {
		chunk := stream.Current()
		if len(chunk.Choices) > 0 {
			text += chunk.Choices[0].Delta.Content
		}
		if chunk.Usage.TotalTokens > 0 {
			last = chunk.Usage
		}
	}
	return shown{text, last.PromptTokens, last.CompletionTokens, costIn(last.RawJSON())}, stream.Err()
}

func openaiTools() (any, error) {
	client := openaiClient()
	asked := openaiAsked(toolQuestion)
	tool := shared.FunctionDefinitionParam{Name: "get_weather", Description: openai.String("Tells the weather"), Parameters: city}
	asked.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(tool)}
	answer, err := client.Chat.Completions.New(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	return answer.Choices[0].Message.ToolCalls[0].Function.Name, nil
}

func openaiStructured() (any, error) {
	client := openaiClient()
	asked := openaiAsked(question)
	schema := shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "review", Strict: openai.Bool(true), Schema: review}
	asked.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: schema}
	answer, err := client.Chat.Completions.New(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	return reviewIn(answer.Choices[0].Message.Content)
}

func openaiEmbeddings() (any, error) {
	client := openaiClient()
	asked := openai.EmbeddingNewParams{Model: embedder, Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("sea")}}
	answer, err := client.Embeddings.New(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	return len(answer.Data[0].Embedding), nil
}

func openaiErrors() (any, error) {
	client := openaiClient()
	asked := openaiAsked(question)
	asked.Model = unserved
	_, err := client.Chat.Completions.New(context.Background(), asked)
	var refused *openai.Error
	if errors.As(err, &refused) {
		return refused.Code, nil
	}
	return nil, err
}
