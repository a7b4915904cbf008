import { createHash } from 'node:crypto'
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { SkillStoreError } from '../skill-store-error.ts'
import { createSkillStore } from './create-skill-store.ts'

const base = 'https://store.example'
const registryUrl = `${base}/registry.json`
const licenseToken = 'license-token-of-the-test'
const markdown = '---\nname: weather\ndescription: d\n---\nBody'
const entry = {
  slug: 'weather',
  name: 'Weather',
  description: 'Forecasts',
  version: '1.2.0',
  url: '/weather.md',
}

const server = setupServer()
let asked: string[] = []
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  server.resetHandlers()
  asked = []
})
afterAll(() => server.close())
server.events.on('request:start', ({ request }) => void asked.push(request.url))

const offer = (...skills: unknown[]) => http.get(registryUrl, () => HttpResponse.json({ skills }))
const content = (path: string, make: () => Response) => http.get(`${base}${path}`, make)
const open = (options = {}) => createSkillStore({ registryUrl, ...options })

async function failureOf(work: Promise<unknown>): Promise<SkillStoreError> {
  const error: unknown = await work.catch((reason: unknown) => reason)
  if (!SkillStoreError.is(error)) throw new Error('it did not fail as expected', { cause: error })
  expect(inspect(error, { depth: 9 })).not.toContain(licenseToken)
  return error
}

describe('listing', () => {
  it('checks entry by entry: a bad one does not hide the others', async () => {
    server.use(
      offer(
        { ...entry, url: undefined },
        entry,
        { ...entry, slug: '../up' },
        'text',
        { ...entry, slug: 'file', url: 'file:///etc/passwd' },
        { ...entry, slug: 'plain', url: 'http://store.example/x' },
        { ...entry, slug: 'WEATHER' },
        { ...entry, slug: 'other', url: 'https://cdn.example/other.zip' },
      ),
    )
    const { skills, invalid } = await open().list()
    expect(skills.map(({ slug, url }) => [slug, url])).toEqual([
      ['weather', 'https://store.example/weather.md'],
      ['other', 'https://cdn.example/other.zip'],
    ])
    expect(invalid.map(({ index }) => index)).toEqual([0, 2, 3, 4, 5, 6])
  })

  it('lists what no folder can be called as invalid, with the reason', async () => {
    const slugs = ['skills.lock.json', 'Skills.Lock.JSON', 'con', 'aux.tools', 'weather.', 'lock', 'consent']
    server.use(offer(...slugs.map((slug) => ({ ...entry, slug }))))
    const { skills, invalid } = await open().list()
    expect(skills.map(({ slug }) => slug)).toEqual(['lock', 'consent'])
    expect(invalid).toEqual([
      { index: 0, error: expect.stringMatching(/^slug: .*lockfile/) as string },
      { index: 1, error: expect.stringMatching(/^slug: .*lockfile/) as string },
      { index: 2, error: expect.stringMatching(/^slug: .*device/) as string },
      { index: 3, error: expect.stringMatching(/^slug: .*device/) as string },
      { index: 4, error: expect.stringMatching(/^slug: .*dot/) as string },
    ])
    expect((await failureOf(open().fetch('skills.lock.json'))).code).toBe('NOT_FOUND')
  })

  it.each([
    ['HTML', () => HttpResponse.html('<html>')],
    ['an array', () => HttpResponse.json([])],
    ['no skills', () => HttpResponse.json({ skills: {} })],
  ])('refuses a registry that is %s', async (_, make) => {
    server.use(http.get(registryUrl, make))
    expect((await failureOf(open().list())).code).toBe('INVALID_REGISTRY')
  })

  it('finds by words, best match first', async () => {
    server.use(
      offer({ ...entry, slug: 'rain', name: 'Rain', description: 'Weather radar' }, entry, {
        ...entry,
        slug: 'pdf',
        name: 'PDF',
        description: 'Reads documents',
      }),
    )
    const found = await open().search('WEATHER')
    expect(found.map(({ slug }) => slug)).toEqual(['weather', 'rain'])
    expect(await open().search('weather documents')).toEqual([])
  })

  it('lists updates by semantic versioning', async () => {
    server.use(
      offer(entry, { ...entry, slug: 'b', version: '1.10.0' }, { ...entry, slug: 'c', version: 'latest' }),
    )
    const updates = await open().updates({ weather: '1.2.0', b: '1.9.0', c: '1.0.0', gone: '1.0.0' })
    expect(updates).toEqual([{ slug: 'b', installed: '1.9.0', available: '1.10.0' }])
  })
})

describe('fetching', () => {
  it('gives the files and their hash', async () => {
    server.use(
      offer(entry),
      content('/weather.md', () => HttpResponse.text(markdown)),
    )
    const { files, sha256 } = await open().fetch('weather')
    expect(files.map(({ path }) => path)).toEqual(['SKILL.md'])
    expect(sha256).toBe(createHash('sha256').update(markdown).digest('hex'))
  })

  it('says that the store has no such skill', async () => {
    server.use(offer(entry))
    expect((await failureOf(open().fetch('other'))).code).toBe('NOT_FOUND')
  })

  it('checks the hash of the registry', async () => {
    server.use(
      offer({ ...entry, sha256: 'a'.repeat(64) }),
      content('/weather.md', () => HttpResponse.text(markdown)),
    )
    expect((await failureOf(open().fetch('weather'))).code).toBe('HASH_MISMATCH')
  })

  it.each([401, 403])('turns %i into a license error', async (status) => {
    server.use(
      offer(entry),
      content('/weather.md', () => new HttpResponse('no', { status })),
    )
    const error = await failureOf(open({ licenseToken }).fetch('weather'))
    expect(error).toMatchObject({ code: 'LICENSE_REQUIRED', status, retryable: false })
  })

  it('says that no license went to a skill at another origin than the registry', async () => {
    const elsewhere = 'https://files.example/weather.md'
    const asked: string[] = []
    server.use(
      offer({ ...entry, url: elsewhere }),
      http.get(elsewhere, ({ request }) => {
        asked.push(request.url)
        return new HttpResponse('no', { status: 401 })
      }),
    )
    const error = await failureOf(open({ licenseToken }).fetch('weather'))
    expect(asked).toEqual([elsewhere])
    expect(error.message).toContain('It is sent to the origin of the registry only')
  })

  it.each([
    ['500', () => new HttpResponse(null, { status: 500 }), 'HTTP', true],
    ['a connection that breaks', () => HttpResponse.error(), 'UNREACHABLE', true],
    ['a web page', () => HttpResponse.html('<!doctype html>'), 'INVALID_CONTENT', false],
  ])('reports %s', async (_, make, code, retryable) => {
    server.use(offer(entry), content('/weather.md', make))
    expect(await failureOf(open({ licenseToken }).fetch('weather'))).toMatchObject({ code, retryable })
  })

  it('stops at the size limit, declared or not', async () => {
    const endless = () =>
      new HttpResponse(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(97)) }),
      )
    server.use(offer(entry), content('/weather.md', endless))
    expect((await failureOf(open({ maxContentBytes: 1_000_000 }).fetch('weather'))).code).toBe('TOO_LARGE')
    server.use(content('/weather.md', () => HttpResponse.text('x'.repeat(2000))))
    expect((await failureOf(open({ maxContentBytes: 1000 }).fetch('weather'))).code).toBe('TOO_LARGE')
  })

  it('gives up when its time is over, and leaves no timer', async () => {
    vi.useFakeTimers()
    const hangs: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
      })
    const failure = failureOf(open({ fetch: hangs, licenseToken }).list())
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await failure).toMatchObject({ code: 'TIMEOUT', retryable: true })
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it('gives up when its signal aborts, with its reason', async () => {
    server.use(offer(entry))
    const reason = new Error('enough')
    await expect(open().fetch('weather', AbortSignal.abort(reason))).rejects.toBe(reason)
  })
})

describe('the license', () => {
  it('goes to the origin of the store only', async () => {
    server.use(
      offer({ ...entry, url: 'https://cdn.example/weather.md' }),
      http.get('https://cdn.example/weather.md', () => HttpResponse.text(markdown)),
    )
    await open({ licenseToken }).fetch('weather')
    expect(asked).toEqual([`${registryUrl}?license=${licenseToken}`, 'https://cdn.example/weather.md'])
  })

  it('does not follow a redirect to another host, not even where the store quotes it', async () => {
    server.use(
      offer(entry),
      content('/weather.md', () =>
        HttpResponse.redirect(`https://cdn.example/weather.md?a=1&license=${licenseToken}`, 302),
      ),
      http.get('https://cdn.example/weather.md', () => HttpResponse.text(markdown)),
    )
    await open({ licenseToken }).fetch('weather')
    expect(asked.at(-1)).toBe('https://cdn.example/weather.md?a=1')
  })

  it('follows within the store', async () => {
    server.use(
      offer(entry),
      content('/weather.md', () => HttpResponse.redirect(`${base}/new/weather.md`, 301)),
      content('/new/weather.md', () => HttpResponse.text(markdown)),
    )
    await open({ licenseToken }).fetch('weather')
    expect(asked.at(-1)).toBe(`${base}/new/weather.md?license=${licenseToken}`)
  })
})

describe('redirects', () => {
  it.each(['http://store.example/weather.md', 'file:///etc/passwd', 'http://127.0.0.1/x', ''])(
    'to %j is refused',
    async (location) => {
      server.use(
        offer(entry),
        content('/weather.md', () => new HttpResponse(null, { status: 302, headers: { location } })),
      )
      const error = await failureOf(open().fetch('weather'))
      expect(['REDIRECTED', 'HTTP']).toContain(error.code)
      expect(asked.filter((url) => !url.startsWith('https://store.example/'))).toEqual([])
    },
  )

  it('that are refused leave no answer open', async () => {
    const cancel = vi.fn<() => void>()
    const fetch = async () => {
      const headers = { location: 'http://elsewhere.example/' }
      return new Response(new ReadableStream({ cancel }), { status: 302, headers })
    }
    expect((await failureOf(open({ fetch }).list())).code).toBe('REDIRECTED')
    expect(cancel).toHaveBeenCalledOnce()
  })

  it('that never end are given up', async () => {
    server.use(
      offer(entry),
      content('/weather.md', () => HttpResponse.redirect(`${base}/weather.md`, 302)),
    )
    expect((await failureOf(open().fetch('weather'))).code).toBe('REDIRECTED')
    expect(asked).toHaveLength(7)
  })
})

it('refuses an address that is no registry', () => {
  for (const address of ['store', 'ftp://store.example', '', undefined]) {
    const given = { registryUrl: address as string }
    expect(() => createSkillStore(given)).toThrow(/http or https/)
  }
  expect(() => createSkillStore(undefined as never)).toThrow(/"registryUrl" must be an http or https/)
})

it('refuses what could never be asked: an address with a password, a fetch that is no function', () => {
  const asked = failureIn(() => createSkillStore({ registryUrl: 'https://ada:secret@store.example/' }))
  expect(asked).toMatchObject({
    code: 'INVALID_OPTION',
    message:
      'Opening the skill store failed: "registryUrl" must be an http or https address without user name and password.',
  })
  expect(failureIn(() => createSkillStore({ registryUrl: base, fetch: {} as never }))).toMatchObject({
    code: 'INVALID_OPTION',
    message: 'Opening the skill store failed: "fetch" must be a function.',
  })
})

it.each([
  ['timeoutMs', { timeoutMs: Infinity }],
  ['maxRegistryBytes', { maxRegistryBytes: Number.NaN }],
  ['maxContentBytes', { maxContentBytes: -1 }],
  ['maxInflatedBytes', { archive: { maxInflatedBytes: Number.NaN } }],
])('names %s when it limits nothing', (name, wrong) => {
  const error = failureIn(() => createSkillStore({ registryUrl: base, ...wrong }))
  expect(error.code).toBe('INVALID_OPTION')
  expect(error.message).toContain(`Opening the skill store failed: "${name}" must be a number greater than 0`)
})

function failureIn(work: () => unknown): SkillStoreError {
  try {
    work()
  } catch (error) {
    if (SkillStoreError.is(error)) return error
  }
  throw new Error('It did not fail as it should')
}
