// How runs of a queue fail: the types of error, their statuses, and which of the two shapes reports them.

interface FailureRow {
  status: number;
  /** Of the model: a list of details. Of the request: a text and `error_type`. */
  by: "model" | "request";
  message: string;
  /** What of the input it is about; absent: nothing. */
  field?: string;
}

const image = "image_urls";

export const failures = {
  content_policy_violation: { status: 422, by: "model", message: "The content was flagged by a content checker.", field: "prompt" },
  image_too_large: { status: 422, by: "model", message: "The image is too large.", field: image },
  image_too_small: { status: 422, by: "model", message: "The image is too small.", field: image },
  image_load_error: { status: 422, by: "model", message: "The image could not be loaded.", field: image },
  file_download_error: { status: 422, by: "model", message: "The file could not be downloaded.", field: image },
  file_too_large: { status: 422, by: "model", message: "The file is too large.", field: image },
  face_detection_error: { status: 422, by: "model", message: "No face was found in the image.", field: image },
  unsupported_image_format: { status: 422, by: "model", message: "The format of the image is not supported.", field: image },
  greater_than: { status: 422, by: "model", message: "Input should be greater than 0.", field: "num_images" },
  less_than_equal: { status: 422, by: "model", message: "Input is larger than the model makes.", field: "image_size" },
  one_of: { status: 422, by: "model", message: "Input should be one of the listed values.", field: "aspect_ratio" },
  missing: { status: 422, by: "model", message: "Field required", field: "prompt" },
  sequence_too_long: { status: 422, by: "model", message: "The sequence is too long.", field: "prompt" },
  string_too_long: { status: 422, by: "model", message: "The string is too long.", field: "prompt" },
  no_media_generated: { status: 422, by: "model", message: "No media was generated." },
  generation_timeout: { status: 504, by: "model", message: "The generation timed out." },
  downstream_service_error: { status: 400, by: "model", message: "A downstream service failed." },
  downstream_service_unavailable: { status: 500, by: "model", message: "A downstream service is unavailable." },
  internal_server_error: { status: 500, by: "model", message: "Internal server error." },
  request_timeout: { status: 504, by: "request", message: "Request timed out" },
  startup_timeout: { status: 504, by: "request", message: "The runner did not start in time" },
  runner_scheduling_failure: { status: 503, by: "request", message: "No runner could be allocated" },
  runner_connection_timeout: { status: 503, by: "request", message: "The connection to the runner timed out" },
  runner_connection_refused: { status: 503, by: "request", message: "The runner refused the connection" },
  runner_connection_error: { status: 503, by: "request", message: "The connection to the runner failed" },
  runner_disconnected: { status: 503, by: "request", message: "The runner disconnected" },
  runner_incomplete_response: { status: 502, by: "request", message: "The runner's answer was incomplete" },
  runner_server_error: { status: 500, by: "request", message: "The runner failed" },
  concurrency_limit: { status: 429, by: "request", message: "Too many requests at once" },
  client_cancelled: { status: 499, by: "request", message: "Request was cancelled by the client" },
  client_disconnected: { status: 499, by: "request", message: "The client disconnected" },
  bad_request: { status: 400, by: "request", message: "The request was not understood" },
} as const satisfies Record<string, FailureRow>;

export type FailureType = keyof typeof failures;

export const failureTypes = Object.keys(failures) as FailureType[];

/** What a violation of the content policy is about, where the text says so. */
export const policyWords = ["nsfw", "likeness", "unsafe"] as const;

/** A row by its type, with what some rows lack. */
export function failureRow(type: FailureType): FailureRow {
  return failures[type];
}
