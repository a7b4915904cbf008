import {
  channelCase,
  expectNoSecrets,
  failingFetch,
  fakePlatform,
  hangingFetch,
  silentPlatform,
} from './channel-harness.ts'
import type { ChannelHarness } from './channel-harness.ts'
import { expectRejection, expectSame, expectTrue } from '@homeward/kit/testing'

const words = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ')

/** An answer of more than 10,000 characters, with all that agents write. */
const longAnswer = [
  '# Title0',
  words(400, 'plain'),
  `Some **bold0**, *italic0* and \`code0\`, a [link0](https://example.org/?a=1&b=2), 5 < 6 & 7 > 3.`,
  `- item0\n- item1\n  1. inner0`,
  `\`\`\`ts\n${Array.from({ length: 200 }, (_, index) => `  const line${index} = a < b && "c"`).join('\n')}\n\`\`\``,
  '| head0 | head1 |\n|---|---|\n| cell0 | cell1 |',
  '> quote0',
  `Emoji ${'🚀'.repeat(700)} end0`,
  words(300, 'last'),
].join('\n\n')

/** How answers are shown, and what a person is told about the channel. */
export const channelWholeCases = [
  channelCase('shows a long answer whole, in order, in parts that the platform takes', async (harness) => {
    const channel = harness.create(silentPlatform().fetch)
    const parts = channel.render(longAnswer)
    expectTrue(parts.length > 1 || channel.maxText > 10_000, 'that a long answer is cut')
    for (const { text, plain } of parts) {
      expectTrue(text.trim() !== '' && plain.trim() !== '', 'that no part is empty')
      expectTrue(text.length <= channel.maxText && plain.length <= channel.maxText, 'that every part fits')
      expectTrue(!/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/.test(text + plain), 'that no emoji is cut in two')
    }
    for (const form of ['text', 'plain'] as const) {
      const shown = parts.map((part) => part[form]).join('\n')
      expectSameWords(shown, form)
      expectSame(shown.match(/🚀/gu)?.length, 700, `the emojis of the ${form}`)
    }
  }),
  channelCase('shows the same answer the same way, whatever it is, and never as nothing', async (harness) => {
    const channel = harness.create(silentPlatform().fetch)
    const odd = [
      '',
      ' ',
      '\n',
      '```',
      '```\n\n```',
      '[a]: b',
      '<!-- -->',
      '***',
      '>'.repeat(3000),
      '\u0000',
      '\uD800',
    ]
    for (const markdown of odd) {
      const parts = channel.render(markdown)
      expectTrue(parts.length > 0, 'that there is a part')
      expectTrue(
        parts.every(({ text, plain }) => text.trim() !== '' && plain.trim() !== ''),
        'that no part is empty',
      )
      expectSame(channel.render(markdown), parts, 'the same answer, shown again')
    }
  }),
  channelCase('says whether all is well when the platform answers', async (harness) => {
    const platform = fakePlatform((request) => harness.accept(request, '1'))
    const probe = await harness.create(platform.fetch).probe(new AbortController().signal)
    expectTrue(probe.ok, `that all is well: ${probe.warnings.join(' ')}`)
    expectTrue(platform.calls.length > 0, 'that the platform was asked')
    expectNoSecrets(harness, probe, 'what is said of the platform')
  }),
  channelCase('says what is wrong when the platform does not answer, and never throws', async (harness) => {
    const page = fakePlatform(() => new Response('<html>500</html>', { status: 500 }))
    const nonsense = fakePlatform(() => new Response('null', { status: 401 }))
    for (const fetch of [failingFetch('ECONNREFUSED', 'connect'), page.fetch, nonsense.fetch]) {
      await expectWarning(harness, fetch, new AbortController().signal)
    }
    await expectWarning(harness, hangingFetch, AbortSignal.abort(new Error('the caller gave up')))
  }),
  channelCase(
    'registers a webhook with the platform, where it can, but none without https',
    async (harness) => {
      const platform = fakePlatform((request) => harness.accept(request, '1'))
      const channel = harness.create(platform.fetch)
      if (!channel.setWebhook) return
      const { signal } = new AbortController()
      const path = `/api/channels/${channel.id}/webhook`
      await channel.setWebhook(`https://agents.example.org${path}`, signal)
      const isTold = platform.calls.some(({ body }) => body.includes(`agents.example.org${path}`))
      expectTrue(isTold, 'that the platform was told the address')
      const before = platform.calls.length
      const plain = await expectRejection(
        async () => channel.setWebhook?.(`http://agents.example.org${path}`, signal),
        'registering a webhook without https',
      )
      expectSame(platform.calls.length, before, 'how often the platform was called')
      expectNoSecrets(harness, plain, 'the error')
      const broken = harness.create(failingFetch('ECONNREFUSED', 'connect'))
      const error = await expectRejection(
        async () => broken.setWebhook?.(`https://agents.example.org${path}`, signal),
        'registering a webhook with a platform that is not there',
      )
      expectNoSecrets(harness, error, 'the error')
    },
  ),
  channelCase('stops asking for messages when its caller gives up', async (harness) => {
    const channel = harness.create(hangingFetch)
    if (!channel.poll) return
    const caller = new AbortController()
    const polling = channel.poll({ offset: undefined, signal: caller.signal, accept: async () => {} })
    setTimeout(() => caller.abort(new Error('the caller gave up')), 0)
    await polling
  }),
]

/** Fails at the first word that is missing, doubled or elsewhere. */
function expectSameWords(shown: string, form: string): void {
  const isWord = /[a-z]{4,}\d+/gi
  const [found, wanted] = [shown.match(isWord) ?? [], longAnswer.match(isWord) ?? []]
  const first = wanted.findIndex((name, index) => found[index] !== name)
  if (first >= 0) expectSame(found[first], wanted[first], `word ${first} of the ${form}`)
  expectSame(found.length, wanted.length, `how many words the ${form} has`)
}

async function expectWarning(
  harness: ChannelHarness,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<void> {
  const probe = await harness.create(fetch).probe(signal)
  expectTrue(!probe.ok, 'that a platform which does not answer is not well')
  expectTrue(probe.warnings.length > 0, 'that it says what is wrong')
  expectNoSecrets(harness, probe, 'what is said of the platform')
}
