import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openInputHistory } from './chat-on-terminal.ts'
import { parseInput } from './parse-input.ts'

const files = new Set(['/a.png', '/my file.png', '/new'])
const parse = (text: string) => parseInput(text, (path) => files.has(path))

describe('what a person types', () => {
  it.each([
    ['  Hello\nthere ', { kind: 'message', text: 'Hello\nthere' }],
    ['  ', { kind: 'nothing' }],
    ['//help me', { kind: 'message', text: '/help me' }],
    ['/deny too expensive', { kind: 'command', name: 'deny', argument: 'too expensive' }],
    ['/new', { kind: 'command', name: 'new', argument: '' }],
    ['/nwe', { kind: 'unknown', name: 'nwe' }],
    ['/file', { kind: 'command', name: 'file', argument: '' }],
    ['/file /my file.png', { kind: 'files', paths: ['/my file.png'] }],
    ['/file "/my file.png" /a.png', { kind: 'files', paths: ['/my file.png', '/a.png'] }],
    [String.raw`/my\ file.png /a.png`, { kind: 'files', paths: ['/my file.png', '/a.png'] }],
    ["'/a.png' ", { kind: 'files', paths: ['/a.png'] }],
    ['/a.png what is this?', { kind: 'message', text: '/a.png what is this?' }],
    ['/etc/none', { kind: 'message', text: '/etc/none' }],
  ])('reads %j', (typed, input) => expect(parse(typed)).toEqual(input))
})

describe('the history of inputs', () => {
  it('is stored for the owner only, without repeats, and survives a broken file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'history-'))
    const path = join(folder, 'home', 'chat-history')
    const first = await openInputHistory(path)
    await first.add('one\ntwo')
    await first.add('one\ntwo')
    await first.add('x'.repeat(20_000))
    await first.add('three')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await openInputHistory(path)).entries).toEqual(['one\ntwo', 'three'])
    expect(await readFile(path, 'utf8')).toBe('"one\\ntwo"\n"three"\n')
    await rm(folder, { recursive: true })
  })
})
