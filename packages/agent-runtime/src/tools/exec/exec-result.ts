import type { Json } from '@homeward/contract/agent-platform'
import { parseJson } from '../../json/parse-json.ts'
import { isDeep } from '../../json/to-json.ts'
import type { Redactor } from '../../secrets/redact.ts'
import type { ExecToolDefinition } from '../../skills/definitions/tool-definition.ts'
import type { BoundedText } from './bounded-output.ts'
import type { ProcessOutcome } from './run-process.ts'

/** What a result is made with. */
export interface ExecResultOptions extends Pick<ExecToolDefinition, 'maxOutputBytes' | 'output'> {
  readonly redactor: Redactor
  readonly durationMs: number
  /** Largest result of any tool, in bytes: what is larger would be cut in the midst of its fields. */
  readonly maxResultBytes: number
}

/** What the model is given of a program's end (A16): both streams share the limit. */
export function toExecResult(outcome: ProcessOutcome, options: ExecResultOptions): Json {
  const { exitCode, stdout, stderr, timedOut } = outcome
  const { redactor, durationMs, maxResultBytes, output } = options
  const maxBytes = Math.min(options.maxOutputBytes, maxResultBytes)
  // of a long stdout as much gives way as leaves an error message room
  const said = stderr.text(Math.max(maxBytes - stdout.bytes, Math.floor(maxBytes / 4)))
  const written = stdout.text(maxBytes - Buffer.byteLength(said.text))
  const result = {
    ok: exitCode === 0 && !timedOut,
    exitCode,
    stdout: redactor.text(written.text, written.truncated),
    stderr: redactor.text(said.text, said.truncated),
    truncated: written.truncated || said.truncated,
    timedOut,
    durationMs: Math.max(0, Math.round(durationMs)),
  }
  if (output === 'text') return result
  const data = parseJson(result.stdout)
  if (data === undefined) return { ...result, ok: false, error: noJson(written) }
  // what it wrote stays, as text
  if (isDeep({ data })) return { ...result, ok: false, error: tooDeep }
  const bytes = Buffer.byteLength(result.stdout) * 2 + Buffer.byteLength(result.stderr)
  // the text says the same again: where there is no room for both, it gives way
  return { ...result, ...(bytes > maxResultBytes && { stdout: '' }), data: redactor.json(data) }
}

const tooDeep = 'the JSON output of the program is nested too deeply'

const noJson = ({ truncated }: BoundedText): string =>
  truncated
    ? 'the output of the program was cut because it is too long, so it is not complete JSON'
    : 'the standard output of the program is not JSON'
