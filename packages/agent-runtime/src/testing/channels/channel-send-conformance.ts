import type { ChannelErrorCode, SendOptions } from '../../ports/channel.ts'
import {
  channelCase,
  expectNoSecrets,
  failingFetch,
  fakePlatform,
  hangingFetch,
  silentPlatform,
  takenMessage,
} from './channel-harness.ts'
import type { ChannelHarness } from './channel-harness.ts'
import { ConformanceError, expectRejection, expectSame, expectTrue } from '@homeward/kit/testing'

const word = 'unmistakable'

/** How answers go out, and what is said when they do not. */
export const channelSendCases = [
  channelCase('sends the text of a part, and gives the id of the platform', async (harness) => {
    const platform = fakePlatform((request) => harness.accept(request, '4711'))
    const sent = await send(harness, platform.fetch)
    expectTrue(
      platform.calls.some(({ body }) => body.includes(word)),
      'that the text reached the platform',
    )
    expectTrue(sent.id === undefined || sent.id === '4711', 'that the id is the one of the platform')
    const times = platform.calls.filter(({ body }) => body.includes(word)).length
    expectSame(times, 1, 'how often the text was sent')
  }),
  channelCase('surely sent nothing when there was no connection, and says so', async (harness) => {
    const error = await failureOf(harness, failingFetch('ECONNREFUSED', 'connect'))
    expectSame(
      error.code,
      'temporary',
      'the code of a connection that was refused (`cause` of what fetch throws)',
    )
  }),
  channelCase('claims to know nothing when a connection broke behind the request', async (harness) => {
    const error = await failureOf(harness, failingFetch('ECONNRESET', 'read'))
    const allowed = [maybeRepeated(harness) ? 'temporary' : 'uncertain', 'uncertain']
    expectTrue(allowed.includes(error.code), `that a broken connection is uncertain, not ${error.code}`)
  }),
  channelCase('claims to know nothing when a proxy answers with an error', async (harness) => {
    const page = () =>
      new Response('<html>502</html>', { status: 502, headers: { 'content-type': 'text/html' } })
    const error = await failureOf(harness, fakePlatform(page).fetch)
    const allowed = [maybeRepeated(harness) ? 'temporary' : 'uncertain', 'uncertain']
    expectTrue(allowed.includes(error.code), `that a broken gateway is uncertain, not ${error.code}`)
  }),
  channelCase('follows no redirect with its credentials', async (harness) => {
    const away = () =>
      new Response(null, { status: 307, headers: { location: 'https://elsewhere.invalid/' } })
    const platform = fakePlatform(away)
    await failureOf(harness, platform.fetch)
    const isOwn = platform.calls.every(({ request }) => !request.url.startsWith('https://elsewhere.invalid'))
    expectTrue(isOwn, 'that nothing is sent elsewhere')
    const isManual = platform.calls.every(({ request }) => request.redirect !== 'follow')
    expectTrue(isManual, "that fetch is not left to follow: `redirect: 'manual'`")
  }),
  channelCase('says what a refusal of the platform means', async (harness) => {
    for (const [code, refuse] of Object.entries(harness.refusals ?? {})) {
      const platform = fakePlatform(refuse)
      const error = await failureOf(harness, platform.fetch)
      expectSame(error.code, code, 'the code of a refusal')
      if (code === 'rate_limited') {
        expectTrue((error.retryAfterMs ?? 0) > 0, 'that it says how long to wait')
      }
    }
  }),
  channelCase('gives up with the reason of its caller, before and while it sends', async (harness) => {
    const reason = new Error('the caller gave up')
    const silent = silentPlatform()
    const early = await expectRejection(
      () => send(harness, silent.fetch, { signal: AbortSignal.abort(reason) }),
      'sending with an aborted signal',
    )
    expectTrue(early === reason, 'that it rejects with the reason of its signal')
    expectSame(silent.calls.length, 0, 'how often the platform was called')
    const caller = new AbortController()
    const late = await expectRejection(() => {
      const sending = send(harness, hangingFetch, { signal: caller.signal })
      setTimeout(() => caller.abort(reason), 0)
      return sending
    }, 'sending until the caller gives up')
    expectTrue(late === reason, 'that it rejects with the reason of its signal later too')
  }),
]

/** Whether a part may be sent twice: then nothing about it is uncertain. */
function maybeRepeated(harness: ChannelHarness): boolean {
  const channel = harness.create(silentPlatform().fetch)
  return channel.isIdempotent || channel.isRepeatable !== undefined
}

/** Sends an answer to a message that came in, by a target that was kept. */
async function send(
  harness: ChannelHarness,
  fetch: typeof globalThis.fetch,
  options: Partial<SendOptions> = {},
): Promise<{ readonly id?: string }> {
  const channel = harness.create(fetch)
  const { target } = await takenMessage(harness, channel, harness.messageBody({ id: 1, text: 'hi' }))
  const kept = JSON.parse(JSON.stringify(target)) as typeof target // it is plain JSON, which another case holds
  const [part] = channel.render(word)
  if (!part) throw new ConformanceError('Rendering a word failed: there is no part.')
  const { signal } = new AbortController()
  return channel.send(kept, part, { signal, index: 0, idempotencyKey: 'answer-1:0', ...options })
}

const codes: readonly string[] = [
  'auth',
  'rate_limited',
  'gone',
  'too_long',
  'format',
  'expired',
  'temporary',
  'uncertain',
  'permanent',
] satisfies readonly ChannelErrorCode[]

/** What sending fails with: an error that says what it is and shows no secret. */
async function failureOf(
  harness: ChannelHarness,
  fetch: typeof globalThis.fetch,
): Promise<{ code: string; retryAfterMs: number | undefined }> {
  const error = await expectRejection(() => send(harness, fetch), 'sending to a platform that fails')
  expectNoSecrets(harness, error, 'the error')
  const isKnown = error instanceof Error && 'code' in error && codes.includes(String(error.code))
  if (!isKnown)
    throw new ConformanceError(`Sending failed with something else than a ChannelError: ${String(error)}`)
  const { code } = error as unknown as { code: string } // asked above
  const wait =
    'retryAfterMs' in error && typeof error.retryAfterMs === 'number' ? error.retryAfterMs : undefined
  return { code, retryAfterMs: wait }
}
