import { expect, it } from 'vitest'
import { repeatableId, writeOnce } from './repeatable-id.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

it('is a UUID of version 8, the same for the same request', () => {
  const id = repeatableId('key', ['memory', { text: 'a' }, undefined])
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(repeatableId('key', ['memory', { text: 'a' }, undefined])).toBe(id)
  for (const other of [
    repeatableId('key', ['memory', { text: 'b' }]),
    repeatableId('ke', ['y', 'memory', { text: 'a' }]),
    repeatableId('other', ['memory', { text: 'a' }, undefined]),
  ]) {
    expect(other).not.toBe(id)
  }
})

it('takes a conflict for a repeat, unless what is there is something else, and no other failure', async () => {
  const conflict = () => Promise.reject(new RuntimeError('conflict', 'there'))
  const failure = () => Promise.reject(new RuntimeError('storage_error', 'broken'))
  const other = () => Promise.reject(new RuntimeError('conflict', 'another'))
  await expect(writeOnce(conflict)).resolves.toBeUndefined()
  await expect(writeOnce(conflict, async () => {})).resolves.toBeUndefined()
  await expect(writeOnce(conflict, other)).rejects.toThrow('another')
  await expect(writeOnce(failure, async () => {})).rejects.toThrow('broken')
  await expect(writeOnce(async () => {}, other)).resolves.toBeUndefined()
})
