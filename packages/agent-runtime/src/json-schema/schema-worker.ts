// oxlint-disable unicorn/require-post-message-target-origin -- this is a thread, not a window
import { parentPort } from 'node:worker_threads'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { createSchemaFunctions, type SchemaFunction } from './compile-schema.ts'

// A thread that compiles schemas and checks values. The thread that started it ends it when a request takes too long.

/** A schema to compile, and, if there is one, a value to check. */
export interface ThreadRequest {
  readonly schema: JsonObject
  /** A list of one value, or none. */
  readonly values: readonly Json[]
}

const maxKept = 100
const maxFindings = 1000
const functions = createSchemaFunctions()
const kept = new Map<string, SchemaFunction>()

async function compiled(schema: JsonObject): Promise<SchemaFunction> {
  const text = JSON.stringify(schema)
  const known = kept.get(text)
  if (known) return known
  const made = await functions.compile(schema)
  kept.set(text, made)
  const oldest = kept.keys().next()
  if (kept.size > maxKept && !oldest.done) kept.delete(oldest.value)
  return made
}

await functions.warmUp()
parentPort?.postMessage('ready')

parentPort?.on('message', ({ schema, values }: ThreadRequest) => {
  void (async () => {
    try {
      const { validate, unchecked } = await compiled(schema)
      parentPort?.postMessage('compiled')
      const wrong = validate !== undefined && values.some((value) => !validate(value))
      const findings = wrong ? (validate.errors ?? []).slice(0, maxFindings) : []
      parentPort?.postMessage({ findings, unchecked })
    } catch {
      parentPort?.postMessage(undefined) // a value that is nested too deeply to be walked
    }
  })()
})
