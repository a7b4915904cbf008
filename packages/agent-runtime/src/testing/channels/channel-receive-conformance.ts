import type { Channel, InboundMessage, ReceivedRequest } from '../../ports/channel.ts'
import { bytesOf, channelCase, expectNoSecrets, silentPlatform, takenMessage } from './channel-harness.ts'
import type { ChannelHarness } from './channel-harness.ts'
import { ConformanceError, expectSame, expectTrue } from '@homeward/kit/testing'

/** Bodies that no platform sends. */
const hostileBodies: readonly string[] = [
  '',
  ' ',
  '{',
  'null',
  '[]',
  '7',
  '"text"',
  '{}',
  '<html></html>',
  '{"__proto__":{"text":"x"},"constructor":null}',
  '['.repeat(50_000),
  `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
]

/** Whom a channel believes, and what it takes for a message. */
export const channelReceiveCases = [
  channelCase('takes a message of a person, asks nobody about it, and acknowledges it', async (harness) => {
    const platform = silentPlatform()
    const channel = harness.create(platform.fetch)
    const body = harness.messageBody({ id: 1, text: 'hello agent' })
    const received = await channel.receive(await harness.prove(bytesOf(body)))
    expectTrue(received.reply.status >= 200 && received.reply.status < 300, 'that it is acknowledged')
    const message = await takenMessage(harness, channel, body)
    expectSame(message.text, 'hello agent', 'the text')
    expectTrue(message.isAddressed, 'that the agent is addressed')
    expectWellFormed(message, channel.id)
    expectTrue(message.conversationId.length <= 200, 'that the conversation has at most 200 characters')
    expectSame(platform.calls.length, 0, 'how often the platform was called')
  }),
  channelCase('knows a message that comes twice, and tells two messages apart', async (harness) => {
    const first = harness.create(silentPlatform().fetch)
    const again = harness.create(silentPlatform().fetch)
    const take = (id: number, channel = first) =>
      takenMessage(harness, channel, harness.messageBody({ id, text: 'hello agent' }))
    const [one, same, other] = [await take(1), await take(1, again), await take(2)]
    expectSame(same.dedupeKeys, one.dedupeKeys, 'the keys of the same message')
    expectTrue(
      !other.dedupeKeys.some((key) => one.dedupeKeys.includes(key)),
      'that another one has other keys',
    )
    expectSame(other.conversationId, one.conversationId, 'the conversation of the same person')
  }),
  channelCase('gives a target that survives being kept as JSON', async (harness) => {
    const channel = harness.create(silentPlatform().fetch)
    const { target } = await takenMessage(harness, channel, harness.messageBody({ id: 1, text: 'hi' }))
    expectSame(JSON.parse(JSON.stringify(target)), target, 'the target that was kept')
    expectNoSecrets(harness, target, 'the target')
  }),
  channelCase('refuses what is not proven, without a word and without asking anyone', async (harness) => {
    const platform = silentPlatform()
    const channel = harness.create(platform.fetch)
    const bodies = [harness.messageBody({ id: 1, text: 'hello agent' }), ...hostileBodies]
    for (const request of bodies.flatMap((body) => harness.forge(bytesOf(body)))) {
      const received = await channel.receive(request)
      expectSame([received.kind, received.reply.status], ['reply', 401], 'what a forged request gets')
      expectTrue(!received.reply.body, 'that a forged request is told nothing')
      expectNoSecrets(harness, received, 'what is said of a forged request')
    }
    expectSame(platform.calls.length, 0, 'how often the platform was called')
  }),
  channelCase('takes no body that is none for a message, and breaks at none', async (harness) => {
    const channel = harness.create(silentPlatform().fetch)
    const invalid = new Uint8Array([0x7b, 0xff, 0xfe, 0x00])
    for (const body of [...hostileBodies.map(bytesOf), invalid]) {
      const received = await receive(harness, channel, body)
      expectSame(received.kind, 'reply', `what becomes of ${shown(body)}`)
      expectTrue(received.reply.status < 500, `that the body ${shown(body)} is no failure of the server`)
    }
  }),
  channelCase('breaks at no field that is missing or of another kind', async (harness) => {
    const channel = harness.create(silentPlatform().fetch)
    const whole: unknown = JSON.parse(harness.messageBody({ id: 1, text: 'hello agent' }))
    for (const changed of variants(whole)) {
      const body = bytesOf(JSON.stringify(changed))
      const received = await receive(harness, channel, body)
      expectTrue(received.reply.status < 500, `that the body ${shown(body)} is no failure of the server`)
      if (received.kind === 'message') expectWellFormed(received.message, channel.id, ` in ${shown(body)}`)
    }
  }),
]

/** What a channel makes of a body that its platform has proven. */
async function receive(
  harness: ChannelHarness,
  channel: Channel,
  body: Uint8Array,
): Promise<ReceivedRequest> {
  const request = await harness.prove(body)
  return channel.receive(request).catch((error: unknown) => {
    throw new ConformanceError(`Receiving the body ${shown(body)} failed: ${String(error)}`)
  })
}

/** As much of a body as tells which it is. */
const shown = (body: Uint8Array) => {
  const text = new TextDecoder().decode(body)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text || '(empty)'
}

/** Fails unless the rest of the platform can work with a message. */
function expectWellFormed(message: InboundMessage, channelId: string, where = ''): void {
  const { conversationId, dedupeKeys, sender, text } = message
  expectTrue(conversationId.startsWith(`${channelId}:`), `that the conversation names its channel${where}`)
  expectTrue(typeof text === 'string' && text.trim() !== '', `that there is a text${where}`)
  expectTrue(typeof sender.id === 'string' && sender.id !== '', `that there is a sender${where}`)
  expectTrue(sender.name === undefined || typeof sender.name === 'string', `that the name is a text${where}`)
  const isNamed = dedupeKeys.length > 0 && dedupeKeys.every((key) => typeof key === 'string' && key !== '')
  expectTrue(isNamed, `that there are keys to know it again by${where}`)
}

/** The same value with each of its fields left out or replaced, one at a time. */
function* variants(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [key, field] of Object.entries(value)) {
    const set = (changed: unknown) =>
      isList ? Object.assign([...(value as unknown[])], { [key]: changed }) : { ...value, [key]: changed }
    for (const odd of [undefined, null, '', 0, -1, 1e21, true, [], {}, 'x'.repeat(5000), [[]], ['a', null]])
      yield set(odd)
    for (const inner of variants(field)) yield set(inner)
  }
}
