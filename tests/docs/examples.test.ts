import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAgentPlatformDocument } from '@homeward/agent-runtime/server'
import { agentPlatformOperations, openaiOperations } from '@homeward/contract/agent-platform'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import {
  agentPlatformExamples,
  deviceCloudExamples,
  openaiExamples,
  type OperationExamples,
} from '@homeward/contract/examples'
import { toOpenApi } from '@homeward/contract/openapi'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Operation } from '@homeward/contract'
import { recordExamples } from '../../scripts/examples/record-examples.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const interfaces: readonly (readonly [string, Readonly<Record<string, Operation>>, OperationExamples])[] = [
  ['the device cloud', deviceCloudOperations, deviceCloudExamples],
  ['the agent platform', agentPlatformOperations, agentPlatformExamples],
  ['the OpenAI-compatible endpoint', openaiOperations, openaiExamples],
]

describe.each(interfaces)('examples of %s', (_, operations, examples) => {
  it('exist for every operation, and for no other', () => {
    expect(Object.keys(examples)).toEqual(Object.keys(operations))
  })

  it.each(Object.keys(operations))('%s: request and response have the shapes of the contract', (id) => {
    const { body, reply, status = 200, pendingStatus } = operations[id] as Operation
    const { request, response } = examples[id]!
    expect([status, pendingStatus]).toContain(response.status)
    if (body) expect(z.safeParse(body, request.body ?? {}).error).toBeUndefined()
    if (typeof reply !== 'string') expect(z.safeParse(reply, response.body).error).toBeUndefined()
    else if (reply !== 'platform') expect(response.body).toMatch(/\S/)
  })
})

it('recording gives the same again: run `npm run examples` after a change', async () => {
  for (const [path, text] of await recordExamples())
    expect(text, path).toBe(readFileSync(join(workspaceFolder, path), 'utf8'))
})

it.each([
  [
    'device cloud',
    () =>
      toOpenApi({
        operations: deviceCloudOperations,
        examples: deviceCloudExamples,
        title: 'Device cloud',
        version: '1.0.0',
      }),
  ],
  ['agent platform', () => createAgentPlatformDocument({ servers: [{ url: 'https://agents.example.org' }] })],
])('the OpenAPI document of the %s has examples that fit their schemas', async (_, describeInterface) => {
  const source = JSON.stringify(await describeInterface())
  const config = await createConfig({
    rules: { 'no-invalid-media-type-examples': 'error', 'no-invalid-parameter-examples': 'error' },
  })
  const problems = await lintFromString({ source, config })
  expect(problems.map(({ message, location }) => [message, location[0]?.pointer])).toEqual([])
  expect(source.split('"example":').length).toBeGreaterThan(150)
})
