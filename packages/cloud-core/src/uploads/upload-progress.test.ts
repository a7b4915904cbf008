import { describe, expect, it } from 'vitest'
import { countBytes, createUploadProgress } from './upload-progress.ts'

function start() {
  let nowMs = 1_000_000
  const progress = createUploadProgress(() => nowMs)
  return { progress, pass: (ms: number) => (nowMs += ms) }
}

describe('createUploadProgress', () => {
  it('knows what came, and takes off what came in vain', () => {
    const { progress } = start()
    progress.begin('r1', { receivedBytes: 100, totalBytes: 300 })
    progress.add('r1', 50)
    expect(progress.of('r1')).toEqual({ receivedBytes: 150, totalBytes: 300 })
    progress.add('r1', -50)
    expect(progress.of('r1')).toEqual({ receivedBytes: 100, totalBytes: 300 })
  })

  it('never tells of more than the file has', () => {
    const { progress } = start()
    progress.begin('r1', { receivedBytes: 250, totalBytes: 300 })
    progress.add('r1', 100)
    expect(progress.of('r1')).toEqual({ receivedBytes: 300, totalBytes: 300 })
  })

  it('tells nothing of what it does not know, what is over and what nothing came of for a while', () => {
    const { progress, pass } = start()
    progress.add('r1', 10)
    expect(progress.of('r1')).toBeUndefined()
    progress.begin('r1', { receivedBytes: 0 })
    pass(30_000)
    expect(progress.of('r1')).toEqual({ receivedBytes: 0 })
    pass(1)
    expect(progress.of('r1')).toBeUndefined()
    progress.add('r1', 5)
    expect(progress.of('r1')).toEqual({ receivedBytes: 5 })
    progress.end('r1')
    expect(progress.of('r1')).toBeUndefined()
  })

  it('keeps at most 10,000, the newest', () => {
    const { progress } = start()
    for (let at = 0; at <= 10_000; at += 1) progress.begin(`r${at}`, { receivedBytes: at })
    expect(progress.of('r0')).toBeUndefined()
    expect(progress.of('r1')).toEqual({ receivedBytes: 1 })
    expect(progress.of('r10000')).toEqual({ receivedBytes: 10_000 })
  })
})

it('countBytes passes on what it counts', async () => {
  const counted: number[] = []
  const content = async function* () {
    yield new Uint8Array(3)
    yield new Uint8Array(4)
  }
  const passed = await Array.fromAsync(countBytes(content(), (bytes) => counted.push(bytes)))
  expect(passed.map(({ length }) => length)).toEqual([3, 4])
  expect(counted).toEqual([3, 4])
})
