import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { startPlatform } from './testing/start-platform.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-whole-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function writeSkill(name: string, files: Readonly<Record<string, string>>): Promise<void> {
  const folder = join(home, 'skills', name)
  await mkdir(folder, { recursive: true })
  const manifest = `---\nname: ${name}\ndescription: About ${name}.\n---\nUse its tools.\n`
  await writeFile(join(folder, 'SKILL.md'), manifest)
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
}

it('A15, A16, A17: a run uses the tools of its skills, an HTTP one and a program, and the journal tells of it', async () => {
  const asked: string[] = []
  const weather = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('content-type', 'application/json').end('{"degrees": 7}')
  })
  await new Promise<void>((resolve) => weather.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(weather.address() as AddressInfo).port}`
  await writeSkill('weather', {
    'tools.yaml':
      'tools:\n  - id: weather_now\n    description: Now\n    method: GET\n    path: /now\n    parameters: { type: object, properties: { city: { type: string, in: query } }, required: [city] }\n',
  })
  await writeSkill('adder', {
    'tools.yaml':
      'tools:\n  - id: add\n    description: Adds\n    type: exec\n    command: [node, add.mjs]\n    stdin: json\n    effects: read\n    output: json\n    parameters: { type: object, properties: { a: { type: number }, b: { type: number } }, required: [a, b] }\n',
    'add.mjs':
      "let text = ''\nfor await (const chunk of process.stdin) text += chunk\nconst { a, b } = JSON.parse(text)\nconsole.log(JSON.stringify({ sum: a + b }))\n",
  })
  const model = createScriptedModel([
    {
      toolCalls: [
        { name: 'weather_now', args: { city: 'Oslo' } },
        { name: 'add', args: { a: 2, b: 3 } },
        { name: 'add', args: { a: 'two' } },
        { name: 'forbidden_tool' },
      ],
    },
    { text: 'Seven and five.' },
  ])
  try {
    const environment = { PATH: process.env['PATH'] ?? '' }
    await using platform = await startPlatform('over HTTP', {
      home,
      environment,
      models: { mine: () => model },
    })
    const { send } = platform
    await send('PUT', '/api/skills/weather/config', { body: { base } })
    const agent = { id: 'a', model: 'mine/any', skills: ['weather', 'adder'] }
    await send('POST', '/api/agents', { body: agent })
    const { status, body } = await send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Go' } })
    expect(status).toBe(200)
    const [now, sum, wrong, unknown] = body.steps
    expect(now).toMatchObject({
      tool: 'weather_now',
      result: { status: 200, ok: true, data: { degrees: 7 } },
    })
    expect(asked).toEqual(['/now?city=Oslo'])
    expect(JSON.stringify(sum.result)).toContain('"sum":5')
    expect(wrong).toMatchObject({ tool: 'add', error: expect.any(String) })
    expect(unknown).toMatchObject({ tool: 'forbidden_tool', error: expect.any(String) })
    expect(body.output).toBe('Seven and five.')
    const { events } = (await send('GET', `/api/logs?run_id=${body.run_id}&type=tool.completed`)).body
    expect(events.length).toBeGreaterThanOrEqual(2)
  } finally {
    weather.close()
  }
})

it('A18: an agent hands a task to another one, which keeps to its own tools', async () => {
  const models = {
    chief: () =>
      createScriptedModel([
        { toolCalls: [{ name: 'run_agent', args: { agent_id: 'b', task: 'Say hi' } }] },
        { text: 'B said hi.' },
      ]),
  }
  await using platform = await startPlatform('in process', { models })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'chief/any' } })
  await platform.send('POST', '/api/agents', { body: { id: 'b', model: 'test/echo' } })
  const { body } = await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Go' } })
  expect(JSON.stringify(body.steps[0].result)).toContain('Say hi')
  const { runs } = (await platform.send('GET', '/api/runs')).body
  expect(runs.map(({ agent_id }: { agent_id: string }) => agent_id).toSorted()).toEqual(['a', 'b'])
})
