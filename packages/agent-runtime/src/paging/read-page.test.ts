import { expect, it } from 'vitest'
import { readPage } from './read-page.ts'

/** Numbers from 1 to 4, as a store with cursors of its own gives them. */
async function read({ limit, cursor = '0' }: { limit: number; cursor?: string | undefined }) {
  const first = Number(cursor) + 1
  const rows = [1, 2, 3, 4].filter((row) => row >= first && row < first + limit)
  const last = rows.at(-1) ?? 4
  return { rows, ...(last < 4 && { nextCursor: String(last) }) }
}

it('goes through a list by its own cursors', async () => {
  const first = await readPage('tasks', { limit: 3 }, read)
  expect(first.rows).toEqual([1, 2, 3])
  expect(await readPage('tasks', { limit: 3, cursor: first.nextCursor }, read)).toEqual({ rows: [4] })
})

it('refuses a cursor of the same list of something else', async () => {
  const { nextCursor } = await readPage('messages', { limit: 3, of: 'a' }, read)
  expect(await readPage('messages', { limit: 3, of: 'a', cursor: nextCursor }, read)).toEqual({ rows: [4] })
  const page = { limit: 3, cursor: nextCursor, of: 'b' }
  await expect(readPage('messages', page, read)).rejects.toMatchObject({ code: 'validation_error' })
})

it('refuses the cursor of another list, which the store would have taken', async () => {
  const { nextCursor } = await readPage('tasks', { limit: 3 }, read)
  for (const cursor of [nextCursor, '3', 'messages3', '']) {
    await expect(readPage('messages', { limit: 3, cursor }, read)).rejects.toMatchObject({
      code: 'validation_error',
    })
  }
})
