import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.JsonOutputFormat;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.OutputConfig;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.models.ModelInfo;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

final class Anthropic {
  private static final AnthropicClient client =
      AnthropicOkHttpClient.builder().baseUrl(System.getenv("SVC_URL")).apiKey(System.getenv("SVC_KEY")).maxRetries(0).build();

  static Map<String, Callable<Object>> columns() {
    return Map.of(
        "anthropic_chat", Anthropic::chat,
        "anthropic_stream", Anthropic::stream,
        "anthropic_tools", Anthropic::tools,
        "anthropic_structured", Anthropic::structured,
        "anthropic_errors", () -> refused(Main.UNSERVED).get("code"),
        "anthropic_refused", () -> refused(System.getenv("SVC_MODEL")),
        "anthropic_models", () -> client.models().list().autoPager().stream().map(ModelInfo::id).toList());
  }

  private static MessageCreateParams.Builder asked(String model, String content) {
    return MessageCreateParams.builder().model(model).maxTokens(500).addUserMessage(content);
  }

  private static Object shown(Message message) {
    JsonValue cost = message.usage()._additionalProperties().get("cost");
    Double shown = cost == null ? null : cost.convert(Double.class);
    return Main.shown(textOf(message), message.usage().inputTokens(), message.usage().outputTokens(), shown);
  }

  private static String textOf(Message message) {
    return message.content().stream().flatMap(block -> block.text().stream()).map(block -> block.text()).collect(Collectors.joining());
  }

  private static Object chat() {
    return shown(client.messages().create(asked(Main.MODEL, Main.QUESTION).build()));
  }

  private static Object stream() {
    MessageAccumulator whole = MessageAccumulator.create();
    try (StreamResponse<RawMessageStreamEvent> events = client.messages().createStreaming(asked(Main.MODEL, Main.QUESTION).build())) {
      events.stream().forEach(whole::accumulate);
    }
    return shown(whole.message());
  }

  private static Object tools() {
    Tool.InputSchema.Properties.Builder properties = Tool.InputSchema.Properties.builder();
    Main.CITY.forEach((key, value) -> properties.putAdditionalProperty(key, JsonValue.from(value)));
    Tool.InputSchema schema = Tool.InputSchema.builder().properties(properties.build()).addRequired("city").build();
    Tool tool = Tool.builder().name("get_weather").inputSchema(schema).build();
    Message message = client.messages().create(asked(Main.MODEL, Main.TOOL_QUESTION).addTool(tool).build());
    return message.content().stream().flatMap(block -> block.toolUse().stream()).findFirst().orElseThrow().name();
  }

  private static Object structured() throws Exception {
    JsonOutputFormat.Schema.Builder schema = JsonOutputFormat.Schema.builder();
    Main.REVIEW.forEach((key, value) -> schema.putAdditionalProperty(key, JsonValue.from(value)));
    JsonOutputFormat format = JsonOutputFormat.builder().schema(schema.build()).build();
    OutputConfig config = OutputConfig.builder().format(format).build();
    return Main.JSON.readTree(textOf(client.messages().create(asked(Main.MODEL, Main.QUESTION).outputConfig(config).build())));
  }

  /** Its types know Anthropic's own codes only; the gateway's is in the body that the exception keeps. */
  private static Map<String, Object> refused(String model) {
    try {
      client.messages().create(asked(model, Main.QUESTION).build());
    } catch (AnthropicServiceException refused) {
      JsonNode body = refused.body().convert(JsonNode.class);
      return Main.refusal(refused, refused.statusCode(), body.at("/error/details/error_code").asText());
    }
    throw new IllegalStateException("it was not refused");
  }
}
