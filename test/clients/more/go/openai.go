package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

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

// openaiRefused asks for a model that is refused, and reads the refusal off the client's own type of errors.
func openaiRefused(model string) (*openai.Error, error) {
	client := openaiClient()
	asked := openaiAsked(question)
	asked.Model = model
	_, err := client.Chat.Completions.New(context.Background(), asked)
	var refused *openai.Error
	if errors.As(err, &refused) {
		return refused, nil
	}
	return nil, fmt.Errorf("not a refusal: %w", err)
}

func openaiErrors() (any, error) {
	refused, err := openaiRefused(unserved)
	if err != nil {
		return nil, err
	}
	return refused.Code, nil
}

func openaiRefusal() (any, error) {
	refused, err := openaiRefused(os.Getenv("SVC_MODEL"))
	if err != nil {
		return nil, err
	}
	return refusal{refused.StatusCode, refused.Code}, nil
}

func openaiModels() (any, error) {
	client := openaiClient()
	list, err := client.Models.List(context.Background())
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, model := range list.Data {
		ids = append(ids, model.ID)
	}
	return ids, nil
}

func openaiBatch() (any, error) {
	client, ctx := openaiClient(), context.Background()
	lines := openai.File(strings.NewReader(os.Getenv("SVC_LINE")), "requests.jsonl", "application/jsonl")
	file, err := client.Files.New(ctx, openai.FileNewParams{File: lines, Purpose: openai.FilePurposeBatch})
	if err != nil {
		return nil, err
	}
	batch, err := client.Batches.New(ctx, openai.BatchNewParams{
		InputFileID:      file.ID,
		Endpoint:         openai.BatchNewParamsEndpointV1ChatCompletions,
		CompletionWindow: openai.BatchNewParamsCompletionWindow24h,
	})
	for err == nil && batch.Status != openai.BatchStatusCompleted && batch.Status != openai.BatchStatusFailed {
		time.Sleep(100 * time.Millisecond)
		batch, err = client.Batches.Get(ctx, batch.ID)
	}
	if err != nil {
		return nil, err
	}
	results, err := client.Files.Content(ctx, batch.OutputFileID)
	if err != nil {
		return nil, err
	}
	defer results.Body.Close()
	text, err := io.ReadAll(results.Body)
	return string(text), err
}
