import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { toolOf } from '../../runs/testing/run-kit.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { startPlatform } from '../testing/start-platform.ts'

/** Stands in ids that callers for one user chose, as they are stored. */
const mark = '\u001f'

/** A receiver of webhooks. */
async function startReceiver() {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies }
}

it('A26: shows the id of a conversation as the user chose it, in tools, guards, webhooks, the journal and everywhere else', async () => {
  const receiver = await startReceiver()
  const seen: string[] = []
  const see = (place: string) => (run: { readonly conversationId: string }) =>
    void seen.push(`${place} ${run.conversationId}`)
  const [inTool, inSource, inContext, inGuard] = ['tool', 'source', 'context', 'guard'].map(see)
  const logged: unknown[] = []
  const log = (...given: unknown[]) => void logged.push(given)
  await using platform = await startPlatform('in process', {
    models: { mine: () => createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'done' }]) },
    tools: [toolOf('look', (_, context) => (inTool!(context), 'seen'))],
    toolsFor: (run) => (inSource!(run), []),
    contextFor: (run) => inContext!(run),
    guards: { output: (_, run) => (inGuard!(run), 'allow') },
    logger: { warn: log, error: log },
    auth: (request) =>
      request.header('x-user') === undefined ? true : { scopes: ['read', 'run'], userId: 'ann' },
  })
  const { send, runtime } = platform
  await runtime.start()
  await send('PUT', '/api/settings', { body: { webhook_hosts: '127.0.0.1' } })
  const events = ['run.completed', 'task.completed', 'wait.opened']
  const made = await send('POST', '/api/webhooks', { body: { url: receiver.url, events } })
  expect(made.status, made.text).toBe(201)
  await runtime.agents.create({ id: 'a', model: 'mine/x' })
  const headers = { 'x-user': 'ann' }
  const body = { agent_id: 'a', task: 'x', conversation_id: 'telegram:42', idempotency_key: 'k' }
  const { run_id } = (await send('POST', '/api/agents/run', { body, headers })).body
  await send('POST', '/api/tasks', { body, headers })
  await expect.poll(() => receiver.bodies.join('\n'), { timeout: 20_000 }).toContain('telegram:42')
  expect(new Set(seen)).toEqual(
    new Set(['tool', 'source', 'context', 'guard'].map((place) => `${place} telegram:42`)),
  )
  const paths = ['runs', `runs/${run_id}`, 'tasks', 'conversations', 'logs?limit=1000', 'audit', 'usage']
  const webhook = `webhooks/${made.body.webhook.id}/deliveries`
  const shown = await Promise.all(
    [...paths, webhook].map(async (path) => (await send('GET', `/api/${path}`)).text),
  )
  for (const each of [...shown, ...receiver.bodies, JSON.stringify(logged), seen.join()]) {
    expect(each).not.toContain(mark)
    expect(each).not.toContain(String.raw`\u001f`)
  }
})
