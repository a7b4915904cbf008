import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { createRuntime, type Tool } from '@homeward/agent-runtime'
import { ChannelError } from '@homeward/agent-runtime/channels'
import { createScriptedModel } from '@homeward/agent-runtime/testing'
import { afterEach, expect, it, vi } from 'vitest'
import {
  createTestChannel,
  toRequest,
} from '../../packages/agent-runtime/src/channels/testing/test-channel.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const page = readFileSync(join(workspaceFolder, 'docs/reference/platform/journal.md'), 'utf8')

/** Fields of `data` by the type of the event, as the page's table has them. */
function documentedData(): Map<string, { readonly always: string[]; readonly all: string[] }> {
  const rows = page
    .slice(page.indexOf('\n## Journal\n'))
    .matchAll(/^\| `([a-z]+\.[a-z]+)` +\| [^|]+\| ([^|]+) \|$/gm)
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
  inputSchema: { type: 'object' },
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
  execute: async () => ({}),
}

/** Events of a schedule whose first task never ends, so that the next time is missed. */
async function scheduledEvents() {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  await using runtime = createRuntime({ workers: { concurrency: 0 }, environment: {} })
  await runtime.agents.create({ id: 'ticker', model: 'test/echo', schedule: '* * * * * *', overlap: 'skip' })
  await runtime.start()
  let isMissed = false
  runtime.events.once('schedule.missed', () => (isMissed = true))
  while (!isMissed) await vi.advanceTimersByTimeAsync(500)
  return runtime.logs.list({ since: 0 })
}

/** Events of a message that is answered, of one whose answer is refused, and of one that nobody answers. */
async function channelEvents() {
  const onSend = async ({ chat }: { readonly chat: string }) => {
    if (chat === 'blocked') throw new ChannelError('gone', 'The bot was blocked.')
  }
  const channels = [createTestChannel({ agentId: 'parrot', onSend }), createTestChannel({ id: 'nobody' })]
  await using runtime = createRuntime({ channels, environment: {} })
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  await runtime.channels.receive('nobody', toRequest({ text: 'Hello' }))
  const ends = Promise.all(
    (['channel.reply', 'channel.failed'] as const).map(
      (type) => new Promise((resolve) => runtime.events.once(type, resolve)),
    ),
  )
  await runtime.channels.receive('test', toRequest({ text: 'Hello' }))
  await runtime.channels.receive('test', toRequest({ chat: 'blocked', text: 'Hello?' }))
  await ends
  await runtime.channels.setSender('test', 'somebody', { status: 'allowed' })
  return runtime.logs.list({ since: 0, limit: 1000 })
}

/** Fields of `data` by the type of the event, as `JournalEventData` types them. */
function typedData(): Map<string, string[]> {
  const path = join(workspaceFolder, 'packages/contract/src/agent-platform/journal-event.ts')
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ESNext, true)
  const aliases = new Map(
    source.statements.filter(ts.isTypeAliasDeclaration).map(({ name, type }) => [name.text, type]),
  )
  const fieldsOf = (type: ts.TypeNode | undefined): ts.PropertySignature[] => {
    if (!type) return []
    if (ts.isIntersectionTypeNode(type)) return type.types.flatMap(fieldsOf)
    if (ts.isTypeReferenceNode(type)) return fieldsOf(aliases.get(type.typeName.getText()))
    return ts.isTypeLiteralNode(type) ? type.members.filter(ts.isPropertySignature) : []
  }
  const nameOf = ({ name, questionToken }: ts.PropertySignature) =>
    `${ts.isStringLiteral(name) ? name.text : name.getText()}${questionToken ? '?' : ''}`
  return new Map(
    fieldsOf(aliases.get('JournalEventData')).map((event) => [
      nameOf(event),
      fieldsOf(event.type).map(nameOf).toSorted(),
    ]),
  )
}

it('the types of journal events say what the reference says', () => {
  const documented = [...documentedData()].map(([type, { always, all }]) => {
    const fields = all.map((name) => (always.includes(name) ? name : `${name}?`))
    return [type, fields.toSorted()] as const
  })
  expect(typedData()).toEqual(new Map(documented))
})

afterEach(() => void vi.useRealTimers())

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
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  await runtime.graphs.create({ id: 'g', nodes: [{ id: 'n', agent: 'parrot' }], edges: [] })
  await runtime.graphs.run({ graph_id: 'g', input: 'Hello' })
  const done = new Promise((resolve) => runtime.events.once('task.completed', resolve))
  await runtime.tasks.create({ agent_id: 'parrot', task: 'Hello' })
  await done
  const failed = new Promise((resolve) => runtime.events.once('task.failed', resolve))
  await runtime.tasks.create({ agent_id: 'a', task: 'Pay again', max_attempts: 1 }) // the script is over
  await failed

  const documented = documentedData()
  const events = [
    ...(await runtime.logs.list({ since: 0, limit: 1000 })),
    ...(await channelEvents()),
    ...(await scheduledEvents()),
  ]
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
