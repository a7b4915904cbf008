import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Hosts with private addresses that webhooks may be sent to: `WEBHOOK_HOSTS`, else the setting `webhook_hosts` of the data
 * home, as it is at this moment.
 */
export function readWebhookHosts(home: string, environment: NodeJS.ProcessEnv): string | undefined {
  if (environment['WEBHOOK_HOSTS']) return environment['WEBHOOK_HOSTS']
  try {
    const { webhook_hosts: hosts } = JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as {
      readonly webhook_hosts?: unknown
    }
    return typeof hosts === 'string' ? hosts : undefined
  } catch {
    return undefined // no file, or one that the agent platform complains about
  }
}
