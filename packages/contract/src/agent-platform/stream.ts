import * as z from 'zod/mini'
import { FileReference } from './file.ts'
import { GraphRunResult, NodeResult } from './graph.ts'
import { RunResult, RunStep } from './run.ts'
import { Usage } from './usage.ts'
import { Wait } from './wait.ts'
import { AnswerSource } from './source.ts'
import { Json } from '../json-value.ts'
import { PlatformId, Slug } from './values.ts'

/** `data` of each server-sent event of a run, by its `event` name. */
export const runEvents = {
  /** The run of an agent or of a graph. */
  start: z.union([
    z.object({
      run_id: PlatformId,
      conversation_id: PlatformId,
      model: z.string(),
      /** Names of the tools that the caller runs. Absent without any. */
      client_tools: z.optional(z.array(z.string())),
    }),
    z.object({ run_id: PlatformId, graph_id: Slug }),
  ]),
  /** A graph's node begins, or begins again. `run_id` is the run of its agent or graph. A function has none. */
  node_start: z.object({
    node_id: Slug,
    agent_id: z.optional(Slug),
    function: z.optional(z.string()),
    graph_id: z.optional(Slug),
    run_id: z.optional(PlatformId),
    attempt: z.int(),
  }),
  /** A graph's node has ended, or was skipped. */
  node_done: NodeResult,
  assistant: z.object({ delta: z.string() }),
  /** Reasoning of the model, only with `reasoning=true`. It is never stored, so it is gone after a restart. */
  reasoning: z.object({ delta: z.string() }),
  /**
   * A page that the provider names as a source of the answer, or a passage that `search_documents` returned. Each once per run, at
   * most 100 of either.
   */
  source: AnswerSource,
  /** A file that the model made. `GET /api/files/{id}` gives its bytes. */
  file: z.pick(FileReference, { id: true, name: true, media_type: true, bytes: true }),
  tool_start: z.object({ id: z.string(), name: z.string(), args: Json }),
  /** What a tool under way reports to people, at most five times a second. The model does not read it. */
  tool_progress: z.object({ id: z.string(), name: z.string(), text: z.string() }),
  /**
   * Data that a tool shows on the page of its caller, as `data-<name>` of the AI SDK. Of the data with one `id` the newest counts.
   * `transient`: it is not stored.
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
    /** A person denied the call, or nobody decided about it in time. */
    denied: z.optional(z.literal(true)),
  }),
  /** `run_id`: the run whose approval it is, when that is not the run of this stream. */
  approval: z.object({ id: PlatformId, tool: z.string(), args: Json, run_id: z.optional(PlatformId) }),
  /** A message to the run, which the next model call reads. */
  message: z.object({ id: PlatformId, text: z.string() }),
  /** The run, or a run below it, waits for something. An approval comes as `approval` too. */
  wait: z.object({ wait: Wait }),
  /** The wait has been settled. Sent when the run goes on or ends. */
  wait_settled: z.object({ wait: Wait }),
  usage: Usage,
  /** A model call failed and is made again after `in_ms` milliseconds, by `model`: the same one, or a fallback. */
  retry: z.object({ model: z.string(), reason: z.string(), in_ms: z.int() }),
  /** Of an agent's run, or of a graph's. */
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
