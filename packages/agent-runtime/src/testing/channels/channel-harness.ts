import type { Channel, ChannelErrorCode, ChannelRequest, InboundMessage } from '../../ports/channel.ts'
import { type ConformanceCase, ConformanceError, expectTrue } from '@homeward/kit/testing'

/** Creates channels for the conformance kit, and simulates their platform. */
export interface ChannelHarness {
  /** Creates a new, configured channel that calls its platform only with this `fetch`. */
  create(fetch: typeof globalThis.fetch): Channel
  /** Returns the body of a private message of one person to the agent. Another `id` is another message. */
  messageBody(message: { readonly id: number; readonly text: string }): string
  /** Returns a request with this body, as the platform sends it. */
  prove(body: Uint8Array): ChannelRequest | Promise<ChannelRequest>
  /**
   * Returns requests with this body that others could send: unsigned, with an invalid signature, or with the
   * signature of another body.
   */
  forge(body: Uint8Array): readonly ChannelRequest[]
  /** Returns the platform's response to an accepted call, or to a send with this id, if the platform returns ids. */
  accept(request: Request, id: string): Response | Promise<Response>
  /** Responses of the platform that reject a send, by the error that the channel must report. */
  readonly refusals?: Partial<Record<ChannelErrorCode, () => Response>>
  /** Secrets that must not appear anywhere, such as tokens. */
  readonly secrets: readonly string[]
}

/** A case over one harness. */
export function channelCase(
  name: string,
  run: (harness: ChannelHarness) => Promise<void>,
): ConformanceCase<ChannelHarness> {
  return { name, run }
}

/** A platform that was called so often, and answers alike. */
interface FakePlatform {
  readonly fetch: typeof fetch
  /** Calls so far; bodies as text. */
  readonly calls: readonly { readonly request: Request; readonly body: string }[]
}

/** A platform that answers by a function. */
export function fakePlatform(answer: (request: Request) => Response | Promise<Response>): FakePlatform {
  const calls: { request: Request; body: string }[] = []
  return {
    calls,
    async fetch(input, init) {
      const request = new Request(input, init)
      init?.signal?.throwIfAborted()
      calls.push({ request, body: await request.clone().text() })
      return answer(request)
    },
  }
}

/** A platform that nobody should call. */
export function silentPlatform(): FakePlatform {
  return fakePlatform(() => {
    throw new TypeError('fetch failed')
  })
}

/** A platform that never answers, until the caller gives up. */
export const hangingFetch: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    const signal = init?.signal
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** Fails as Node does: the reason is in `cause`. The address, which may hold a token, is in the message. */
export function failingFetch(code: string, syscall: string): typeof fetch {
  return (input) => {
    const address = input instanceof Request ? input.url : String(input)
    const cause = Object.assign(new Error(`${syscall} ${code} ${address}`), { code, syscall })
    return Promise.reject(new TypeError(`fetch failed: ${address}`, { cause }))
  }
}

/** The bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** The message that a channel takes a body for. */
export async function takenMessage(
  harness: ChannelHarness,
  channel: Channel,
  body: string,
): Promise<InboundMessage> {
  const received = await channel.receive(await harness.prove(bytesOf(body)))
  if (received.kind === 'message') return received.message
  throw new ConformanceError(`Taking a message failed: it was answered with "${received.why}".`)
}

/** Fails when a value, or what it was caused by, shows a secret of the harness. */
export function expectNoSecrets(harness: ChannelHarness, value: unknown, what: string): void {
  const shown = showAll(value)
  for (const secret of harness.secrets) {
    const isHidden = !shown.includes(secret) && !shown.includes(encodeURIComponent(secret))
    expectTrue(isHidden, `that ${what} shows no secret`)
  }
}

function showAll(value: unknown): string {
  if (!(value instanceof Error)) return JSON.stringify(value) ?? ''
  const own = JSON.stringify(Object.entries(value))
  return [String(value), value.stack, own, value.cause === undefined ? '' : showAll(value.cause)].join('\n')
}
