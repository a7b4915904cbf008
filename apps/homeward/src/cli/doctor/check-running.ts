import { channelPlatforms } from '@homeward/contract/agent-platform'
import { connectAgents, connectDevices, type ServerAddress } from '../server-options.ts'
import { error, warning, wordsOf, type Checked, type Finding } from './finding.ts'

/** What only the running server knows: whether channels and webhooks work. */
export async function checkRunning(agents: ServerAddress, devices: ServerAddress): Promise<Checked[]> {
  const about = 'asked the running server'
  return [
    { name: 'Channels, live', about, findings: await tell('channels', () => checkChannels(agents)) },
    {
      name: 'Webhooks',
      about,
      findings: [
        ...(await tell('webhooks', () =>
          checkWebhooks('agents', () => connectAgents(agents).listWebhooks()),
        )),
        ...(await tell('webhooks', () =>
          checkWebhooks('devices', () => connectDevices(devices).listWebhooks()),
        )),
      ],
    },
  ]
}

async function tell(what: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (cause) {
    const fix = 'Pass an access token with the scope "admin": --token, or API_TOKEN.'
    return [warning(`The running server did not show its ${what}: ${wordsOf(cause)}`, fix)]
  }
}

async function checkChannels(address: ServerAddress): Promise<Finding[]> {
  const client = connectAgents(address)
  const statuses = await Promise.all(
    Object.keys(channelPlatforms).map((channel) =>
      client.getChannelStatus({ params: { channel }, query: { probe: 'true' } }),
    ),
  )
  return statuses
    .filter(({ configured }) => configured)
    .flatMap(({ platform, ok, warnings }) => {
      return warnings.map((text) =>
        (ok ? warning : error)(`Channel ${platform}: ${text}`, 'Do what the message says.'),
      )
    })
}

interface ListedWebhook {
  readonly id: string
  readonly disabled_reason?: string | undefined
  readonly failing_since?: string | undefined
}

async function checkWebhooks(
  of: string,
  list: () => Promise<{ readonly webhooks: readonly ListedWebhook[] }>,
): Promise<Finding[]> {
  return (await list()).webhooks.flatMap(({ id, disabled_reason: reason, failing_since: since }) => {
    const fix = 'Look at its deliveries, correct the receiver, then enable the webhook again.'
    if (reason !== undefined) return [error(`The webhook ${id} of the ${of} is disabled: ${reason}`, fix)]
    if (since !== undefined)
      return [warning(`The webhook ${id} of the ${of} has failed since ${since}.`, fix)]
    return []
  })
}
