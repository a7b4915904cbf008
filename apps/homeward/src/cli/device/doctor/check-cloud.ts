import type { Secret } from '@homeward/device-sdk'
import { failure, type Finding, ok, warning } from './finding.ts'

/** What the checks of a cloud need. */
interface CloudCheck {
  readonly cloudUrl: string
  /** Undefined if the device has none. */
  readonly apiKey: Secret | undefined
  readonly fetch: typeof fetch
  /** Milliseconds. */
  readonly now: () => number
}

const timeoutMs = 10_000
const maxSkewMs = 5 * 60_000
/** Reading it changes nothing, and takes a key of a device. */
const path = '/api/devices/search/pending'

/** Checks whether the cloud responds, its certificate, the clocks, and the key. Sends no heartbeat. */
export async function checkCloud({ cloudUrl, apiKey, fetch, now }: CloudCheck): Promise<readonly Finding[]> {
  let response: Response
  try {
    // The key is sent only after something that responds as a cloud does.
    response = await fetch(cloudUrl + path, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
  } catch (error) {
    return [explainFailure(cloudUrl, error)]
  }
  const clock = checkClock(response, now())
  const stranger = await checkReply(cloudUrl, response)
  if (stranger !== undefined) return [stranger, ...clock]
  const reachable = ok(`The cloud at ${cloudUrl} responds.`)
  const insecure = checkScheme(cloudUrl)
  if (apiKey === undefined) return [reachable, ...insecure, ...clock]
  return [reachable, ...insecure, ...clock, await checkKey(cloudUrl, apiKey, fetch)]
}

/** A cloud rejects the request without a key with JSON. Anything else is something on the way. */
async function checkReply(cloudUrl: string, response: Response): Promise<Finding | undefined> {
  const { status } = response
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    const fix =
      'Pair with the address that the cloud itself has. In a public network, sign in with a browser first.'
    return failure(`${cloudUrl} redirects to another address, which the agent does not follow.`, fix)
  }
  const body: unknown = await response.json().catch(() => undefined)
  if (status >= 500) {
    return failure(`The cloud at ${cloudUrl} responds with ${status}.`, 'Look at the log of the server.')
  }
  const isCloud = status === 401 && typeof body === 'object' && body !== null && 'error' in body
  if (isCloud) return undefined
  return failure(
    `Something else than a cloud responds at ${cloudUrl}, with status ${status}.`,
    'Check the address and its port. A sign-in page of the network, or a proxy, may respond in its place.',
  )
}

function checkScheme(cloudUrl: string): readonly Finding[] {
  const { protocol, hostname } = new URL(cloudUrl)
  const isNear = /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[)/.test(
    hostname,
  )
  if (protocol === 'https:' || isNear || !hostname.includes('.') || hostname.endsWith('.local')) return []
  return [
    warning(
      `${cloudUrl} is not encrypted: others on the way can read the key.`,
      'Give the cloud a certificate, and pair again with its https address.',
    ),
  ]
}

function checkClock(response: Response, nowMs: number): readonly Finding[] {
  const thereMs = Date.parse(response.headers.get('date') ?? '')
  const skewMs = nowMs - thereMs
  if (Number.isNaN(skewMs)) return []
  if (Math.abs(skewMs) <= maxSkewMs) return [ok('The clock agrees with the clock of the cloud.')]
  const minutes = Math.round(Math.abs(skewMs) / 60_000)
  return [
    failure(
      `The clock of this device is ${minutes} minutes ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of the cloud.`,
      'Turn on time synchronization, such as "timedatectl set-ntp true".',
    ),
  ]
}

async function checkKey(cloudUrl: string, apiKey: Secret, fetch: CloudCheck['fetch']): Promise<Finding> {
  try {
    const response = await fetch(cloudUrl + path, {
      headers: { authorization: `Bearer ${apiKey.reveal()}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (response.ok) return ok('The cloud accepts the key of this device.')
    if (response.status === 401) {
      return failure(
        'The cloud rejects the key of this device: the device was deleted, or never let in.',
        'Run "homeward device pair" again.',
      )
    }
    return warning(`The cloud responds to the key with status ${response.status}.`, 'Try again in a minute.')
  } catch {
    return warning('The cloud stopped responding while the key was checked.', 'Try again in a minute.')
  }
}

const networkFixes: Readonly<Record<string, readonly [string, string]>> = {
  ENOTFOUND: [
    'has a host name that nothing resolves',
    'Check the address, and the name servers of this device.',
  ],
  EAI_AGAIN: ['has a host name that cannot be resolved now', 'Check the network of this device.'],
  ECONNREFUSED: [
    'refuses connections',
    'Check the port, and start the server. On another machine, it has to be started with CLOUD_HOST=0.0.0.0.',
  ],
  EHOSTUNREACH: ['cannot be reached', 'Check the network, and that both are in the same one.'],
  ENETUNREACH: ['cannot be reached', 'Check the network of this device.'],
  ECONNRESET: ['breaks the connection off', 'Check for a firewall or a proxy on the way.'],
  CERT_HAS_EXPIRED: [
    'has a certificate that has expired',
    'Renew it. If it has not expired, set the clock of this device.',
  ],
  CERT_NOT_YET_VALID: ['has a certificate that is not valid yet', 'Set the clock of this device.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['has a certificate of another name', 'Use the name in the certificate.'],
}
const untrusted = [
  'has a certificate that this device does not trust',
  'Use a certificate of a known authority, or name yours in NODE_EXTRA_CA_CERTS.',
] as const

function explainFailure(cloudUrl: string, error: unknown): Finding {
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } }
  if (name === 'TimeoutError') {
    return failure(
      `The cloud at ${cloudUrl} does not respond within 10 seconds.`,
      'Check the address, and for a firewall on the way.',
    )
  }
  const code = cause?.code ?? ''
  const isCertificate = /CERT|SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY/.test(code)
  const [fact, fix] = networkFixes[code] ??
    (isCertificate ? untrusted : undefined) ?? [
      `cannot be reached${code === '' ? '' : ` (${code})`}`,
      'Check the address and the network.',
    ]
  return failure(`The cloud at ${cloudUrl} ${fact}.`, fix)
}
