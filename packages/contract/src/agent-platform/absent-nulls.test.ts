import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createHandler } from '../handler/index.ts'
import type { Operation } from '../operation.ts'
import { deviceCloudOperations } from '../device-cloud/index.ts'
import { agentPlatformOperations } from './index.ts'

type Example = { readonly request: { readonly body?: unknown } }
const examplesOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../examples/${name}.json`, import.meta.url), 'utf8')) as Record<
    string,
    Example
  >
const examples = { ...examplesOf('device-cloud'), ...examplesOf('agent-platform') }

/** Operations with a body in JSON, each with a recorded body and the names of its optional fields. */
const cases = [
  ...Object.entries<Operation>(deviceCloudOperations),
  ...Object.entries<Operation>(agentPlatformOperations),
].flatMap(([id, operation]) => {
  const body = examples[id]?.request.body
  const isTolerant = operation.auth === 'local' || operation.method === 'POST'
  if (!operation.body || !isTolerant || typeof body !== 'object' || body === null) return []
  const { properties = {}, required = [] } = z.toJSONSchema(operation.body, {
    io: 'input',
    unrepresentable: 'any',
  })
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  return optional.length > 0 && !Array.isArray(body) ? [{ id, operation, body, optional }] : []
})

it('knows rows with optional fields', () => {
  expect(cases.length).toBeGreaterThan(15)
})

it.each(cases)(
  'takes null for each optional field of $id as it takes a missing field',
  async ({ id, operation, body, optional }) => {
    const { params: _, ...row } = operation
    const { fetch } = createHandler({
      operations: { [id]: { ...row, path: '/x', reply: z.object({}) } },
      handlers: { [id]: () => ({}) },
      authenticate: Object.fromEntries(['local', 'session', 'device'].map((kind) => [kind, () => undefined])),
    } as unknown as Parameters<typeof createHandler>[0])
    const send = async (given: object) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: operation.method, headers, body: JSON.stringify(given) }
      return (await fetch(new Request('http://127.0.0.1/x', init))).status
    }
    // an agent cannot be without a model, and null is an answer
    const others = optional.filter(
      (name) => ![`updateAgent model`, `answerWait data`].includes(`${id} ${name}`),
    )
    for (const name of others) {
      const { [name]: _value, ...less } = body as Record<string, unknown>
      expect([name, await send({ ...less, [name]: null })]).toEqual([name, await send(less)])
    }
  },
)
