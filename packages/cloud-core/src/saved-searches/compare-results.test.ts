import type { SearchResults } from '@homeward/contract/device-cloud'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareResults } from './compare-results.ts'

const file = (path: string, size = 1) => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  size,
  modified: '2026-01-01T00:00:00.000Z',
})
const files = (...paths: string[]) => paths.map((path) => file(path))
const missing = (path: string) => ({ scope: 'files', reason: 'missing_root', path, count: 1 })
const none = { added: [], removed: [], changed: [] }

it('tells changed rows apart from added and removed ones, by their path', () => {
  const before = { files: [file('/a'), file('/b')], tabs: [{ id: 1, title: 'x' }, 'plain'] }
  const after = { files: [file('/c'), file('/b', 2)], tabs: [{ id: 1, title: 'y' }, 'other'] }
  expect(compareResults(before, after)).toEqual({
    added: [
      { scope: 'files', ...file('/c') },
      { scope: 'tabs', value: 'other' },
    ],
    removed: [
      { scope: 'files', ...file('/a') },
      { scope: 'tabs', value: 'plain' },
    ],
    changed: [
      { before: { scope: 'files', ...file('/b') }, after: { scope: 'files', ...file('/b', 2) } },
      { before: { scope: 'tabs', id: 1, title: 'x' }, after: { scope: 'tabs', id: 1, title: 'y' } },
    ],
    isPartial: false,
  })
})

it('takes no volatile field for a change', () => {
  const system = (free: string, disk: string) => ({
    system: { cpu: 'ARM, 4 cores', memory: `${free} free of 32 GiB`, disk },
  })
  const app = (running: boolean) => ({ apps: [{ name: 'Mail', path: '/mail', running }] })
  expect(compareResults(system('22 GiB', 'unknown'), system('910.5 MiB', '/: 1 GiB free of 2 GiB'))).toEqual({
    ...none,
    isPartial: false,
  })
  expect(compareResults(app(true), app(false))).toEqual({ ...none, isPartial: false })
  const grown = { system: { cpu: 'ARM, 8 cores', memory: '1 GiB free of 64 GiB', disk: 'unknown' } }
  expect(compareResults(system('1 GiB', 'x'), grown).changed).toHaveLength(1)
})

it('compares nothing beyond a cut list', () => {
  const cut = { truncated: { files: true } }
  const before = { files: files('/a', '/b'), ...cut }
  expect(compareResults(before, { files: files('/b', '/c'), ...cut })).toEqual({ ...none, isPartial: true })
  expect(compareResults(before, { files: files('/b', '/c') })).toMatchObject({
    added: [],
    removed: [{ path: '/a' }],
    isPartial: true,
  })
})

it('compares nothing below a place that one answer could not read', () => {
  const whole = { files: files('/mnt/a', '/mnt/b', '/mnt-2/c', '/home/d') }
  const part = { files: files('/home/d'), unread: [missing('/mnt')] }
  expect(compareResults(whole, part)).toMatchObject({ removed: [{ path: '/mnt-2/c' }], isPartial: true })
  expect(compareResults(part, whole)).toMatchObject({ added: [{ path: '/mnt-2/c' }], isPartial: true })
  expect(compareResults(part, part)).toEqual({ ...none, isPartial: false })
  const blind = { files: [], unread: [{ scope: 'files', reason: 'denied', count: 3 }] }
  expect(compareResults(whole, blind)).toEqual({ ...none, isPartial: true })
})

it('marks the comparison if everything is gone: an empty mount point looks the same', () => {
  expect(compareResults({ files: files('/a', '/b') }, { files: [] })).toMatchObject({
    removed: [{}, {}],
    isPartial: true,
  })
  expect(compareResults({ files: files('/a') }, { files: [] })).toMatchObject({ isPartial: false })
})

it('takes all rows of a device that was not asked before for added', () => {
  expect(compareResults(undefined, { files: files('/a') })).toMatchObject({ added: [{ path: '/a' }] })
})

it('never tells of a change on a disk that did not change, whatever roots come and go and lists are cut', () => {
  const roots = ['/a', '/b', '/c'] as const
  const disk = roots.flatMap((root) => files(`${root}/1`, `${root}/2`, `${root}/x/3`))
  const answer = fc
    .record({ present: fc.subarray([...roots], { minLength: 1 }), rows: fc.nat(9), order: fc.boolean() })
    .map(({ present, rows, order }): SearchResults => {
      const seen = disk.filter(({ path }) => present.some((root) => path.startsWith(root)))
      const sorted = order ? seen : seen.toReversed()
      const unread = roots.filter((root) => !present.includes(root)).map(missing)
      return {
        files: sorted.slice(0, rows),
        ...(rows < seen.length && { truncated: { files: true } }),
        ...(unread.length > 0 && { unread }),
      }
    })
  fc.assert(
    fc.property(answer, answer, (before, after) => {
      expect(compareResults(before, after)).toMatchObject(none)
    }),
  )
})
