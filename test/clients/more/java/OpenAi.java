import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.HttpResponse;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.ResponseFormatJsonSchema;
import com.openai.models.batches.Batch;
import com.openai.models.batches.BatchCreateParams;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.completions.CompletionUsage;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.files.FileCreateParams;
import com.openai.models.files.FilePurpose;
import com.openai.models.models.Model;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

final class OpenAi {
  private static final OpenAIClient client =
      OpenAIOkHttpClient.builder()
          .baseUrl(System.getenv("SVC_URL") + "/v1")
          .apiKey(System.getenv("SVC_KEY"))
          .maxRetries(0)
          .build();

  static Map<String, Callable<Object>> columns() {
    return Map.of(
        "openai_chat", OpenAi::chat,
        "openai_stream", OpenAi::stream,
        "openai_tools", OpenAi::tools,
        "openai_structured", OpenAi::structured,
        "openai_embeddings", OpenAi::embeddings,
        "openai_errors", () -> refused(Main.UNSERVED).get("code"),
        "openai_refused", () -> refused(System.getenv("SVC_MODEL")),
        "openai_models", () -> client.models().list().data().stream().map(Model::id).toList(),
        "openai_batch", OpenAi::batch);
  }

  private static ChatCompletionCreateParams.Builder asked(String model, String content) {
    return ChatCompletionCreateParams.builder().model(model).addUserMessage(content);
  }

  private static Object shown(ChatCompletion answer) {
    CompletionUsage usage = answer.usage().orElseThrow();
    JsonValue cost = usage._additionalProperties().get("cost");
    return Main.shown(textOf(answer), usage.promptTokens(), usage.completionTokens(), cost == null ? null : cost.convert(Double.class));
  }

  private static String textOf(ChatCompletion answer) {
    return answer.choices().get(0).message().content().orElse("");
  }

  private static Object chat() {
    return shown(client.chat().completions().create(asked(Main.MODEL, Main.QUESTION).build()));
  }

  private static Object stream() {
    ChatCompletionStreamOptions options = ChatCompletionStreamOptions.builder().includeUsage(true).build();
    ChatCompletionAccumulator whole = ChatCompletionAccumulator.create();
    ChatCompletionCreateParams asked = asked(Main.MODEL, Main.QUESTION).streamOptions(options).build();
    try (StreamResponse<ChatCompletionChunk> chunks = client.chat().completions().createStreaming(asked)) {
      chunks.stream().forEach(whole::accumulate);
    }
    return shown(whole.chatCompletion());
  }

  private static Object tools() {
    FunctionParameters parameters =
        FunctionParameters.builder()
            .putAdditionalProperty("type", JsonValue.from("object"))
            .putAdditionalProperty("properties", JsonValue.from(Main.CITY))
            .putAdditionalProperty("required", JsonValue.from(List.of("city")))
            .build();
    FunctionDefinition tool =
        FunctionDefinition.builder().name("get_weather").description("Tells the weather").parameters(parameters).build();
    ChatCompletion answer = client.chat().completions().create(asked(Main.MODEL, Main.TOOL_QUESTION).addFunctionTool(tool).build());
    return answer.choices().get(0).message().toolCalls().orElseThrow().get(0).function().orElseThrow().function().name();
  }

  private static Object structured() throws Exception {
    ResponseFormatJsonSchema.JsonSchema.Schema.Builder schema = ResponseFormatJsonSchema.JsonSchema.Schema.builder();
    Main.REVIEW.forEach((key, value) -> schema.putAdditionalProperty(key, JsonValue.from(value)));
    ResponseFormatJsonSchema format =
        ResponseFormatJsonSchema.builder()
            .jsonSchema(ResponseFormatJsonSchema.JsonSchema.builder().name("review").strict(true).schema(schema.build()).build())
            .build();
    ChatCompletion answer = client.chat().completions().create(asked(Main.MODEL, Main.QUESTION).responseFormat(format).build());
    return Main.JSON.readTree(textOf(answer));
  }

  private static Object embeddings() {
    EmbeddingCreateParams asked = EmbeddingCreateParams.builder().model(Main.EMBEDDER).input("sea").build();
    return client.embeddings().create(asked).data().get(0).embedding().size();
  }

  private static Map<String, Object> refused(String model) {
    try {
      client.chat().completions().create(asked(model, Main.QUESTION).build());
    } catch (OpenAIServiceException refused) {
      return Main.refusal(refused, refused.statusCode(), refused.code().orElse(""));
    }
    throw new IllegalStateException("it was not refused");
  }

  private static Object batch() throws Exception {
    Path lines = Files.createTempFile("requests", ".jsonl");
    String id;
    try {
      Files.writeString(lines, System.getenv("SVC_LINE"));
      id = client.files().create(FileCreateParams.builder().file(lines).purpose(FilePurpose.BATCH).build()).id();
    } finally {
      Files.delete(lines);
    }
    BatchCreateParams asked =
        BatchCreateParams.builder()
            .inputFileId(id)
            .endpoint(BatchCreateParams.Endpoint.V1_CHAT_COMPLETIONS)
            .completionWindow(BatchCreateParams.CompletionWindow._24H)
            .build();
    Batch batch = client.batches().create(asked);
    List<Batch.Status> ends = List.of(Batch.Status.COMPLETED, Batch.Status.FAILED, Batch.Status.EXPIRED, Batch.Status.CANCELLED);
    while (!ends.contains(batch.status())) {
      Thread.sleep(100);
      batch = client.batches().retrieve(batch.id());
    }
    try (HttpResponse results = client.files().content(batch.outputFileId().orElseThrow())) {
      return new String(results.body().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
