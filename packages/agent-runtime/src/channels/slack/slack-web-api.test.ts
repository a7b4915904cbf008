import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { WebClient } from '@slack/web-api'
import { afterAll, expect, it } from 'vitest'
import { channelContext } from '../testing/platform-kit.ts'
import { createSlackChannel } from './create-slack-channel.ts'

const token = 'test-slack-token-0123456789-abcdefgh'

interface Call {
  readonly method: string
  readonly verb: string
  readonly authorization: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

let calls: Call[] = []

/** Slack takes JSON and forms: what they say is what counts. */
function readParameters(text: string, contentType: string): Record<string, string> {
  const entries = contentType.startsWith('application/json')
    ? Object.entries(JSON.parse(text || '{}') as object)
    : [...new URLSearchParams(text).entries()]
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

const server = createServer((request, response) => {
  void readText(request).then((text) => {
    calls.push({
      method: request.url ?? '',
      verb: request.method ?? '',
      authorization: request.headers.authorization,
      parameters: readParameters(text, request.headers['content-type'] ?? ''),
    })
    const identity = { team: 'Team', user: 'bot', team_id: 'T1', user_id: 'U1', bot_id: 'B1' }
    const answer = { ok: true, ts: '1767225601.000400', channel: 'C0CHAN0001', ...identity }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
})
await once(server.listen(0, '127.0.0.1'), 'listening')
afterAll(() => server.close())
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api` // a server on a port has one

async function asked(client: () => Promise<unknown>): Promise<Call[]> {
  calls = []
  await client()
  return calls
}

// Slack's own client: what it sends for the same wish is a well-formed request.
const slack = new WebClient(token, { slackApiUrl: `${base}/` })
const channel = createSlackChannel(
  { channel_b_bot_token: token, channel_b_signing_secret: 's' },
  channelContext({ apiBase: base }),
)
const signal = new AbortController().signal

it("posts a message as Slack's own client does", async () => {
  const thread = { channel: 'C0CHAN0001', thread_ts: '1767225600.000100' }
  const text = 'Here is *the* status, 100 %\n<https://a.example|a & b>'
  const theirs = await asked(() =>
    slack.apiCall('chat.postMessage', { ...thread, text, unfurl_links: false, unfurl_media: false }),
  )
  expect(theirs).toHaveLength(1)
  const part = { text, plain: text }
  expect(
    await asked(() => channel.send({ data: thread }, part, { signal, index: 0, idempotencyKey: 'k' })),
  ).toEqual(theirs)
})

it("shows that it is thinking as Slack's own client does", async () => {
  const wish = { channel_id: 'C0CHAN0001', thread_ts: '1767225600.000100', status: 'is thinking…' }
  const theirs = await asked(() => slack.assistant.threads.setStatus(wish))
  expect(theirs).toHaveLength(1)
  const target = { data: { channel: wish.channel_id, thread_ts: wish.thread_ts } }
  expect(await asked(async () => channel.typing?.(target, signal))).toEqual(theirs)
})

it("asks who it is as Slack's own client does", async () => {
  const [theirs] = await asked(() => slack.auth.test())
  const ours = await asked(async () => channel.probe?.(signal))
  expect(ours.find(({ method }) => method === '/api/auth.test')).toEqual(theirs)
})
