import * as z from 'zod/mini'
import { RunResult, RunStep, Usage } from './run.ts'
import { Json, PlatformId } from './values.ts'

/** `data` of each server-sent event of a run, by its `event` name (A6). */
export const runEvents = {
  start: z.object({ run_id: PlatformId, conversation_id: PlatformId, model: z.string() }),
  assistant: z.object({ delta: z.string() }),
  tool_start: z.object({ id: z.string(), name: z.string(), args: Json }),
  tool_call: z.object({
    id: z.string(),
    name: z.string(),
    result: z.optional(Json),
    error: z.optional(z.string()),
  }),
  approval: z.object({ id: PlatformId, tool: z.string(), args: Json }),
  usage: Usage,
  done: z.object({
    finalContent: z.string(),
    turnCount: z.int(),
    ...RunResult.shape,
    steps: z.array(RunStep),
  }),
  error: z.object({ message: z.string(), code: z.string(), run_id: z.optional(PlatformId) }),
} as const

/** Name of an event of a run (A6). */
export type RunEventName = keyof typeof runEvents
/** One event of a run. `done` and `error` are the last. */
export type RunEvent = {
  [Name in RunEventName]: { readonly event: Name; readonly data: z.infer<(typeof runEvents)[Name]> }
}[RunEventName]
