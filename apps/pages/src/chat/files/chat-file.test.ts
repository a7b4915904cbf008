import { expect, it } from 'vitest'
import { filesOfResult, isPicture } from './chat-file.ts'

it('finds the files that the result of a tool refers to', () => {
  const file = { type: 'file', id: 'f1', name: 'cat.png', media_type: 'image/png', bytes: 3, sha256: '0' }
  const text = { type: 'text', text: 'Drawn.' }
  expect(filesOfResult({ content: [text, file, { ...file, id: 7 }] })).toEqual([file])
  for (const other of [null, 'text', { content: 'text' }, { ok: true }])
    expect(filesOfResult(other)).toEqual([])
})

it('takes for a picture what cannot be more than one', () => {
  expect(isPicture({ media_type: 'image/png' })).toBe(true)
  expect(isPicture({ media_type: 'image/svg+xml' })).toBe(false)
  expect(isPicture({ media_type: 'text/html' })).toBe(false)
})
