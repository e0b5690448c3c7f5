import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * What the matrix of clients asks Java's clients for: one method for a client and a column, which is the program's argument. It prints what a
 * program sees in the client's own members, as one line of JSON.
 */
public final class Main {
  static final String MODEL = "plain/chat";
  static final String EMBEDDER = "vectors/small";
  static final String UNSERVED = "none/such";
  static final String QUESTION = "Tell me about the sea.";
  static final String TOOL_QUESTION = "Call get_weather, please.";
  static final Map<String, Object> CITY = Map.of("city", Map.of("type", "string"));
  static final Map<String, Object> REVIEW =
      Map.of(
          "type", "object",
          "properties", Map.of("title", Map.of("type", "string"), "stars", Map.of("type", "integer")),
          "required", List.of("title", "stars"),
          "additionalProperties", false);
  static final ObjectMapper JSON = new ObjectMapper();

  /** What a program sees of an answer; a cost of null the client does not show. */
  static Map<String, Object> shown(String text, long input, long output, Object cost) {
    Map<String, Object> seen = new LinkedHashMap<>(Map.of("text", text, "input", input, "output", output));
    if (cost != null) seen.put("cost", cost);
    return seen;
  }

  static Map<String, Object> refusal(Exception refused, int status, String code) {
    return Map.of("type", refused.getClass().getSimpleName(), "status", status, "code", code);
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, Callable<Object>> columns = new LinkedHashMap<>(OpenAi.columns());
    columns.putAll(Anthropic.columns());
    System.out.println(JSON.writeValueAsString(columns.get(arguments[0]).call()));
    // The client's idle connections would hold the process.
    System.exit(0);
  }
}
