import { expect, it } from 'vitest'
import type { ScriptedResponse } from '../../testing/scripted-model.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { openChannelRuntime } from '../testing/channel-runtime.ts'
import type { TestChannelOptions } from '../testing/test-channel.ts'

const look = { toolCalls: [{ id: 'c1', name: 'look', args: {} }] }
const done = { text: 'Done.' }

/** A chat in which a run works: its tool ends once `release` is called. */
async function working(channelOptions: TestChannelOptions = {}, from: object = {}, while_running?: 'steer') {
  const begun = Promise.withResolvers<void>()
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const steps: ScriptedResponse[] = [look, done, { text: 'Next.' }, { text: 'Last.' }]
  const model = createScriptedModel(steps)
  const tool = {
    id: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    effects: 'read',
    returnsUntrustedContent: false,
    async execute() {
      begun.resolve()
      await promise
      return 'seen'
    },
  } as const
  const kit = await openChannelRuntime(channelOptions, { models: { mine: () => model }, tools: [tool] })
  await kit.runtime.agents.update('parrot', { model: 'mine/x', ...(while_running && { while_running }) })
  await kit.runtime.start()
  for (const id of ['ann', 'g1']) await kit.allow(id)
  await kit.write({ text: 'go', sender: 'ann', ...from })
  await begun.promise
  return {
    ...kit,
    model,
    release,
    runs: async () => (await kit.runtime.runs.list()).runs,
    /** What the model read in a call. */
    read: (call: number) => JSON.stringify(model.calls[call]?.prompt),
  }
}

it('queues a message by default: the next run reads it', async () => {
  const kit = await working()
  await kit.write({ text: 'only October', sender: 'ann' })
  kit.release()
  await kit.until(() => expect(kit.texts()).toEqual(['*Done.*', '*Next.*']))
  expect(kit.read(1)).not.toContain('October')
  expect(await kit.runs()).toHaveLength(2)
})

it('gives a message to the run that works, once, with `steer`', async () => {
  const kit = await working({}, {}, 'steer')
  const message = { text: 'only October', sender: 'ann' }
  await Promise.all([kit.write(message), kit.write(message)])
  const [run] = await kit.runs()
  expect(run?.messages).toMatchObject([{ mode: 'steer', text: 'only October' }])
  kit.release()
  await kit.until(() => expect(kit.texts()).toEqual(['*Done.*']))
  expect(kit.read(1).split('only October')).toHaveLength(2)
  await kit.write(message)
  expect(await kit.runs()).toHaveLength(1)
  await kit.write({ text: 'and now?', sender: 'ann' })
  await kit.until(() => expect(kit.texts()).toHaveLength(2))
  expect(await kit.runs()).toHaveLength(2)
})

it('names the person in a group, and what a stranger wrote makes the run untrusted', async () => {
  const group = { group: 'g1', chat: 'g' }
  const kit = await working({}, group, 'steer')
  await kit.write({ text: 'faster', sender: 'eve', name: 'Eve', ...group })
  kit.release()
  await kit.until(() => expect(kit.texts('g')).toEqual(['*Done.*']))
  expect(kit.read(1)).toContain('[Eve]: faster')
  const [run] = await kit.runs()
  const steps = await kit.runtime.runs.get(run?.id ?? '')
  expect(steps.result).toMatchObject({ success: true })
})

it('replies where the platform shows that a reply is being written', async () => {
  const kit = await working({ giveUp: async () => {} }, {}, 'steer')
  await kit.write({ text: 'faster', sender: 'ann' })
  await kit.until(() => expect(kit.texts()).toEqual(['*The agent reads this message while it works.*']))
  kit.release()
  await kit.until(() => expect(kit.texts()).toHaveLength(2))
})

it('queues a file, and a message of a conversation that has just begun', async () => {
  const kit = await working({}, {}, 'steer')
  const files = [
    { kind: 'document' as const, reference: {}, base64: 'aGk=', name: 'a.txt', mediaType: 'text/plain' },
  ]
  await kit.write({ text: 'read this', key: 'f', sender: 'ann', files })
  await kit.write({ text: '/new', sender: 'ann' })
  await kit.write({ text: 'hello', sender: 'ann' })
  kit.release()
  await kit.until(() => expect(kit.texts()).toContain('*Last.*'))
  expect(await kit.runs()).toHaveLength(3)
})
