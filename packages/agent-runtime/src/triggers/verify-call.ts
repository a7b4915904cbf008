import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { TriggerVerification } from '@homeward/contract/agent-platform'
import type { StoredTrigger } from '../store/ports/trigger-store.ts'
import type { TriggerCall } from './triggers.ts'

type Header = TriggerCall['header']

/** How far the time of a signed call may be from now, in seconds. */
const toleranceSeconds = 300

/** A signature that a call has to have one of. */
type Signatures = (
  header: Header,
  body: Uint8Array,
  secret: string,
  nowMs: number,
) => {
  readonly given: readonly string[]
  readonly valid: readonly string[]
}

const none = { given: [], valid: [] } as const
const isRecent = (seconds: string, nowMs: number) =>
  /^\d{1,12}$/.test(seconds) && Math.abs(nowMs / 1000 - Number(seconds)) <= toleranceSeconds

const hmac = (key: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]) =>
  parts.reduce((sum, part) => sum.update(part), createHmac('sha256', key))

const signatures: Readonly<Record<TriggerVerification, Signatures>> = {
  standard(header, body, secret, nowMs) {
    const [id, time] = [header('webhook-id') ?? '', header('webhook-timestamp') ?? '']
    if (id === '' || !isRecent(time, nowMs)) return none
    const versions = (header('webhook-signature') ?? '').split(' ')
    return {
      given: versions.flatMap((text) => (text.startsWith('v1,') ? [text.slice(3)] : [])),
      valid: standardKeys(secret).map((key) => hmac(key, `${id}.${time}.`, body).digest('base64')),
    }
  },
  github: (header, body, secret) => ({
    given: [(header('x-hub-signature-256') ?? '').toLowerCase()],
    valid: [`sha256=${hmac(secret, body).digest('hex')}`],
  }),
  stripe(header, body, secret, nowMs) {
    const fields = (header('stripe-signature') ?? '').split(',').map((field) => field.trim().split('='))
    const of = (name: string) => fields.flatMap(([key, value = '']) => (key === name ? [value] : []))
    const [time = ''] = of('t')
    if (!isRecent(time, nowMs)) return none
    return { given: of('v1'), valid: [hmac(secret, `${time}.`, body).digest('hex')] }
  },
  token(header, _, secret) {
    const given = /^Bearer +(\S.*?) *$/i.exec(header('authorization') ?? '')?.[1]
    return { given: given === undefined ? [] : [hashOfToken(given)], valid: [secret] }
  },
}

/** Libraries for Standard Webhooks decode the secret from base64; some programs use it as it is. */
function standardKeys(secret: string): readonly (string | Uint8Array)[] {
  const decoded = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return secret.startsWith('whsec_') ? [decoded] : [decoded, secret]
}

/** A secret as it is stored: a token is only compared, so its hash is enough. */
export const toStoredSecret = (verify: TriggerVerification, secret: string) =>
  verify === 'token' ? hashOfToken(secret) : secret

const hashOfToken = (token: string) => createHash('sha256').update(token).digest('base64url')

/** Whether a call proves that it comes from a program that has a secret of the trigger. */
export function isValidCall(
  { verify, secrets }: Pick<StoredTrigger, 'verify' | 'secrets'>,
  header: Header,
  body: Uint8Array,
  nowMs: number,
): boolean {
  const now = new Date(nowMs).toISOString()
  return secrets.some(({ secret, until = now }) => {
    if (until < now) return false
    const { given, valid } = signatures[verify](header, body, secret, nowMs)
    return given.some((text) => valid.some((expected) => isSame(text, expected)))
  })
}

/** Takes the same time whatever differs: digests have one length. */
const isSame = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected))
const digest = (text: string) => createHash('sha256').update(text).digest()
