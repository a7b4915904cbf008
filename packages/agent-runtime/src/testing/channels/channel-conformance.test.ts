import { describe, expect, it } from 'vitest'
import { ChannelError } from '../../channels/channel-error.ts'
import type { Channel, InboundMessage, OutboundPart, ReceivedRequest } from '../../ports/channel.ts'
import { channelHarnesses } from '../../channels/testing/channel-harnesses.ts'
import { channelSecrets } from '../../channels/testing/platform-proofs.ts'
import { channelConformance } from './channel-conformance.ts'
import type { ChannelHarness } from './channel-harness.ts'

const sound = channelHarnesses.telegram as ChannelHarness // one of the five

/** A promise that is broken, and how it shows. */
interface Broken {
  readonly case: string
  readonly how: string
  readonly change: (channel: Channel, fetch: typeof globalThis.fetch) => Partial<Channel>
}

const always = async (received: ReceivedRequest) => received
const withMessage = (channel: Channel, change: (message: InboundMessage) => object) => ({
  async receive(...request: Parameters<Channel['receive']>): Promise<ReceivedRequest> {
    const received = await channel.receive(...request)
    if (received.kind === 'reply') return received
    return { ...received, message: { ...received.message, ...change(received.message) } }
  },
})
const failing = (thrown: Error) => ({ send: () => Promise.reject(thrown) })
const onFailure = (channel: Channel, error: (caught: unknown) => unknown) => ({
  send: (...sent: Parameters<Channel['send']>) =>
    channel.send(...sent).catch((caught: unknown) => Promise.reject(error(caught))),
})
const eachPart = (channel: Channel, change: (part: OutboundPart) => Partial<OutboundPart>) => ({
  render: (markdown: string) => channel.render(markdown).map((part) => ({ ...part, ...change(part) })),
})
const ignored = { kind: 'reply', reply: { status: 200 }, why: 'nothing' } as const
let count = 0

const broken: readonly Broken[] = [
  {
    case: 'takes a message of a person, asks nobody about it, and acknowledges it',
    how: 'takes nothing',
    change: () => ({ receive: () => always(ignored) }),
  },
  {
    case: 'takes a message of a person, asks nobody about it, and acknowledges it',
    how: 'asks the platform first',
    change: (channel, fetch) => ({
      async receive(request) {
        await fetch('https://platform.test').catch(() => undefined)
        return channel.receive(request)
      },
    }),
  },
  {
    case: 'takes a message of a person, asks nobody about it, and acknowledges it',
    how: 'names no channel in the conversation',
    change: (channel) => withMessage(channel, () => ({ conversationId: '1' })),
  },
  {
    case: 'knows a message that comes twice, and tells two messages apart',
    how: 'makes keys by chance',
    change: (channel) => withMessage(channel, () => ({ dedupeKeys: [`key-${(count += 1)}`] })),
  },
  {
    case: 'knows a message that comes twice, and tells two messages apart',
    how: 'has one key for all',
    change: (channel) => withMessage(channel, () => ({ dedupeKeys: ['key'] })),
  },
  {
    case: 'gives a target that survives being kept as JSON',
    how: 'keeps a date in the target',
    change: (channel) => withMessage(channel, () => ({ target: { data: { at: new Date(0) } } })),
  },
  {
    case: 'gives a target that survives being kept as JSON',
    how: 'keeps the token in the target',
    change: (channel) =>
      withMessage(channel, () => ({ target: { data: { token: channelSecrets.telegram } } })),
  },
  {
    case: 'refuses what is not proven, without a word and without asking anyone',
    how: 'believes everyone',
    change: () => ({ receive: () => always(ignored) }),
  },
  {
    case: 'refuses what is not proven, without a word and without asking anyone',
    how: 'says what the proof should have been',
    change: (channel) => ({
      async receive(request) {
        const received = await channel.receive(request)
        if (received.reply.status !== 401) return received
        return { ...received, reply: { status: 401, body: 'expected another token' } }
      },
    }),
  },
  {
    case: 'takes no body that is none for a message, and breaks at none',
    how: 'throws at a body that is no JSON',
    change: (channel) => ({
      async receive(request) {
        JSON.parse(new TextDecoder().decode(request.body))
        return channel.receive(request)
      },
    }),
  },
  {
    case: 'breaks at no field that is missing or of another kind',
    how: 'trusts the fields that it reads',
    change: (channel) => ({
      async receive(request) {
        const { message } = JSON.parse(new TextDecoder().decode(request.body))
        message.text.trim()
        return channel.receive(request)
      },
    }),
  },
  {
    case: 'sends the text of a part, and gives the id of the platform',
    how: 'sends nothing',
    change: () => ({ send: async () => ({ id: '4711' }) }),
  },
  {
    case: 'sends the text of a part, and gives the id of the platform',
    how: 'sends twice',
    change: (channel) => ({
      send: async (...sent) => channel.send(...sent).then(() => channel.send(...sent)),
    }),
  },
  {
    case: 'sends the text of a part, and gives the id of the platform',
    how: 'gives an id of its own',
    change: (channel) => ({ send: async (...sent) => channel.send(...sent).then(() => ({ id: 'own' })) }),
  },
  {
    case: 'surely sent nothing when there was no connection, and says so',
    how: 'swallows the failure',
    change: (channel) => ({ send: (...sent) => channel.send(...sent).catch(() => ({})) }),
  },
  {
    case: 'surely sent nothing when there was no connection, and says so',
    how: 'lets the error of fetch through, address and all',
    change: () => failing(new TypeError(`fetch failed: https://a.test/bot${channelSecrets.telegram}/x`)),
  },
  {
    case: 'claims to know nothing when a connection broke behind the request',
    how: 'says that it may be tried again',
    change: (channel) => onFailure(channel, () => new ChannelError('temporary', 'broke off')),
  },
  {
    case: 'claims to know nothing when a proxy answers with an error',
    how: 'says that it may be tried again',
    change: (channel) => onFailure(channel, () => new ChannelError('temporary', '502')),
  },
  {
    case: 'follows no redirect with its credentials',
    how: 'leaves it to fetch',
    change: (_, fetch) => ({
      send: async () => {
        await fetch('https://platform.test/send', { method: 'POST' })
        throw new ChannelError('permanent', 'redirect')
      },
    }),
  },
  {
    case: 'says what a refusal of the platform means',
    how: 'takes all for the same',
    change: (channel) => onFailure(channel, () => new ChannelError('permanent', 'refused')),
  },
  {
    case: 'says what a refusal of the platform means',
    how: 'does not say how long to wait',
    change: (channel) =>
      onFailure(channel, (caught) =>
        caught instanceof ChannelError ? new ChannelError(caught.code, 'no') : caught,
      ),
  },
  {
    case: 'gives up with the reason of its caller, before and while it sends',
    how: 'has its own reason',
    change: (channel) => onFailure(channel, () => new ChannelError('uncertain', 'given up')),
  },
  {
    case: 'shows a long answer whole, in order, in parts that the platform takes',
    how: 'cuts what is too long',
    change: (channel) => ({ render: (markdown) => channel.render(markdown).slice(0, 1) }),
  },
  {
    case: 'shows a long answer whole, in order, in parts that the platform takes',
    how: 'leaves the plain text whole',
    change: (channel) => ({
      render: (markdown) => channel.render(markdown).map(({ text }) => ({ text, plain: markdown })),
    }),
  },
  {
    case: 'shows a long answer whole, in order, in parts that the platform takes',
    how: 'cuts emojis in two',
    change: (channel) => eachPart(channel, ({ text }) => ({ text: text.replace(/.$/, '') })),
  },
  {
    case: 'shows the same answer the same way, whatever it is, and never as nothing',
    how: 'shows nothing for nothing',
    change: (channel) => ({ render: (markdown) => (markdown.trim() ? channel.render(markdown) : []) }),
  },
  {
    case: 'shows the same answer the same way, whatever it is, and never as nothing',
    how: 'numbers its answers',
    change: (channel) => eachPart(channel, ({ text }) => ({ text: `${text}${(count += 1)}` })),
  },
  {
    case: 'says whether all is well when the platform answers',
    how: 'asks nobody',
    change: () => ({ probe: async () => ({ ok: true, warnings: [] }) }),
  },
  {
    case: 'says whether all is well when the platform answers',
    how: 'is never well',
    change: () => ({ probe: async () => ({ ok: false, warnings: ['no'] }) }),
  },
  {
    case: 'says what is wrong when the platform does not answer, and never throws',
    how: 'throws',
    change: () => ({ probe: () => Promise.reject(new Error('down')) }),
  },
  {
    case: 'says what is wrong when the platform does not answer, and never throws',
    how: 'says nothing',
    change: () => ({ probe: async () => ({ ok: false, warnings: [] }) }),
  },
  {
    case: 'says what is wrong when the platform does not answer, and never throws',
    how: 'shows the token',
    change: () => ({
      probe: async () => ({ ok: false, warnings: [`bad token ${channelSecrets.telegram}`] }),
    }),
  },
  {
    case: 'registers a webhook with the platform, where it can, but none without https',
    how: 'tells the platform nothing',
    change: () => ({ setWebhook: async () => {} }),
  },
  {
    case: 'registers a webhook with the platform, where it can, but none without https',
    how: 'takes any address',
    change: (channel) => ({
      setWebhook: async (url, signal) => channel.setWebhook?.(url.replace('http:', 'https:'), signal),
    }),
  },
  {
    case: 'stops asking for messages when its caller gives up',
    how: 'rejects',
    change: (channel) => ({
      poll: async (options) => channel.poll?.(options).then(() => options.signal.throwIfAborted()),
    }),
  },
]

async function outcomeOf(name: string, harness: ChannelHarness): Promise<unknown> {
  const found = channelConformance.find((entry) => entry.name === name)
  if (!found) return expect.unreachable(`there is no case "${name}"`)
  return found.run(harness).then(
    () => 'kept',
    (error: unknown) => error,
  )
}

describe('a channel that breaks a promise', () => {
  for (const { case: name, how, change } of broken) {
    it(`${name}: found when it ${how}`, async () => {
      const create = (fetch: typeof globalThis.fetch) => {
        const channel = sound.create(fetch)
        return { ...channel, ...change(channel, fetch) }
      }
      expect(await outcomeOf(name, sound)).toBe('kept')
      expect(await outcomeOf(name, { ...sound, create })).toBeInstanceOf(Error)
    })
  }

  it('is there for every case of the kit', () => {
    const tried = new Set(broken.map((entry) => entry.case))
    expect(channelConformance.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([])
  })
})
