import { hash } from 'node:crypto'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { createRedactor } from '../secrets/redact.ts'
import { isSecretName } from '../secrets/secret-names.ts'

/** A model call and its answer. */
export interface RecordedCall {
  /** Model id, without its provider. */
  readonly model: string
  /** Provider name of the AI SDK package, such as `openai.responses`. */
  readonly provider: string
  /** Version of the provider interface of the AI SDK. */
  readonly specification: 'v3' | 'v4'
  /** Request to the model, without headers and secrets. */
  readonly request: JsonObject
  /** Method of the call: generate or stream. */
  readonly method: 'stream' | 'generate'
  /** Stream parts, or the single result. */
  readonly answer: readonly Json[]
}

/** Recorded model calls in the order of their answers. Plain JSON: write it to a file beside the tests. */
export interface ModelRecording {
  readonly version: 1
  readonly calls: readonly RecordedCall[]
}

/** Values that are never recorded. */
export interface RecordingOptions {
  /**
   * Texts to replace by `[secret]`. Headers, which contain provider keys, are not recorded, and texts that look like
   * keys of well-known services are always replaced.
   *
   * @default values of environment variables whose names end in KEY, TOKEN, SECRET, PASSWORD and similar
   */
  readonly secrets?: readonly string[]
}

/** Takes secrets out of values. */
export type Clean = (value: unknown) => Json

/** Builds what makes JSON without secrets of requests and answers. Bytes become `{ $bytes: <base64> }`. */
export function createClean({ secrets = environmentSecrets() }: RecordingOptions): Clean {
  const redactor = createRedactor(secrets)
  return (value) => {
    const json = JSON.parse(JSON.stringify(value, bytesToJson) ?? 'null') as Json // it was just written
    return redactor.kept(json)
  }
}

function environmentSecrets(): string[] {
  return Object.entries(process.env).flatMap(([name, value]) => (value && isSecretName(name) ? [value] : []))
}

/** Buffers have become `{ type: 'Buffer' }` by then: `this` still has them. */
function bytesToJson(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const given = this[key]
  return given instanceof Uint8Array ? { $bytes: Buffer.from(given).toString('base64') } : value
}

/** Gives bytes back. */
export function withBytes(value: Json): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withBytes)
  const { $bytes: bytes } = value
  if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'))
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withBytes(entry)]))
}

/**
 * What identifies a model call. Headers and `providerOptions` are left out: they say who asks and how to cache, and differ between
 * processes.
 */
export function toRecordedRequest(options: LanguageModelV4CallOptions, clean: Clean): JsonObject {
  const { headers: _, abortSignal: __, includeRawChunks: ___, ...asked } = options
  return withoutProviderOptions(clean(asked)) as JsonObject // an object stays one
}

function withoutProviderOptions(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutProviderOptions)
  const entries = Object.entries(value).filter(([key]) => key !== 'providerOptions')
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutProviderOptions(entry)]))
}

/** The same for the same request of a model. */
export const keyOf = (model: string, method: string, request: JsonObject): string =>
  hash('sha256', JSON.stringify([model, method, sorted(request)]))

function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]))
}
