import { describe, expect, it, vi } from 'vitest'
import { race, setupCase } from './conformance-case.ts'
import {
  ConformanceError,
  expectAborts,
  expectCode,
  expectRejection,
  expectSame,
  expectTrue,
} from './expect.ts'

describe('a case over a setup', () => {
  it('lets the setup go, whether the promise is kept or not', async () => {
    const end = vi.fn<(setup: number) => Promise<void>>(async () => {})
    const run = vi.fn<(setup: number) => Promise<void>>(async () => {})
    const { name, run: tryIt } = setupCase('keeps it', run, end)
    await tryIt({ create: async () => 7 })
    run.mockRejectedValue(new ConformanceError('broken'))
    await expect(tryIt({ create: async () => 8 })).rejects.toThrow('broken')
    expect([name, run.mock.calls, end.mock.calls]).toEqual(['keeps it', [[7], [8]], [[7], [8]]])
  })

  it('races eight calls', async () => {
    expect(await race(async (index) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })
})

describe('what a case expects', () => {
  it('takes values for the same whatever the order of their keys, without those that hold undefined', () => {
    expectSame({ a: [1, { b: 2, c: undefined }], d: 'x' }, { d: 'x', a: [1, { b: 2 }] }, 'values')
    expect(() => expectSame([1], [2], 'values')).toThrow(
      new ConformanceError('Checking values failed: got [1], expected [2].'),
    )
    expect(() => expectSame(undefined, null, 'nothing')).toThrow(ConformanceError)
    expect(() => expectTrue(false, 'truth')).toThrow(ConformanceError)
  })

  it('tells what a call rejects with, and one that resolves', async () => {
    const error = Object.assign(new Error('no'), { code: 'NO' })
    expect(await expectRejection(() => Promise.reject(error), 'a call')).toBe(error)
    await expectCode(() => Promise.reject(error), 'NO', 'a call')
    await expect(expectCode(() => Promise.reject(error), 'YES', 'a call')).rejects.toThrow(ConformanceError)
    await expect(expectRejection(async () => 7, 'a call')).rejects.toThrow(ConformanceError)
  })

  it('wants an aborted signal heeded, and its reason given', async () => {
    await expectAborts({ read: async (signal) => signal.throwIfAborted() })
    await expect(expectAborts({ read: async () => 7 })).rejects.toThrow(ConformanceError)
    await expect(expectAborts({ read: () => Promise.reject(new Error('own')) })).rejects.toThrow(
      ConformanceError,
    )
  })
})
