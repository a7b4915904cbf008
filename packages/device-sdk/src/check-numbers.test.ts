import { expect, it } from 'vitest'
import { createDeviceAgent, createMemoryAuditLog, createMemoryOutbox } from './index.ts'
import { createFileAuditLog, createFileOutbox, createFileSearch, createFileSource } from './node/index.ts'

const agent = { baseUrl: 'https://cloud.example', apiKey: 'hw_key', providers: {} }
const missing = Number(undefined)

it.each<[name: string, create: () => unknown]>([
  ['maxBytes', () => createFileSource({ roots: [], maxBytes: missing })],
  ['maxRows', () => createFileSearch({ roots: [], maxRows: -1 })],
  ['maxEntries', () => createFileSearch({ roots: [], maxEntries: missing })],
  ['concurrency', () => createFileSearch({ roots: [], concurrency: 0 })],
  ['maxBytes', () => createFileOutbox({ folder: '/nowhere', maxBytes: missing })],
  ['maxBytes', () => createFileAuditLog({ folder: '/nowhere', maxBytes: missing })],
  ['maxEntries', () => createMemoryOutbox({ maxEntries: missing })],
  ['maxEntries', () => createMemoryAuditLog({ maxEntries: missing })],
  ['policy.maxUploadBytes', () => createDeviceAgent({ ...agent, policy: { maxUploadBytes: missing } })],
])('names %s when it would limit nothing', (name, create) => {
  const expected = { code: 'INVALID_OPTION', message: expect.stringContaining(`failed: "${name}" must be`) }
  expect(create).toThrow(expect.objectContaining(expected))
})

it('takes limits of 0 and of Infinity', () => {
  createMemoryOutbox({ maxEntries: 0, maxBytes: Infinity })
  createDeviceAgent({ ...agent, policy: { maxUploadBytes: 0 } })
})

it.each<[name: string, create: (given: never) => unknown]>([
  ['"folder" must be the path of a folder', createFileOutbox],
  ['"folder" must be the path of a folder', createFileAuditLog],
  ['"roots" must be a list of absolute paths', createFileSearch],
  ['"roots" must be a list of absolute paths', createFileSource],
])('says that %s, when it is missing', (problem, create) => {
  const expected = { code: 'INVALID_OPTION', message: expect.stringContaining(`failed: ${problem}.`) }
  for (const given of [undefined, null, {}, { folder: '', roots: '/home/ada' }, { folder: 5, roots: 5 }]) {
    expect(() => create(given as never)).toThrow(expect.objectContaining(expected))
  }
})
