import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { openWorkspace } from '../workspace/workspace.ts'
import { checkWorkspacePaths } from './exec-tool.ts'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'homeward-paths-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const path = { type: 'string', format: 'workspace-path' }
const check = (args: JsonObject, schema: JsonObject) =>
  checkWorkspacePaths(args, schema, openWorkspace(folder))

it.each<[string, JsonObject]>([
  ['a property', { properties: { at: path } }],
  ['anyOf', { properties: { at: { anyOf: [path, { type: 'null' }] } } }],
  ['oneOf around it all', { oneOf: [{ properties: { at: path } }, { properties: { other: {} } }] }],
  ['allOf', { properties: { at: { allOf: [{ type: 'string' }, path] } } }],
  ['a reference', { properties: { at: { $ref: '#/$defs/path' } }, $defs: { path } }],
  ['a pattern of names', { patternProperties: { '^a': path } }],
  ['other names', { additionalProperties: path }],
])('A16: a path of the workspace is checked that stands in %s', async (_, schema) => {
  await expect(check({ at: '../secret.txt' }, schema)).rejects.toMatchObject({ code: 'validation_error' })
  expect(await check({ at: './-n//x.txt' }, schema)).toEqual({ at: './-n/x.txt' })
})

it.each<[string, JsonObject]>([
  ['items', { items: path }],
  ['prefixItems', { prefixItems: [path] }],
])('A16: a path of the workspace is checked that stands in %s', async (_, list) => {
  const schema = { properties: { files: list } }
  await expect(check({ files: ['/etc/passwd'] }, schema)).rejects.toMatchObject({ code: 'validation_error' })
  expect(await check({ files: ['a//b'] }, schema)).toEqual({ files: ['a/b'] })
})

it('A16: leaves alone what is no path', async () => {
  const schema = { properties: { url: { type: 'string' }, at: path } }
  const args = { url: 'https://a.example/../b', at: 'notes.md', more: ['../c', null, 4] }
  expect(await check(args, schema)).toEqual(args)
})
