import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { SearchTask } from '../../ports/index.ts'
import { runSearch, type SearchOptions } from './run-search.ts'
import { search } from '../testing/fake-cloud.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const file = { path: '/a', name: 'a', size: 1, modified: '2026-01-01T00:00:00.000Z' }
const files = async () => ({ found: [file] })
const run = (scope: string[], options: Partial<SearchOptions>) =>
  runSearch(
    search('q', scope),
    { providers: {}, policy: {}, deadlineMs: 60_000, ...options },
    new AbortController().signal,
  )

it('names a scope that nobody provides and keeps the results of the others', async () => {
  const { report } = await run(['files', 'weather', 'constructor', 'truncated'], { providers: { files } })
  expect(report.results).toEqual({ files: [file] })
  expect(report.error).toBe(
    'scope "weather" is not supported by this device; scope "constructor" is not supported by this device; ' +
      'scope "truncated" is not supported by this device',
  )
})

it('passes on what a search selects, and where its files come from', async () => {
  const asked: unknown[] = []
  const files = async (task: SearchTask) => {
    asked.push(task)
    return { found: [file, file, file], source: 'index', asOf: '2026-01-01T00:00:00.000Z' }
  }
  const selection = { where: { kind: ['image'] }, sort: 'size', limit: 2 } as const
  const request = { ...search('q', ['files']), ...selection, where: { kind: ['image'] } }
  const options = { providers: { files }, policy: {}, deadlineMs: 60_000 }
  const { report } = await runSearch(request, options, new AbortController().signal)
  expect(asked).toMatchObject([
    {
      queryId: 'q',
      query: request.query,
      scope: 'files',
      where: { kind: ['image'] },
      sort: 'size',
      maxRows: 2,
    },
  ])
  expect(report.results).toEqual({
    files: [file, file],
    truncated: { files: true },
    source: 'index',
    asOf: '2026-01-01T00:00:00.000Z',
  })
})

it('says where files come from whose content was searched', async () => {
  const content = () => Promise.resolve({ found: [file], source: 'index', asOf: '2026-01-02T00:00:00.000Z' })
  const options = { providers: { content }, policy: { contentSearch: true }, deadlineMs: 60_000 }
  const { report } = await runSearch(search('q', ['content']), options, new AbortController().signal)
  expect(report.results).toMatchObject({ source: 'index', asOf: '2026-01-02T00:00:00.000Z' })
})

it('names a scope that failed and keeps the results of the others', async () => {
  const apps = () => Promise.reject(new Error('no list of apps'))
  const { report } = await run(['apps', 'files'], { providers: { files, apps } })
  expect(report).toMatchObject({ results: { files: [file] }, error: 'scope "apps" failed: no list of apps' })
})

it('refuses results of another form instead of letting the cloud refuse the report', async () => {
  const providers = { files: async () => ({ found: [{ ...file, size: -1 }] }) }
  const { report } = await run(['files'], { providers })
  expect(report).toMatchObject({
    results: {},
    error: expect.stringContaining('an invalid result') as string,
  })
})

it.each<[string, give: () => unknown]>([
  ['undefined', () => undefined],
  ['null', () => null],
  ['a text', () => 'files'],
  ['a number', () => 5],
  ['a list', () => [file]],
  ['an object without it', () => ({})],
  ['a promise of nothing', () => Promise.resolve()],
  ['what JSON leaves out', () => ({ found: () => file })],
])('names a scope whose provider gives no result, and keeps the others: %s', async (_, give) => {
  const { report } = await run(['stats', 'files'], { providers: { files, stats: give as never } })
  expect(report).toMatchObject({
    results: { files: [file] },
    error: 'scope "stats" failed: its provider returned no result. It must return { found: … }',
  })
})

it.each([
  ['a BigInt', () => ({ bytesFree: 123n })],
  [
    'a circle',
    () => {
      const row: { self?: unknown } = {}
      row.self = row
      return [row]
    },
  ],
  [
    'a toJSON that throws',
    () => ({
      toJSON() {
        throw new Error('closed')
      },
    }),
  ],
])('C17: names a scope whose results JSON cannot write, and keeps the others: %s', async (_, give) => {
  const stats = async () => ({ found: give() })
  const { report } = await run(['stats', 'files'], { providers: { files, stats } })
  expect(report.results).toEqual({ files: [file] })
  expect(report.error).toMatch(/^scope "stats" failed: ./)
})

it('reports results as they were when they were given, whatever their provider does with them later', async () => {
  const found = { disks: [1] }
  const { report } = await run(['stats'], { providers: { stats: async () => ({ found }) } })
  found.disks.push(2)
  expect(report).toMatchObject({ results: { stats: { disks: [1] } }, error: null })
})

it('reports at the deadline what is known by then', async () => {
  const seen: AbortSignal[] = []
  const apps = ({ signal }: { signal: AbortSignal }) => {
    seen.push(signal)
    return new Promise<never>(() => {})
  }
  const pending = run(['files', 'apps'], { providers: { files, apps } })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(seen[0]?.aborted).toBe(true)
  // A second for what the abort itself brings.
  await vi.advanceTimersByTimeAsync(1000)
  const { report } = await pending
  expect(report).toMatchObject({
    results: { files: [file] },
    error: 'scope "apps" did not finish within 60 s',
  })
})

it('keeps what a provider gives when its signal aborts at the deadline, as cut', async () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const pending = run(['files', 'tabs', 'apps'], {
    providers: {
      files: async ({ signal }) => {
        await untilAborted(signal)
        return { found: [file], truncated: true }
      },
      tabs: async ({ signal }) => {
        await untilAborted(signal)
        await new Promise((resolve) => setTimeout(resolve, 900))
        return { found: ['a tab'] }
      },
      apps: async ({ signal }) => {
        await untilAborted(signal)
        throw signal.reason
      },
    },
  })
  await vi.advanceTimersByTimeAsync(60_900)
  expect(vi.getTimerCount()).toBe(0)
  expect((await pending).report).toMatchObject({
    results: { files: [file], tabs: ['a tab'], truncated: { files: true, tabs: true } },
    error: 'scope "apps" did not finish within 60 s',
  })
})

it('does not wait for silent providers when it is stopped', async () => {
  const stop = new AbortController()
  const files = vi.fn(() => new Promise<never>(() => {}))
  const options = { providers: { files }, policy: {}, deadlineMs: 60_000 }
  const pending = runSearch(search('q'), options, stop.signal)
  await vi.advanceTimersByTimeAsync(60_500)
  stop.abort(new Error('stopped'))
  await expect(pending).rejects.toThrow('stopped')
})

it('runs scopes of the integrator, and cuts them like the others', async () => {
  const providers = { tabs: async () => ({ found: Array.from({ length: 2000 }, (_, index) => index) }) }
  const { report } = await run(['tabs'], { providers })
  expect(report.error).toBeNull()
  expect(report.results?.tabs).toHaveLength(1000)
  expect(report.results?.truncated).toEqual({ tabs: true })
})

it('The device has the last word: on scopes', async () => {
  const system = vi.fn()
  const { report, denied } = await run(['files', 'system'], {
    providers: { files, system },
    policy: { scopes: ['files'] },
  })
  expect(report).toMatchObject({
    results: { files: [file] },
    error: 'policy_denied: scope "system" is not allowed on this device',
  })
  expect(denied).toBe(report.error)
  expect(system).not.toHaveBeenCalled()
})

it.each([
  ['says no', () => false],
  ['throws', () => Promise.reject(new Error('no window'))],
  ['gives something else', () => 'yes' as never],
])('The device has the last word: runs nothing when the owner %s', async (_, consent) => {
  const provider = vi.fn(files)
  const { report } = await run(['files'], { providers: { files: provider }, policy: { consent } })
  expect(report).toMatchObject({
    results: {},
    error: 'policy_denied: the owner of this device denied the request',
  })
  expect(provider).not.toHaveBeenCalled()
})

it('puts a refusal first, whatever else went wrong', async () => {
  const providers = {
    files,
    apps: () => Promise.reject(new DeviceCloudError('POLICY_DENIED', 'apps are private')),
  }
  const { report } = await run(['none', 'apps', 'files'], { providers })
  expect(report.error).toBe('policy_denied: apps are private; scope "none" is not supported by this device')
})

it('refuses to search inside files unless the policy of the device allows it', async () => {
  const content = async () => ({ found: [file] })
  for (const policy of [{}, { scopes: ['content'] }, { contentSearch: true, scopes: ['files'] }]) {
    const { report, denied } = await run(['content'], { providers: { content }, policy })
    expect(report.results).toEqual({})
    expect(denied).toBe('policy_denied: scope "content" is not allowed on this device')
  }
})

it('reports what is inside files in the list of files, once for each file and first', async () => {
  const matched = { ...file, path: '/b', matches: [{ line: 3, text: 'a report' }] }
  const providers = {
    files: async () => ({ found: [file, { ...file, path: '/b' }] }),
    content: async () => ({ found: [matched], truncated: true }),
  }
  const policy = { contentSearch: true }
  const both = await run(['files', 'content'], { providers, policy })
  expect(both.report).toMatchObject({ scope: ['files', 'content'], error: null })
  expect(both.report.results).toEqual({
    files: [matched, file],
    truncated: { content: true, files: true },
  })
  const alone = await run(['content'], { providers, policy })
  expect(alone.report.results).toEqual({ files: [matched], truncated: { content: true, files: true } })
  const odd = { content: async () => ({ found: [{ ...file, matches: [{ line: 0, text: '' }] }] }) }
  const refused = await run(['content'], { providers: odd, policy })
  expect(refused.report.error).toContain('an invalid result at "files.0.matches.0.line"')
})

it('reports what its providers could not see, with the scope', async () => {
  const unread = [{ reason: 'missing_root', path: '/mnt/a', count: 1 }]
  const providers = {
    files: async () => ({ found: [file], unread }),
    apps: async () => ({ found: [], unread: [] }),
    odd: async () => ({ found: [], unread: [{ reason: 5 }] as never }),
  }
  const { report } = await run(['files', 'apps', 'odd', 'unread'], { providers })
  expect(report.results).toEqual({ files: [file], apps: [], unread: [{ scope: 'files', ...unread[0] }] })
  expect(report.error).toBe(
    'scope "odd" failed: its provider returned an invalid list "unread"; ' +
      'scope "unread" is not supported by this device',
  )
})
