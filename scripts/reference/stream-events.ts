import type { RunEventName } from '@homeward/contract/agent-platform'

/** What each event of a stream tells. */
export const streamEvents: Readonly<Record<RunEventName, string>> = {
  start: 'The run began. The first event.',
  assistant: 'A piece of the answer.',
  reasoning:
    'A piece of what the model thinks. Only with `reasoning=true`. It has no id, is never stored and is not there after a restart.',
  source: 'A page that the answer rests on, as the provider names it.',
  file: 'A file that the model made. `GET /api/files/{id}` gives its bytes, and the result lists it in `files`.',
  tool_start: 'A tool call begins. Its arguments may be wrong: then the next event of it is an error.',
  tool_progress:
    'A tool under way reports to people how far it is: at most five times a second, and 1,000 times a call. The model does not read it. With `format=ui` it is the transient part `data-tool-progress`.',
  tool_call: 'A tool call has ended, with `result` or `error`.',
  node_start: 'A node of a graph begins: its agent runs.',
  node_done: 'A node of a graph has ended, or was skipped.',
  approval: 'A tool call waits for a person. The stream stays open until the run goes on and ends.',
  usage: 'Tokens of the run so far.',
  retry:
    'A model call failed before its first token and is made again: after `in_ms` milliseconds by the same model, or at once by a fallback model. Or an output does not match `output_schema`, and the model corrects it: the text before this event is not the output. With `format=ui` it is the transient part `data-retry`.',
  done: 'The run has ended without a failure; a reached limit is told by `stop_reason`. The last event.',
  error: 'The run failed, was cancelled, or took too long. The last event.',
}
