import { describe, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type Way } from './testing/start-platform.ts'

const clientTools = [
  { name: 'pick_file', description: 'Picks a file.', parameters: { type: 'object', required: ['kind'] } },
  { name: 'here' },
]
const picks = { toolCalls: [{ id: 'k1', name: 'pick_file', args: { kind: 'pdf' } }] }
const done = { text: 'Done.' }

async function start(way: Way, steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform(way, { models: { mine: () => model } })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  const post = (path: string, body: object) => platform.send('POST', path, { body })
  return {
    model,
    post,
    run: (body: object = {}) =>
      post('/api/agents/run', { agent_id: 'a', task: 'x', client_tools: clientTools, ...body }),
    ended: async (id: string) => {
      await platform.send('GET', `/api/runs/${id}/events`)
      return (await platform.send('GET', `/api/runs/${id}`)).body.run
    },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  }
}

describe.each(ways)('tools of the caller %s', (way) => {
  it('the run waits for the result, which the model reads', async () => {
    await using here = await start(way, [picks, done])
    const { status, body } = await here.run()
    expect([status, body.success, body.stop_reason]).toEqual([200, true, 'waiting'])
    expect(body.waits).toMatchObject([
      { kind: 'client_tool', status: 'open', tool: 'pick_file', args: { kind: 'pdf' } },
    ])
    const { id } = body.waits[0]
    const answer = { data: { name: 'a.pdf', pages: [1] } }
    expect((await here.post(`/api/runs/${body.run_id}/waits/${id}`, answer)).status).toBe(200)
    const run = await here.ended(body.run_id)
    expect(run.result).toMatchObject({
      output: 'Done.',
      steps: [{ tool: 'pick_file', result: answer.data }],
      tool_calls: 1,
    })
    const names = here.model.calls.map(({ tools = [] }) => tools.map(({ name }) => name))
    expect(names[0]).toEqual(expect.arrayContaining(['pick_file', 'here', 'time']))
  })

  it.each([
    [{ data: { error: 'No such file' } }, 'No such file'],
    [{ decline: true, reason: 'Not now' }, 'The caller did not make the call: Not now.'],
  ])('an answer %j is a failed call', async (answer, error) => {
    await using here = await start(way, [picks, done])
    const { body } = await here.run()
    await here.post(`/api/runs/${body.run_id}/waits/${body.waits[0].id}`, answer)
    expect((await here.ended(body.run_id)).result.steps).toEqual([
      { tool: 'pick_file', args: { kind: 'pdf' }, error },
    ])
  })

  it('checks the arguments of the model, and what the caller sends', async () => {
    await using here = await start(way, [{ toolCalls: [{ name: 'pick_file', args: {} }] }, done])
    const { body } = await here.run()
    expect(body.steps).toMatchObject([{ error: expect.stringMatching(/do not match the parameters/) }])
    const bad: object[] = [
      [{ name: 'time' }],
      [{ name: 'x' }, { name: 'x' }],
      [{ name: 'a b' }],
      [{ name: 'x', parameters: { type: 'nothing' } }],
      Array.from({ length: 65 }, (_, index) => ({ name: `t${index}` })),
    ]
    for (const client_tools of bad) {
      const { status, body: reply } = await here.run({ client_tools })
      expect([status, reply.code]).toEqual([400, 'validation_error'])
    }
  })
})
