//! What the matrix of clients asks Rust's client for: one function for a column, which is the program's argument.
//! It prints what a program sees in the client's own members, as one line of JSON.
use std::{env, time::Duration};

use async_openai::{
    Client,
    config::OpenAIConfig,
    error::OpenAIError,
    middleware::ReqwestService,
    types::{
        InputSource,
        batches::{BatchCompletionWindow, BatchEndpoint, BatchRequest, BatchStatus},
        chat::{
            ChatCompletionMessageToolCalls, ChatCompletionRequestUserMessage, ChatCompletionStreamOptions, ChatCompletionTool,
            ChatCompletionTools, CompletionUsage, CreateChatCompletionRequest, CreateChatCompletionRequestArgs, FunctionObject,
            ResponseFormat, ResponseFormatJsonSchema,
        },
        embeddings::CreateEmbeddingRequestArgs,
        files::{CreateFileRequest, FileInput, FilePurpose},
    },
};
use futures::StreamExt;
use serde_json::{Value, json};

type Seen = Result<Value, Box<dyn std::error::Error>>;

const MODEL: &str = "plain/chat";
const EMBEDDER: &str = "vectors/small";
const UNSERVED: &str = "none/such";
const QUESTION: &str = "Tell me about the sea.";
const TOOL_QUESTION: &str = "Call get_weather, please.";

fn client() -> Client<OpenAIConfig> {
    let at = |name| env::var(name).expect(name);
    Client::with_config(OpenAIConfig::new().with_api_base(format!("{}/v1", at("SVC_URL"))).with_api_key(at("SVC_KEY")))
}

fn asked(model: &str, content: &str) -> CreateChatCompletionRequest {
    let message = ChatCompletionRequestUserMessage::from(content);
    CreateChatCompletionRequestArgs::default().model(model).messages([message.into()]).build().expect("a request")
}

/// Its types leave the cost out.
fn shown(text: &str, usage: Option<CompletionUsage>) -> Value {
    match usage {
        Some(usage) => json!({ "text": text, "input": usage.prompt_tokens, "output": usage.completion_tokens }),
        None => json!({ "text": text }),
    }
}

async fn answered(request: CreateChatCompletionRequest) -> Result<(String, Option<CompletionUsage>), OpenAIError> {
    let answer = client().chat().create(request).await?;
    Ok((answer.choices[0].message.content.clone().unwrap_or_default(), answer.usage))
}

async fn chat() -> Seen {
    let (text, usage) = answered(asked(MODEL, QUESTION)).await?;
    Ok(shown(&text, usage))
}

async fn stream() -> Seen {
    let mut request = asked(MODEL, QUESTION);
    request.stream_options = Some(ChatCompletionStreamOptions { include_usage: Some(true), include_obfuscation: None });
    let mut chunks = client().chat().create_stream(request).await?;
    let (mut text, mut usage) = (String::new(), None);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        for choice in chunk.choices {
            text.push_str(&choice.delta.content.unwrap_or_default());
        }
        usage = chunk.usage.or(usage);
    }
    Ok(shown(&text, usage))
}

async fn tools() -> Seen {
    let mut request = asked(MODEL, TOOL_QUESTION);
    let function = FunctionObject {
        name: "get_weather".into(),
        description: Some("Tells the weather".into()),
        parameters: Some(json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] })),
        strict: None,
    };
    request.tools = Some(vec![ChatCompletionTools::Function(ChatCompletionTool { function })]);
    let answer = client().chat().create(request).await?;
    match answer.choices[0].message.tool_calls.as_deref() {
        Some([ChatCompletionMessageToolCalls::Function(call), ..]) => Ok(json!(call.function.name)),
        _ => Err("no tool was called".into()),
    }
}

async fn structured() -> Seen {
    let mut request = asked(MODEL, QUESTION);
    let schema = json!({
        "type": "object",
        "properties": { "title": { "type": "string" }, "stars": { "type": "integer" } },
        "required": ["title", "stars"],
        "additionalProperties": false,
    });
    let json_schema = ResponseFormatJsonSchema { name: "review".into(), strict: Some(true), schema, description: None };
    request.response_format = Some(ResponseFormat::JsonSchema { json_schema });
    let (text, _) = answered(request).await?;
    Ok(serde_json::from_str(&text)?)
}

async fn embeddings() -> Seen {
    let request = CreateEmbeddingRequestArgs::default().model(EMBEDDER).input("sea").build()?;
    let answer = client().embeddings().create(request).await?;
    Ok(json!(answer.data[0].embedding.len()))
}

/// Without a service of its own the client calls again after a 429, three times, each after the seconds of its `Retry-After`.
async fn refused(model: &str) -> Seen {
    let client = client().with_http_service(ReqwestService::default());
    match client.chat().create(asked(model, QUESTION)).await {
        Err(OpenAIError::ApiError(refusal)) => {
            Ok(json!({ "status": refusal.status_code.as_u16(), "code": refusal.api_error.code }))
        }
        Err(other) => Err(other.into()),
        Ok(_) => Err("it was not refused".into()),
    }
}

async fn errors() -> Seen {
    Ok(refused(UNSERVED).await?["code"].clone())
}

async fn models() -> Seen {
    let list = client().models().list().await?;
    Ok(json!(list.data.iter().map(|model| &model.id).collect::<Vec<_>>()))
}

async fn batch() -> Seen {
    let client = client();
    let line = env::var("SVC_LINE")?;
    let source = InputSource::VecU8 { filename: "requests.jsonl".into(), vec: line.into_bytes() };
    let upload = CreateFileRequest { file: FileInput { source }, purpose: FilePurpose::Batch, expires_after: None };
    let file = client.files().create(upload).await?;
    let request = BatchRequest {
        input_file_id: file.id,
        endpoint: BatchEndpoint::V1ChatCompletions,
        completion_window: BatchCompletionWindow::W24H,
        metadata: None,
        output_expires_after: None,
    };
    let mut batch = client.batches().create(request).await?;
    while !matches!(batch.status, BatchStatus::Completed | BatchStatus::Failed | BatchStatus::Expired | BatchStatus::Cancelled) {
        tokio::time::sleep(Duration::from_millis(100)).await;
        batch = client.batches().retrieve(&batch.id).await?;
    }
    let output = batch.output_file_id.ok_or("the batch has no output")?;
    let text = client.files().content(&output).await?;
    Ok(json!(String::from_utf8(text.to_vec())?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let value = match env::args().nth(1).as_deref() {
        Some("chat") => chat().await,
        Some("stream") => stream().await,
        Some("tools") => tools().await,
        Some("structured") => structured().await,
        Some("embeddings") => embeddings().await,
        Some("errors") => errors().await,
        Some("refused") => refused(&env::var("SVC_MODEL")?).await,
        Some("models") => models().await,
        Some("batch") => batch().await,
        other => Err(format!("no such column: {other:?}").into()),
    }?;
    println!("{value}");
    Ok(())
}
