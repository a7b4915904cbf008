import { expect, it } from 'vitest'
import { isToldByQuestion, longArgumentOf, readSearch, toShortArguments } from './call-question.tsx'

it('asks in a sentence about a search that the sentence describes, and about no other call', () => {
  expect(readSearch('devices_search', { query: ' invoice ', deviceIds: ['a'] })).toEqual({
    query: 'invoice',
    deviceIds: ['a'],
  })
  expect(readSearch('devices_search', { query: 'x', scope: ['files'] })).toEqual({
    query: 'x',
    deviceIds: [],
  })
  expect(readSearch('devices_search', { query: 'x', where: { minBytes: 1 } })).toBeUndefined()
  expect(readSearch('devices_search', { query: 'x', scope: ['apps'] })).toBeUndefined()
  expect(readSearch('devices_search', { query: 'x', deviceIds: [1] })).toBeUndefined()
  expect(readSearch('write_file', { query: 'x' })).toBeUndefined()
})

it('folds the arguments of a call only if its question and its text say all of them', () => {
  const letter = { path: 'letter.md', content: 'Dear Ann' }
  expect(isToldByQuestion({ tool: 'write_file', args: letter })).toBe(true)
  expect(longArgumentOf({ tool: 'write_file', args: letter })).toBe('Dear Ann')
  expect(isToldByQuestion({ tool: 'write_file', args: { ...letter, mode: 'append' } })).toBe(false)
  expect(isToldByQuestion({ tool: 'write_file', args: { path: 'letter.md' } })).toBe(false)
  expect(isToldByQuestion({ tool: 'memory_write', args: { text: 'x', tags: ['a'] } })).toBe(true)
  expect(isToldByQuestion({ tool: 'memory_write', args: { text: 'x', tags: 1 } })).toBe(false)
  expect(isToldByQuestion({ tool: 'exec', args: { command: 'ls' } })).toBe(true)
  expect(isToldByQuestion({ tool: 'exec', args: { command: 'ls', cwd: '/' } })).toBe(false)
  const script = 'cd /tmp\nrm x'
  expect(longArgumentOf({ tool: 'exec', args: { command: script } })).toBe(script)
  expect(longArgumentOf({ tool: 'exec', args: { command: 'ls' } })).toBeUndefined()
  expect(isToldByQuestion({ tool: 'post', args: { url: 'https://a.example/x', method: 'post' } })).toBe(false)
  expect(isToldByQuestion({ tool: 'toString', args: { a: 'b' } })).toBe(false)
})

it('does not say that an undo makes the call again', () => {
  const undo = { tool: 'undo:exec', args: { command: 'rm x' } }
  expect(isToldByQuestion(undo)).toBe(false)
  expect(longArgumentOf({ ...undo, args: { command: 'cd /tmp\nrm x' } })).toBeUndefined()
})

it('lists the arguments of any tool if they are few, short and not nested', () => {
  expect(toShortArguments({ item_id: 'tea', count: 2, gift: false })).toEqual([
    ['item id', 'tea'],
    ['count', '2'],
    ['gift', 'false'],
  ])
  expect(toShortArguments({ item: { id: 1 } })).toBeUndefined()
  expect(toShortArguments({ note: null })).toBeUndefined()
  expect(toShortArguments({ note: 'x'.repeat(100) })).toBeUndefined()
  expect(toShortArguments(Object.fromEntries([...'abcdefg'].map((name) => [name, 1])))).toBeUndefined()
  expect(toShortArguments(['tea'])).toBeUndefined()
})
