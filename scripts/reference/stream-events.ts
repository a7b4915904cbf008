import type { RunEventName } from '@homeward/contract/agent-platform'

/** What each event of a stream tells. */
export const streamEvents: Readonly<Record<RunEventName, string>> = {
  start: 'The first event: the run has begun.',
  assistant: 'A part of the answer.',
  reasoning:
    "A part of the model's reasoning, only with `reasoning=true`. The event has no id and is never stored, so it is gone after a restart.",
  source: 'A page that the provider names as a source of the answer.',
  file: 'A file that the model made. `GET /api/files/{id}` returns its bytes, and the result lists it in `files`.',
  tool_start: 'A tool call begins. If its arguments are invalid, the next event of the call is an error.',
  tool_progress:
    'Progress of a tool call, for people: at most 5 events per second, and 1,000 per call. The model does not read it. With `format=ui` it is the transient part `data-tool-progress`.',
  data: 'Data that a tool shows on the page of its caller, with `writeData`. With `format=ui` it is a `data-<name>` part. If it is `transient`, the event has no id and is not stored.',
  tool_call: 'A tool call has ended, with `result` or `error`.',
  node_start: 'A node of a graph begins: its agent runs.',
  node_done: 'A node of a graph has ended, or was skipped.',
  approval: 'A tool call waits for a person. The stream stays open until the run has continued and ended.',
  message: 'A message to the run, which the next model call reads.',
  wait: 'The run, or a run below it, waits for something. The stream stays open until the run has continued and ended.',
  wait_settled: 'A wait has been settled: the run goes on, or ends.',
  usage: 'Tokens that the run has used so far.',
  retry:
    'A model call failed before its first token and is made again: after `in_ms` milliseconds by the same model, or at once by a fallback model. Or an output does not match `output_schema`, and the model corrects it: the text before this event is not the output. With `format=ui` it is the transient part `data-retry`.',
  done: 'The last event: the run has ended without a failure. If it reached a limit, `stop_reason` names the limit.',
  error: 'The last event: the run failed, was cancelled, or took too long.',
}
