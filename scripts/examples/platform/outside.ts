import { createHash } from 'node:crypto'

/** The skill of the store that examples install. */
const skill = `---
name: haiku
description: Writes haiku with the right count of syllables.
version: 1.0.0
---

Count the syllables of each line before you answer.
`

const registry = {
  skills: [
    {
      slug: 'haiku',
      name: 'Haiku',
      description: 'Writes haiku with the right count of syllables.',
      version: '1.0.0',
      url: 'skills/haiku.md',
      sha256: createHash('sha256').update(skill).digest('hex'),
    },
  ],
}

/** Responses of Telegram's API by method. */
const telegram: Readonly<Record<string, unknown>> = {
  getMe: { id: 200_000_002, is_bot: true, first_name: 'Office', username: 'office_helper_bot' },
  getWebhookInfo: {
    url: 'https://home.example.com/api/channels/channel_a/webhook',
    has_custom_certificate: false,
    pending_update_count: 0,
  },
  setWebhook: true,
  setMyCommands: true,
  sendChatAction: true,
  sendMessage: { message_id: 7, date: 1_793_608_200, chat: { id: 100_000_001, type: 'private' } },
}

/** Stands in for what the platform calls: Telegram, a store of skills and a model provider. */
export const answerAsOutside: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  const { hostname, port, pathname } = new URL(request.url)
  if (hostname === 'api.telegram.org') return answerAsTelegram(pathname, await request.text())
  if (hostname === 'skills.example.com')
    return pathname === '/registry.json' ? Response.json(registry) : new Response(skill)
  if (port === '11434') return Response.json({ object: 'list', data: [{ id: 'llama3.3', object: 'model' }] })
  return fetch(request)
}

function answerAsTelegram(path: string, body: string): Response {
  const method = path.split('/').at(-1) ?? ''
  if (/undeliverable/.test(body)) {
    const description = 'Forbidden: bot was blocked by the user'
    return Response.json({ ok: false, error_code: 403, description }, { status: 403 })
  }
  return Response.json({ ok: true, result: telegram[method] ?? true })
}
