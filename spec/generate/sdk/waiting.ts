// The calls that follow a job to its end. Each combines two operations of the contract.
export interface Waiting {
  /** Where the client has it. */
  name: string;
  /** As a function. */
  id: string;
  input: string;
  /** What progress is told with. */
  job: string;
  done: string;
  failed: string;
  /** What orders the job and what looks at it: function names, and the operations whose refusals are declared. */
  operations: [string, string];
  /** The field with the job's id. */
  idField: string;
  /** Whether looking takes `wait`. */
  holds: boolean;
  comment: string[];
}

const common = [
  "",
  "`onProgress` gets the job after the submit and after each poll. An abort ends the waiting, not the job.",
  "A failed job throws a `SvcError` with the job's code, such as `content_policy`, and the job as `body`; it costs nothing.",
];

export const waitings: readonly Waiting[] = [
  {
    name: "images.generateAndWait",
    id: "generateImageAndWait",
    input: "ImageRequest",
    job: "ImageJob | QueuedImageJob",
    done: "Succeeded<ImageJob>",
    failed: "ImageJob",
    operations: ["createImage", "getJob"],
    idField: "id",
    holds: true,
    comment: ["Generates an image and waits for the finished job, with its `output` and `charged_amount` (USD).", ...common],
  },
  {
    name: "videos.generateAndWait",
    id: "generateVideoAndWait",
    input: "VideoRequest",
    job: "VideoJob | QueuedVideoJob",
    done: "Succeeded<VideoJob>",
    failed: "VideoJob",
    operations: ["createVideo", "getJob"],
    idField: "id",
    holds: true,
    comment: ["Generates a video and waits for the finished job, with its `output` and `charged_amount` (USD).", ...common],
  },
  {
    name: "genmedia.runAndWait",
    id: "runGenmediaAndWait",
    input: "GenmediaRequest",
    job: "GenmediaRunning | GenmediaCompleted | GenmediaFailed",
    done: "GenmediaCompleted",
    failed: "GenmediaFailed",
    operations: ["runGenmedia", "getGenmediaJob"],
    idField: "request_id",
    holds: false,
    comment: ["Runs an image or video model and waits for the finished job, with its `output` and `charged_amount` (USD).", ...common],
  },
];
