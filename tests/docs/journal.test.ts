import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, type Tool } from '@homeward/agent-runtime'
import { createScriptedModel } from '@homeward/agent-runtime/testing'
import { expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const page = readFileSync(join(workspaceFolder, 'docs/reference/agent-platform.md'), 'utf8')

/** Fields of `data` by the type of the event, as the page's table has them. */
function documentedData(): Map<string, { readonly always: string[]; readonly all: string[] }> {
  const rows = page.matchAll(/^\| `([a-z]+\.[a-z]+)` +\| [^|]+\| ([^|]+) \|$/gm)
  return new Map(
    [...rows].map(([, type = '', cell = '']) => {
      const names = [...cell.matchAll(/`([a-z_]+\??)`/g)].map(([, name = '']) => name)
      const always = names.filter((name) => !name.endsWith('?')).toSorted()
      return [type, { always, all: names.map((name) => name.replace('?', '')) }]
    }),
  )
}

const pay: Tool = {
  id: 'pay',
  description: 'Pays.',
  parameters: { type: 'object' },
  effects: 'external',
  repeat: 'once',
  untrusted: false,
  call: async () => ({}),
}

it('the journal holds what the reference says, no kind of event more and none less', async () => {
  const calls = { toolCalls: [{ name: 'pay' }, { name: 'unknown' }] }
  const model = createScriptedModel([calls, { text: 'Paid.' }])
  await using runtime = createRuntime({ tools: [pay], models: { mine: () => model }, environment: {} })
  await runtime.skills.uploadMarkdown('---\nname: hello\ndescription: Says hello.\n---\n')
  await runtime.agents.create({ id: 'a', model: 'mine/any', approval_tools: ['pay'] })
  const { run_id, approvals } = await runtime.run({ agent_id: 'a', task: 'Pay' })
  const ended = new Promise((resolve) => runtime.events.once('agent.completed', resolve))
  await runtime.runs.decideApproval(run_id, approvals?.[0]?.id ?? '', { decision: 'approve' })
  await ended

  const documented = documentedData()
  const events = await runtime.logs.list({ since: 0 })
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(documented.keys()))
  for (const { type, data } of events) {
    const { always = [], all = [] } = documented.get(type) ?? {}
    expect(
      Object.keys(data).filter((name) => !all.includes(name)),
      type,
    ).toEqual([])
    expect(
      always.filter((name) => !(name in data)),
      type,
    ).toEqual([])
  }
})
