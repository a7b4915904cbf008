import os from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { SearchTask } from '../../ports/search-provider.ts'
import { createSystemFacts, describeCpu, type SystemInformation } from './create-system-facts.ts'
import { readDeviceMetadata } from './device-metadata.ts'
import { toSizeText } from './to-size-text.ts'

const task = (signal = new AbortController().signal): SearchTask => ({
  queryId: 'q',
  query: '*',
  scope: 'system',
  maxRows: 1,
  signal,
})
const sizes = /[\d.]+ [KMGT]?i?B free of [\d.]+ [KMGT]?i?B/

it('describes this machine with what Node knows', async () => {
  const { found } = await createSystemFacts({ systemInformation: false, diskPath: '/' })(task())
  expect(found.cpu).toMatch(/.+, \d+ cores?$/)
  expect(found.memory).toMatch(sizes)
  expect(found.disk).toMatch(sizes)
})

it('describes this machine with the library that is installed', async () => {
  const { found } = await createSystemFacts()(task())
  for (const text of Object.values(found)) expect(text).not.toBe('')
})

it('uses the library for processor and disks, and does without when it fails', async () => {
  const library: SystemInformation = {
    cpu: async () => ({ manufacturer: 'AMD', brand: 'Ryzen 9', physicalCores: 8, cores: 16 }),
    fsSize: async () => [
      { mount: '/', size: 2 ** 40, available: 2 ** 39 },
      { mount: '/empty', size: 0, available: 0 },
      { mount: '/home', size: 2 ** 30, available: 0 },
    ],
  }
  const { found } = await createSystemFacts({ systemInformation: library })(task())
  expect(found.cpu).toBe('AMD Ryzen 9, 16 cores')
  expect(found.disk).toBe('/: 512 GiB free of 1 TiB; /home: 0 B free of 1 GiB')
  const broken: SystemInformation = {
    cpu: () => Promise.reject(new Error('no')),
    fsSize: () => Promise.reject(new Error('no')),
  }
  expect((await createSystemFacts({ systemInformation: broken })(task())).found.disk).toMatch(sizes)
  const missing = { systemInformation: false, diskPath: '/not/there' } as const
  expect((await createSystemFacts(missing)(task())).found.disk).toBe('unknown')
})

it('rejects with the reason when the signal aborts, however long the library takes', async () => {
  const never = new Promise<never>(() => {})
  const library: SystemInformation = { cpu: () => never, fsSize: () => never }
  const stop = new AbortController()
  const facts = createSystemFacts({ systemInformation: library })(task(stop.signal))
  stop.abort(new Error('deadline'))
  await expect(facts).rejects.toThrow('deadline')
})

it('answers with what Node knows while the library hangs, and calls it once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const never = new Promise<never>(() => {})
  const fsSize = vi.fn(() => never)
  const cpu = async () => ({ manufacturer: 'AMD', brand: 'Ryzen 9', physicalCores: 8, cores: 16 })
  const facts = createSystemFacts({ systemInformation: { cpu, fsSize } })
  for (let times = 0; times < 3; times += 1) {
    const searches = [facts(task()), facts(task())]
    // The disk responds meanwhile.
    for (const until = performance.now() + 20; performance.now() < until;) await setImmediate()
    await vi.advanceTimersByTimeAsync(4000)
    for (const { found } of await Promise.all(searches)) {
      expect(found.cpu).toBe('AMD Ryzen 9, 16 cores')
      expect(found.memory).toMatch(sizes)
      expect(found.disk).toMatch(/^home folder: /)
    }
  }
  expect(fsSize).toHaveBeenCalledOnce()
})

it.each(['', 'unknown', ' Unknown '])('names the architecture when the model is "%s"', (model) => {
  expect(describeCpu([{ model }, { model }])).toBe(`${os.arch()}, 2 cores`)
})

it('gives heartbeats three short texts', () => {
  const metadata = readDeviceMetadata()
  expect(Object.keys(metadata)).toEqual(['os', 'version', 'hardware'])
  for (const text of Object.values(metadata)) expect(text).toMatch(/./)
})

it('writes sizes for people', () => {
  expect([0, 1023, 1536, 10 * 2 ** 20, 2 ** 70].map(toSizeText)).toEqual([
    '0 B',
    '1023 B',
    '1.5 KiB',
    '10 MiB',
    '1048576 PiB',
  ])
})
