import { linesOf } from '../recorder.ts'
import type { PlatformRecorder } from './agents-and-runs.ts'

/** Records what operators do: models, prices, tokens, webhooks, settings, and looking at what happened. */
export async function recordOperator(recorder: PlatformRecorder, hook: string): Promise<void> {
  const { record, replace } = recorder
  const provider = { params: { name: 'ollama' } }
  await record('saveModelProvider', {
    ...provider,
    body: { api: 'openai-chat', base_url: 'http://127.0.0.1:11434/v1', models: ['qwen3'] },
  })
  await record('listModelProviders')
  await record('listModels')
  await record('deleteModelProvider', provider)

  const price = { params: { model: 'ollama/llama3.3' } }
  await record('savePrice', { ...price, body: { inputPerMillion: 0, outputPerMillion: 0 } })
  await record('listPrices', {
    show: ({ catalog, prices }) => ({ catalog: { ...catalog, prices: catalog.prices.slice(0, 2) }, prices }),
  })
  await record('deletePrice', price)
  await record('getUsage', { query: { interval: 'day', agent_id: 'office' } })

  const { token, secret } = await record('createToken', {
    body: { name: 'app of Ann', scopes: ['read', 'run'], agents: ['office'], user_id: 'ann' },
  })
  replace(secret, `${secret.split('_')[0]}_${'example0'.repeat(6).slice(0, 43)}`)
  await record('listTokens')
  await record('deleteToken', { params: { id: token.id } })
  await record('listAudit', { query: { limit: '3' }, show: showEntries })
  await recordWebhooks(recorder, hook)
  await recordTriggers(recorder)

  await record('updateSettings', { body: { openai_api: 'responses', webhook_hosts: 'hooks.example.com' } })
  await record('getSettings')
  await record('readMetrics', { show: (text) => linesOf(text, /homeward_(?:runs|tokens)/) })
  await record('getHealth')
}

async function recordWebhooks({ record, send, replace }: PlatformRecorder, hook: string): Promise<void> {
  await send('updateSettings', { body: { webhook_hosts: '127.0.0.1' } })
  const { webhook, secret } = await record('createWebhook', {
    body: { url: hook, events: ['run.failed', 'approval.requested'] },
  })
  replace(secret, `whsec_${Buffer.from('an example of a webhook secret..').toString('base64')}`)
  const params = { id: webhook.id }
  await record('listWebhooks')
  await record('getWebhook', { params })
  await record('updateWebhook', { params, body: { events: ['run.failed'] } })
  await record('testWebhook', { params })
  await record('listWebhookDeliveries', { params })
  await record('deleteWebhook', { params })
}

async function recordTriggers({ record }: PlatformRecorder): Promise<void> {
  const { trigger, secret } = await record('createTrigger', {
    body: {
      name: 'Door bell',
      agent_id: 'office',
      verify: 'token',
      secret: 'a-secret-that-both-programs-know',
      input: 'Somebody rings at the door: {{body.place}}',
    },
  })
  await record('sendSignal', {
    body: { event: 'paid', data: { order: 7 }, id: 'payment-7', keep_seconds: 3600 },
  })
  const params = { id: trigger.id }
  await record('listTriggers')
  await record('getTrigger', { params })
  await record('updateTrigger', { params, body: { per_minute: 10 } })
  await record('callTrigger', {
    params,
    body: { place: 'front' },
    headers: { Authorization: `Bearer ${secret}`, 'Idempotency-Key': 'ring-1' },
  })
  await record('listTriggerDeliveries', { params })
  await record('deleteTrigger', { params })
}

/** The audit has the machine's clock. */
function showEntries({ entries }: { entries: object[] }): object {
  return { entries: entries.map((entry) => ({ ...entry, at: '2026-11-02T08:32:00.000Z' })) }
}
