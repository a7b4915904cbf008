import { expect, it } from 'vitest'
import { type AskingEra, startAskingServer } from '../tools/mcp/testing/asking-server.ts'
import { startPlatform, type TestPlatform } from './testing/start-platform.ts'

const eras: readonly AskingEra[] = ['legacy', 'modern']

async function start(url: string): Promise<TestPlatform> {
  const platform = await startPlatform('in process')
  await platform.send('PUT', '/api/mcp/servers/shop', { body: { url } })
  await platform.send('POST', '/api/agents', {
    body: { id: 'a', model: 'test/tools', mcp_servers: ['shop'] },
  })
  return platform
}

const run = async ({ send }: TestPlatform, task: string) =>
  (await send('POST', '/api/agents/run', { body: { agent_id: 'a', task } })).body
const answer = (
  { send }: TestPlatform,
  { run_id: id, waits }: { run_id: string; waits: { id: string }[] },
  body: object,
) => send('POST', `/api/runs/${id}/waits/${waits[0]?.id}`, { body })
const whenEnded = async ({ runtime }: TestPlatform, id: string) =>
  await (
    await runtime.runs.attach(id)
  ).result

it.each(eras)(
  'asks a person what a server of the %s protocol asks, and makes the call with the answer',
  async (era) => {
    await using shop = await startAskingServer(era)
    await using platform = await start(shop.url)
    const waiting = await run(platform, '{"tool": "shop_pay", "args": {}}')
    expect(waiting).toMatchObject({
      success: true,
      stop_reason: 'waiting',
      waits: [{ kind: 'question', message: 'How much?', tool: 'shop.pay', schema: { required: ['amount'] } }],
    })
    expect((await answer(platform, waiting, { data: { amount: 0 } })).status).toBe(400)
    expect((await answer(platform, waiting, { data: { amount: 30 } })).status).toBe(200)
    const { output } = await whenEnded(platform, waiting.run_id)
    // what the person left out is what the form suggests
    expect(output).toContain('"amount":30')
    expect(shop.done).toEqual(['paid {"amount":30,"currency":"EUR"}'])
  },
)

it.each(eras)('says in the words of the %s protocol that a person declined', async (era) => {
  await using shop = await startAskingServer(era)
  await using platform = await start(shop.url)
  const waiting = await run(platform, '{"tool": "shop_pay", "args": {}}')
  await answer(platform, waiting, { decline: true, reason: 'too much' })
  const { output } = await whenEnded(platform, waiting.run_id)
  expect([output, shop.done, shop.answers]).toEqual([
    expect.stringContaining('not paid: decline'),
    [],
    ['decline null'],
  ])
})

it.each(eras)(
  'never gives the answer to a question of the %s protocol to a question that has changed',
  async (era) => {
    await using shop = await startAskingServer(era)
    await using platform = await start(shop.url)
    const first = await run(platform, '{"tool": "shop_pay", "args": {}}')
    shop.ask('How much more?')
    await answer(platform, first, { data: { amount: 30 } })
    const second = await whenEnded(platform, first.run_id)
    expect(second.waits).toMatchObject([{ kind: 'question', message: 'How much more?' }])
    expect(shop.done).toEqual([])
  },
)

it.each(eras)('sends a person to the address that a server of the %s protocol names', async (era) => {
  await using shop = await startAskingServer(era)
  await using platform = await start(shop.url)
  const waiting = await run(platform, '{"tool": "shop_connect", "args": {}}')
  expect(waiting.waits).toMatchObject([
    { kind: 'login', message: 'Connect your calendar.', url: 'https://calendar.example/connect?id=1' },
  ])
  await answer(platform, waiting, { data: {} })
  expect((await whenEnded(platform, waiting.run_id)).output).toContain('connected')
  expect(shop.done).toEqual(['connected'])
})

it('continues when the server says that a person has done it', async () => {
  await using shop = await startAskingServer('legacy')
  await using platform = await start(shop.url)
  const waiting = await run(platform, '{"tool": "shop_connect", "args": {}}')
  const ended = whenEnded(platform, waiting.run_id)
  await shop.complete()
  await expect.poll(async () => (await platform.send('GET', '/api/waits')).body.waits).toEqual([])
  await ended
  expect((await whenEnded(platform, waiting.run_id)).output).toContain('connected')
})

it.each(eras)('shows the progress that a server of the %s protocol reports', async (era) => {
  await using shop = await startAskingServer(era)
  await using platform = await start(shop.url)
  const { run_id: id } = await run(platform, '{"tool": "shop_report", "args": {}}')
  const events = await platform.send('GET', `/api/runs/${id}/events`)
  expect(events.text).toContain('event: tool_progress')
  expect(events.text).toContain('half of it')
})

it.each(eras)('reads resources and prompts of a server of the %s protocol with tools', async (era) => {
  await using shop = await startAskingServer(era)
  await using platform = await start(shop.url)
  const { body } = await platform.send('POST', '/api/mcp/servers/shop/test')
  expect(body.tools.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['pay', 'read_resource', 'get_prompt']),
  )
  const described = JSON.stringify(body.tools)
  expect(described).toContain('- file:///manual.txt: manual. How to pay.')
  expect(described).toContain('- greet(city): Greets.')
  expect(
    (await run(platform, '{"tool": "shop_read_resource", "args": {"uri": "file:///manual.txt"}}')).output,
  ).toContain('Pay in advance.')
  const prompt = '{"tool": "shop_get_prompt", "args": {"name": "greet", "arguments": {"city": "Paris"}}}'
  expect((await run(platform, prompt)).output).toContain('user: Hello Paris')
})
