import * as z from 'zod/mini'
import { FileReference } from './file.ts'
import { GraphRunResult, NodeResult } from './graph.ts'
import { RunResult, RunStep } from './run.ts'
import { Usage } from './usage.ts'
import { Wait } from './wait.ts'
import { AnswerSource } from './source.ts'
import { Json } from '../json-value.ts'
import { PlatformId, Slug } from './values.ts'

/** `data` of each server-sent event of a run, by event name. */
export const runEvents = {
  /** The run of an agent or of a graph has started. */
  start: z.union([
    z.object({
      run_id: PlatformId,
      conversation_id: PlatformId,
      model: z.string(),
      /** Names of the tools that the client runs. Absent without such tools. */
      client_tools: z.optional(z.array(z.string())),
    }),
    z.object({ run_id: PlatformId, graph_id: Slug }),
  ]),
  /** A node of a graph starts or is retried. `run_id` is the run of its agent or graph; absent for a function. */
  node_start: z.object({
    node_id: Slug,
    agent_id: z.optional(Slug),
    function: z.optional(z.string()),
    graph_id: z.optional(Slug),
    run_id: z.optional(PlatformId),
    attempt: z.int(),
  }),
  /** A node of a graph has ended or was skipped. */
  node_done: NodeResult,
  assistant: z.object({ delta: z.string() }),
  /** Reasoning of the model, only with `reasoning=true`. Reasoning is never stored, so it is lost at a restart. */
  reasoning: z.object({ delta: z.string() }),
  /**
   * A source of the answer: a page that the provider named, or a passage that `search_documents` returned. Each is
   * sent once per run, at most 100 of each kind.
   */
  source: AnswerSource,
  /** A file that the model created. `GET /api/files/{id}` returns its bytes. */
  file: z.pick(FileReference, { id: true, name: true, media_type: true, bytes: true }),
  tool_start: z.object({ id: z.string(), name: z.string(), args: Json }),
  /** Progress of a running tool, for people; at most five times a second. The model does not read it. */
  tool_progress: z.object({ id: z.string(), name: z.string(), text: z.string() }),
  /**
   * Data that a tool shows on the client's page, as `data-<name>` of the AI SDK. Data with the same `id` replaces
   * earlier data. `transient`: not stored.
   */
  data: z.object({
    name: z.string(),
    id: z.optional(z.string()),
    data: Json,
    transient: z.optional(z.literal(true)),
  }),
  tool_call: z.object({
    id: z.string(),
    name: z.string(),
    result: z.optional(Json),
    error: z.optional(z.string()),
    /** Whether a person denied the call, or nobody decided in time. */
    denied: z.optional(z.literal(true)),
  }),
  /** A call waits for approval. `run_id`: run of the approval, if it is not the run of this stream. */
  approval: z.object({ id: PlatformId, tool: z.string(), args: Json, run_id: z.optional(PlatformId) }),
  /** A message to the run that the next model call reads. */
  message: z.object({ id: PlatformId, text: z.string() }),
  /** The run, or a run below it, starts to wait. An approval is also sent as `approval`. */
  wait: z.object({ wait: Wait }),
  /** A wait has ended. Sent when the run continues or ends. */
  wait_settled: z.object({ wait: Wait }),
  usage: Usage,
  /** A model call failed and is retried after `in_ms` milliseconds with `model`: the same model or a fallback. */
  retry: z.object({ model: z.string(), reason: z.string(), in_ms: z.int() }),
  /** The run of an agent or of a graph has ended. */
  done: z.union([
    z.object({
      finalContent: z.string(),
      turnCount: z.int(),
      ...RunResult.shape,
      steps: z.array(RunStep),
    }),
    z.object({ finalContent: z.string(), ...GraphRunResult.shape }),
  ]),
  error: z.object({ message: z.string(), code: z.string(), run_id: z.optional(PlatformId) }),
} as const

/** Name of an event of a run. */
export type RunEventName = keyof typeof runEvents
/** One event of a run. `done` and `error` are the last. */
export type RunEvent = {
  [Name in RunEventName]: { readonly event: Name; readonly data: z.infer<(typeof runEvents)[Name]> }
}[RunEventName]
