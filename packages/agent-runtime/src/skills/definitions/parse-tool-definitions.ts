import type { JsonObject } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import en from 'zod/v4/locales/en.js'
import { issueSentence } from '../../host-input/issue-sentence.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ToolEffects } from '../../ports/tool.ts'
import type { ExecToolDefinition, HttpToolDefinition, ToolDefinition } from './tool-definition.ts'
import { plainParameters, resultPlace, toJson, toToolParameters, unknownPlaces } from './tool-parameters.ts'
import { ExecEntry, HttpEntry } from './tool-schemas.ts'

const maxTools = 200
const httpTimeoutMs = 30_000
const execTimeoutMs = 60_000
const execOutputBytes = 262_144
const describeIssue = en().localeError
const reads = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Reads what a tools.yaml holds: `tools`, a list, or the list itself. Files are looked at by `checkToolFiles`.
 *
 * @param given The YAML as values.
 * @param file Named in errors.
 * @throws {RuntimeError} `invalid_skill` for the first tool that cannot be used, with the reason.
 */
export function parseToolDefinitions(given: unknown, file = 'tools.yaml'): ToolDefinition[] {
  try {
    return toDefinitions(given, file)
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    throw new RuntimeError('invalid_skill', `${error.message} Correct the skill's ${file}.`)
  }
}

function toDefinitions(given: unknown, file: string): ToolDefinition[] {
  const entries = isObject(given) ? given['tools'] : given
  if (entries === undefined || entries === null) return []
  if (!Array.isArray(entries)) throw invalid(file, '"tools" must be a list')
  if (entries.length > maxTools) throw invalid(file, `it must have at most ${maxTools} tools`)
  const definitions = entries.map((entry: unknown, index) => parseToolDefinition(entry, index))
  const ids = new Set<string>()
  for (const { id } of definitions) {
    if (ids.has(id)) throw invalid(`tool "${id}"`, 'two tools have this id')
    ids.add(id)
  }
  return definitions
}

function parseToolDefinition(entry: unknown, index: number): ToolDefinition {
  if (!isObject(entry)) throw invalid(`tool ${index + 1}`, 'it must have "id" and "description"')
  const subject =
    typeof entry['id'] === 'string' ? `tool "${entry['id'].slice(0, 128)}"` : `tool ${index + 1}`
  const type = entry['type'] ?? (entry['command'] === undefined ? 'http' : 'exec')
  const named = withDocumentedNames(entry, subject)
  if (type === 'http') return toHttpTool(parse(HttpEntry, named, subject), subject)
  if (type === 'exec') return toExecTool(parse(ExecEntry, named, subject), subject)
  throw invalid(subject, '"type" must be http or exec')
}

/** An entry whose arguments may be called `input_schema`, in the words of MCP, or `parameters`, in those of OpenAPI. */
function withDocumentedNames({ input_schema: schema, ...entry }: Entry, subject: string): Entry {
  if (schema === undefined) return entry
  if (entry['parameters'] !== undefined)
    throw invalid(subject, 'it must have "input_schema" or "parameters", not both')
  return { ...entry, parameters: schema }
}

/** `repeat` is the earlier name of `idempotent`. */
function isIdempotent({ idempotent, repeat }: HttpEntry | ExecEntry, effects: ToolEffects): boolean {
  return idempotent ?? (repeat === undefined ? effects === 'read' : repeat === 'safe')
}

function toHttpTool(entry: HttpEntry, subject: string): HttpToolDefinition {
  const method = entry.method ?? 'GET'
  const effects = entry.effects ?? (reads.has(method) ? 'read' : 'external')
  const { parameters } = entry
  const plain = parameters === undefined || parameters === null
  const inputSchema = plain
    ? plainParameters(entry.path)
    : parametersOf(parameters, subject, { method, path: entry.path })
  return {
    type: 'http',
    id: entry.id,
    description: entry.description,
    method,
    path: entry.path,
    plain,
    inputSchema,
    headers: entry.headers ?? {},
    ...(entry.list && {
      list: { rows: entry.list.rows, fields: entry.list.fields, countBy: entry.list.count_by },
    }),
    ...(entry.auth === undefined ? {} : { auth: toAuth(entry.auth) }),
    ...(entry.verify && { verify: toVerify(entry.verify, inputSchema, subject) }),
    ...(entry.undo && { undo: toUndo(entry.undo, inputSchema, subject) }),
    timeoutMs: milliseconds(entry.timeout) ?? httpTimeoutMs,
    effects,
    idempotent: isIdempotent(entry, effects),
  }
}

function toVerify(
  { method = 'GET', path, when }: NonNullable<HttpEntry['verify']>,
  inputSchema: JsonObject,
  subject: string,
): NonNullable<HttpToolDefinition['verify']> {
  assertPlaces('verify', path, inputSchema, subject)
  if (when === undefined) return { method, path }
  return { method, path, when: read(subject, () => toJson(when, '"verify.when"')) as JsonObject } // of an object
}

function toUndo(
  { method = 'DELETE', path }: NonNullable<HttpEntry['undo']>,
  inputSchema: JsonObject,
  subject: string,
): NonNullable<HttpToolDefinition['undo']> {
  assertPlaces('undo', path, inputSchema, subject)
  return { method, path }
}

function assertPlaces(field: 'verify' | 'undo', path: string, inputSchema: JsonObject, subject: string) {
  const isResult = (name: string) => field === 'undo' && name.startsWith(resultPlace)
  const place = unknownPlaces(path, inputSchema).find((name) => !isResult(name))
  if (place !== undefined)
    throw invalid(subject, `"${field}.path" has a placeholder for "${place}", which is not a parameter`)
}

function toAuth(auth: NonNullable<HttpEntry['auth']>): NonNullable<HttpToolDefinition['auth']> {
  const name = auth.name ?? (auth.in === 'header' ? 'Authorization' : 'api_key')
  const usual = auth.in === 'header' && name.toLowerCase() === 'authorization' ? 'Bearer' : undefined
  const scheme = auth.scheme ?? usual
  return { credential: auth.credential, in: auth.in, name, ...(scheme ? { scheme } : {}) }
}

function toExecTool(entry: ExecEntry, subject: string): ExecToolDefinition {
  const network = entry.network ?? []
  const effects = entry.effects ?? (network.length > 0 ? 'external' : 'write')
  return {
    type: 'exec',
    id: entry.id,
    description: entry.description,
    command: entry.command,
    args: entry.args ?? [],
    stdin: entry.stdin ?? 'none',
    inputSchema: parametersOf(entry.parameters, subject),
    env: entry.env ?? [],
    timeoutMs: milliseconds(entry.timeout) ?? execTimeoutMs,
    maxOutputBytes: entry.max_output ?? execOutputBytes,
    output: entry.output ?? 'text',
    network,
    effects,
    idempotent: isIdempotent(entry, effects),
  }
}

function parametersOf(given: unknown, subject: string, http?: { method: string; path: string }): JsonObject {
  return read(subject, () => toToolParameters(given, http))
}

function read<Value>(subject: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw invalid(subject, error instanceof Error ? error.message : 'its parameters cannot be read')
  }
}

function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  entry: unknown,
  subject: string,
): z.infer<Schema> {
  const parsed = z.safeParse(schema, entry, { error: describeIssue })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalid(subject, issue ? issueSentence(issue, 'the tool') : 'the tool is invalid')
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000)
}

function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Entry = Readonly<Record<string, unknown>>

/** Says why a tool cannot be used; the file is added to it. */
class Unusable extends Error {}

const invalid = (subject: string, reason: string) => new Unusable(`Reading ${subject} failed: ${reason}.`)
