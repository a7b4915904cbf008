import { callPlatform } from '../call-platform.ts'
import { ChannelError } from '../channel-error.ts'
import type { ChannelProbe } from '../../ports/channel.ts'
import type { BridgeAddress } from './send-bridge.ts'

/** Asks the bridge whether it is there: `/health`, else `/about`; signal-cli-rest-api has only `/v1/health`. */
export async function probeBridge(bridge: BridgeAddress, signal: AbortSignal): Promise<ChannelProbe> {
  const warnings = warningsOf(bridge)
  let why = ''
  for (const url of healthAddresses(bridge.base)) {
    try {
      const status = await statusOf(bridge, url, signal)
      if (status >= 200 && status < 300) return { ok: true, warnings }
      why ||= `it replied with HTTP ${status}`
      if (status === 401 || status === 403) break
    } catch (error) {
      // what cannot be reached has no other page either
      why = ChannelError.is(error) ? error.message : 'the request was canceled'
      break
    }
  }
  const advice = 'Start the bridge, or check channel_d_bridge_url and channel_d_bridge_secret.'
  return {
    ok: false,
    warnings: [`Checking the bridge failed: ${why.replace(/\.$/, '')}. ${advice}`, ...warnings],
  }
}

async function statusOf(bridge: BridgeAddress, url: string, signal: AbortSignal): Promise<number> {
  const reply = await callPlatform({
    what: 'Bridge health',
    url,
    method: 'GET',
    headers: bridge.secret ? { authorization: `Bearer ${bridge.secret}` } : {},
    timeoutMs: 5000,
    signal,
    fetch: bridge.fetch,
    secrets: [bridge.secret],
  })
  return reply.status
}

function healthAddresses(base: string): readonly string[] {
  const version = /\/v[2-9]$/.exec(base)
  const own = [`${base}/health`, `${base}/about`]
  return version ? [`${base.slice(0, version.index)}/v1/health`, ...own] : own
}

function warningsOf(bridge: BridgeAddress): string[] {
  const warnings: string[] = []
  if (!bridge.secret) {
    warnings.push(
      'channel_d_bridge_secret is not set, so only a bridge on this machine without a proxy is accepted. Set it to use any other bridge.',
    )
  } else if (bridge.base.startsWith('http:') && !isNear(bridge.base)) {
    warnings.push(
      'channel_d_bridge_url uses http, so others on the network can read the secret and the messages. Use https.',
    )
  }
  return warnings
}

/** Whether an address is of this machine or its own network. */
function isNear(base: string): boolean {
  const host = URL.canParse(base) ? new URL(base).hostname : ''
  if (host === 'localhost' || host === '[::1]' || !host.includes('.')) return true
  return (
    /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(host) ||
    /\.(?:local|internal|lan)$/.test(host)
  )
}
