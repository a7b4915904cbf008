import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import type { ChannelContext, ChannelRequest } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'

/** Bytes of a fixture as text: with the numbers of 64 bits as they are. */
export function fixtureText(file: string): string {
  return readFileSync(new URL(`./fixtures/${file}`, import.meta.url), 'utf8')
}

/** Content of a fixture. */
export function fixture(file: string): Record<string, unknown> {
  return JSON.parse(fixtureText(file)) as Record<string, unknown> // fixtures are objects
}

/** A proof of origin that works, or one that does not. */
export interface SignatureVector {
  readonly id: string
  readonly platform: string
  readonly secret: string
  readonly bot_token?: string
  /** Discord's. */
  readonly public_key?: string
  /** Seconds since the epoch. */
  readonly now?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly valid: boolean
}

/** The vectors of one platform. */
export function vectorsOf(platform: string): SignatureVector[] {
  const { vectors } = fixture('vectors.json') as unknown as { vectors: readonly SignatureVector[] } // its documented shape
  return vectors.filter((vector) => vector.platform === platform)
}

/** A webhook request with these bytes. */
export function webhookRequest(
  body: string | object,
  headers: Readonly<Record<string, string | undefined>> = {},
): ChannelRequest {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    method: 'POST',
    search: '',
    header: (name) => byName.get(name),
    body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    isLocal: false,
  }
}

/** A context whose `fetch` is the global one, which MSW sees. */
export function channelContext(changes: Partial<ChannelContext> = {}): ChannelContext {
  const fetchNow: typeof fetch = (input, init) => fetch(input, init)
  return { apiBase: undefined, verify: 'on', fetch: fetchNow, now: () => 1_767_225_600_000, ...changes }
}

/** The address of what `fetch` is given. */
export function addressOf(input: Parameters<typeof fetch>[0]): string {
  if (typeof input === 'string') return input
  return input instanceof URL ? input.href : input.url
}

/** The failure of a call, which holds none of the secrets wherever one looks. */
export async function failureOf(
  call: Promise<unknown>,
  secrets: readonly string[],
): Promise<Pick<ChannelError, 'code' | 'message' | 'retryAfterMs'>> {
  const error = await call.then(
    (value) => expect.unreachable(`it has not failed: ${inspect(value)}`),
    (failure: unknown) => failure,
  )
  expect(error).toBeInstanceOf(ChannelError)
  expectNoSecret(error, secrets)
  const { code, message, retryAfterMs } = error as ChannelError // asserted above
  return { code, message, retryAfterMs }
}

/** That a value shows none of the secrets, nor a part of one that would do. */
export function expectNoSecret(value: unknown, secrets: readonly string[]): void {
  const shown = inspect(value, { depth: Infinity, showHidden: true }) + JSON.stringify({ value })
  for (const secret of secrets) {
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain(encodeURIComponent(secret))
    expect(shown).not.toContain(secret.slice(-16))
  }
}
