import { expect, it } from 'vitest'
import { explainError } from './explain-error.ts'

it('tells the causes behind a message, each once', () => {
  const disk = new Error("ENOTDIR: not a directory, mkdir '/dev/null/home'")
  const store = new Error('Opening the database failed: check the path.', { cause: disk })
  expect(explainError(store)).toBe(`${store.message}\n  because: ${disk.message}`)
  expect(explainError(new Error(`It failed: ${disk.message}`, { cause: disk }))).toBe(
    `It failed: ${disk.message}`,
  )
  expect(explainError({ status: 1 })).toBe('{ status: 1 }')
})

it('ends with causes that lie in a circle', () => {
  const error = new Error('first')
  error.cause = new Error('second', { cause: error })
  expect(explainError(error)).toBe('first\n  because: second')
})
