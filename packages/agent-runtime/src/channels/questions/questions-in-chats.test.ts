import { describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { openChannelRuntime } from '../testing/channel-runtime.ts'
import { toInbound, type TestChannelOptions } from '../testing/test-channel.ts'

const ask = (args: object, id = 'c1') => ({
  id,
  name: 'ask_user',
  args: { message: 'Which color?', ...args },
})
const options = { options: ['red', 'blue'] }
const done = { text: 'Done.' }

async function open(
  steps: readonly ScriptedResponse[],
  channelOptions: TestChannelOptions = {},
  store = createTestStore(),
) {
  const model = createScriptedModel(steps)
  const kit = await openChannelRuntime(channelOptions, { store, models: { mine: () => model } })
  await kit.runtime.agents.update('parrot', { model: 'mine/x', ask_user: true })
  await kit.runtime.start()
  await kit.allow('ann')
  let writes = 0
  return {
    ...kit,
    store,
    model,
    last: (chat?: string) => kit.texts(chat).at(-1) ?? '',
    say: (text: string, from: object = {}) =>
      kit.write({ text, key: `say ${(writes += 1)}`, sender: 'ann', ...from }),
    waits: async () => (await kit.runtime.runs.list()).runs.toReversed().flatMap(({ waits }) => waits),
    results: async () => {
      const { runs } = await kit.runtime.runs.list()
      const steps = runs.flatMap(({ result }) => (result && 'steps' in result ? result.steps : []))
      return steps.map(({ result }) => result)
    },
    buttons: () => kit.channel.sent.findLast(({ notice }) => notice?.buttons)?.notice?.buttons ?? [],
  }
}

/** Opens a chat in which a question waits. */
async function asked(args: object, channelOptions: TestChannelOptions = {}, from: object = {}) {
  const kit = await open([{ toolCalls: [ask(args)] }, done, done, done], channelOptions)
  const { chat } = from as { chat?: string }
  if ('group' in from) await kit.allow('g1')
  await kit.say('paint', from)
  await kit.until(() => expect(kit.last(chat)).toContain('Which color?'))
  return kit
}

it('sends a question with buttons, and takes the next message as the answer', async () => {
  const { say, texts, until, waits, results, buttons, model, runtime } = await asked(options)
  expect(texts()).toEqual(['*Which color?\n\n- red\n- blue\n\nChoose one. To decline, write `/skip`.*'])
  expect(buttons().map(({ label }) => label)).toEqual(['red', 'blue'])
  await say('/status')
  await until(() => expect(texts().at(-1)).toContain('waiting for an answer'))
  await say('BLUE')
  await until(() => expect(texts().at(-1)).toBe('*Done.*'))
  expect(texts()).toHaveLength(3)
  expect(await results()).toEqual(['blue'])
  expect(await waits()).toMatchObject([{ status: 'answered', data: 'blue', answered_by: 'test:ann' }])
  await say('and now?')
  await until(() => expect(model.calls).toHaveLength(3))
  expect((await runtime.runs.list()).runs).toHaveLength(2)
})

it('takes a press, shows the answer in place of the buttons, and takes no second press', async () => {
  const answerPress = vi.fn(async () => {})
  const kit = await asked(options, { canReplace: true, answerPress })
  const [, blue] = kit.buttons()
  const press = { id: 'p1' }
  await kit.say(blue?.command ?? '', { press })
  await kit.until(() => expect(kit.texts()).toContain('*Done.*'))
  expect(kit.channel.sent.find(({ text }) => text.includes('Answer: blue'))?.notice).toEqual({
    replaces: 'sent 1',
  })
  expect(answerPress).toHaveBeenCalledWith(press, '', expect.anything())
  await kit.say(blue?.command ?? '', { press })
  await kit.until(() => expect(kit.last()).toContain('No question is'))
  expect(await kit.results()).toEqual(['blue'])
})

it('replies where the platform shows that a reply is being written', async () => {
  const kit = await asked({}, { giveUp: async () => {} })
  await kit.say('green')
  await kit.until(() => expect(kit.texts()).toContain('*Answer: green*'))
  await kit.until(() => expect(kit.texts()).toContain('*Done.*'))
})

it('says what does not fit, and takes another try', async () => {
  const kit = await asked({ schema: { type: 'integer', minimum: 3 } })
  await kit.say('many')
  await kit.until(() => expect(kit.last()).toContain('without decimals'))
  await kit.say('2')
  await kit.until(() => expect(kit.last()).toContain('must be'))
  expect(await kit.waits()).toMatchObject([{ status: 'open' }])
  await kit.say('7')
  await kit.until(() => expect(kit.last()).toBe('*Done.*'))
  expect(await kit.results()).toEqual([7])
})

it('declines with /skip', async () => {
  const kit = await asked({})
  await kit.say('/skip')
  await kit.until(() => expect(kit.last()).toBe('*Done.*'))
  expect(await kit.waits()).toMatchObject([{ status: 'declined', answered_by: 'test:ann' }])
  expect(JSON.stringify(kit.model.calls[1]?.prompt)).toContain('declined to answer')
  await kit.say('/skip')
  await kit.until(() => expect(kit.last()).toContain('No question is'))
})

describe('a schema with several fields', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, size: { enum: ['S', 'M'] }, gift: { type: 'boolean' } },
    required: ['name', 'size', 'gift'],
  }

  it('asks one field after the other, and answers with all of them', async () => {
    const kit = await asked({ schema })
    expect(kit.last()).toContain('**name**')
    await kit.say('Ann')
    await kit.until(() => expect(kit.last()).toContain('**size**'))
    const [small] = kit.buttons()
    await kit.say('XXL')
    await kit.until(() => expect(kit.last()).toContain('does not answer'))
    await kit.say(small?.command ?? '')
    await kit.until(() => expect(kit.last()).toContain('**gift**'))
    await kit.say(small?.command ?? '')
    await kit.until(() => expect(kit.last()).toContain('No question is'))
    await kit.say('no')
    await kit.until(() => expect(kit.last()).toBe('*Done.*'))
    expect(await kit.results()).toEqual([{ name: 'Ann', size: 'S', gift: false }])
  })

  it('begins again if the answers do not fit together', async () => {
    const kit = await asked({
      schema: {
        type: 'object',
        properties: { a: { type: 'integer' }, b: { type: 'integer' } },
        not: { required: ['a', 'b'], properties: { b: { const: 1 } } },
      },
    })
    for (const text of ['5', '1']) {
      await kit.say(text)
      await kit.until(() => expect(kit.last()).toContain(text === '5' ? '**b**' : '**a**'))
    }
    expect(kit.last()).toContain('do not fit together')
    await kit.say('5')
    await kit.until(() => expect(kit.last()).toContain('**b**'))
    await kit.say('2')
    await kit.until(() => expect(kit.last()).toBe('*Done.*'))
    expect(await kit.results()).toEqual([{ a: 5, b: 2 }])
  })
})

it('answers the oldest of several questions, and names it', async () => {
  const calls = [ask({ message: 'First?' }, 'c1'), ask({ message: 'Second?' }, 'c2')]
  const kit = await open([{ toolCalls: calls }, done])
  await kit.say('go')
  await kit.until(() => expect(kit.texts()).toHaveLength(2))
  await kit.say('one')
  await kit.until(() => expect(kit.last()).toBe('*Your answer belongs to the question: First?*'))
  await kit.say('two')
  await kit.until(() => expect(kit.last()).toBe('*Done.*'))
  expect(await kit.results()).toEqual(['one', 'two'])
})

it('a copy of an answer answers nothing else, and starts no run', async () => {
  const calls = [ask({ message: 'First?' }, 'c1'), ask({ message: 'Second?' }, 'c2')]
  const kit = await open([{ toolCalls: calls }, done])
  await kit.say('go')
  await kit.until(() => expect(kit.texts()).toHaveLength(2))
  const copy = { text: 'one', key: 'one', sender: 'ann' }
  await Promise.all([kit.write(copy), kit.write(copy), kit.write(copy)])
  expect((await kit.waits()).map(({ status }) => status)).toEqual(['answered', 'open'])
  await kit.say('two')
  await kit.until(() => expect(kit.last()).toBe('*Done.*'))
  await kit.write(copy)
  expect((await kit.runtime.runs.list()).runs).toHaveLength(1)
  expect(await kit.results()).toEqual(['one', 'two'])
})

it('judges what was asked for after the answer in the same poll once the answer is stored', async () => {
  const messages = ['1', '2', '3'].map((text) => toInbound('test', { text, sender: 'ann' }))
  const ready = Promise.withResolvers<void>()
  let isPolled = false
  const calls = [ask({ message: 'First?' }, 'c1'), ask({ message: 'Second?' }, 'c2')]
  const kit = await open([{ toolCalls: calls }, done, { text: 'Three.' }], {
    async poll({ accept, signal }) {
      await ready.promise
      if (!isPolled) await accept(messages, 4)
      isPolled = true
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  })
  await kit.say('go')
  await kit.until(() => expect(kit.texts()).toHaveLength(2))
  ready.resolve()
  await kit.until(() => expect(kit.last()).toBe('*Three.*'))
  expect(await kit.results()).toEqual(['1', '2'])
})

describe('in a group', () => {
  const inGroup = { group: 'g1', chat: 'g' }

  it('takes an answer of the person who has asked the agent, also without a mention, and of nobody else', async () => {
    const kit = await asked({ ...options }, {}, { ...inGroup, sender: 'eve' })
    await kit.say('red', { ...inGroup, sender: 'bob', isAddressed: false })
    await kit.say(kit.buttons()[0]?.command ?? '', { ...inGroup, sender: 'bob' })
    await kit.until(() => expect(kit.last('g')).toContain('not allowed to answer'))
    await kit.say('/skip', { ...inGroup, sender: 'bob' })
    for (const text of ['lunch?', '/stop'])
      await kit.say(text, { ...inGroup, sender: 'eve', isAddressed: false })
    expect(await kit.waits()).toMatchObject([{ status: 'open' }])
    await kit.say('blue', { ...inGroup, sender: 'eve', isAddressed: false })
    await kit.until(() => expect(kit.last('g')).toBe('*Done.*'))
    expect(await kit.results()).toEqual(['blue'])
    expect(kit.texts('g').some((text) => text.includes('does not answer'))).toBe(false)
  })

  it('takes an answer of a person whom the operator has allowed, if it names the agent', async () => {
    const kit = await asked({}, {}, { ...inGroup, sender: 'eve' })
    await kit.say('red', { ...inGroup, isAddressed: false })
    expect(await kit.waits()).toMatchObject([{ status: 'open' }])
    await kit.say('red', inGroup)
    await kit.until(() => expect(kit.last('g')).toBe('*Done.*'))
    expect(await kit.waits()).toMatchObject([{ status: 'answered', answered_by: 'test:ann' }])
  })

  it('queues a message of somebody else', async () => {
    const kit = await asked({}, {}, { ...inGroup, sender: 'eve' })
    await kit.say('hello', { ...inGroup, sender: 'bob' })
    await kit.say('green', { ...inGroup, sender: 'eve' })
    await kit.until(() => expect(kit.model.calls).toHaveLength(3))
    expect(JSON.stringify(kit.model.calls[2]?.prompt)).toContain('[bob]: hello')
  })
})

it('takes no answer that a person passes on, and says so', async () => {
  const kit = await asked({})
  await kit.say('red', { isQuoted: true })
  await kit.until(() => expect(kit.last()).toContain('forwarded'))
  expect(await kit.waits()).toMatchObject([{ status: 'open' }])
})

it('tells the chat that a question has an answer from elsewhere, and that a task was stopped', async () => {
  const kit = await asked({})
  const [wait] = await kit.waits()
  await kit.runtime.runs.answerWait(wait?.run_id ?? '', wait?.id ?? '', { data: 'red' })
  await kit.until(() => expect(kit.texts()).toContain('*Answered elsewhere: Which color?*'))
  const other = await asked({})
  await other.say('/stop')
  await other.until(() => expect(other.texts()).toContain('*No longer needed: Which color?*'))
})

describe('ask nodes of graphs', () => {
  const graph = (to: { readonly channel: string; readonly conversation_id: string }) => ({
    id: 'flow',
    name: 'Flow',
    nodes: [{ id: 'q', ask: { message: 'Send to {{input}}?', schema: { type: 'boolean' }, to } }],
    edges: [],
  })

  it.each([['its id'], ['its id at the platform']])('asks the chat that `to` names by %s', async (how) => {
    const kit = await open([])
    await kit.say('/status', { chat: 'boss' })
    await kit.until(() => expect(kit.texts('boss')).toHaveLength(1))
    const conversation_id = how === 'its id' ? 'test:boss' : 'boss'
    await kit.runtime.graphs.create(graph({ channel: 'test', conversation_id }))
    const { result } = await kit.runtime.graphs.start({ graph_id: 'flow', input: 'Bob' })
    expect(await result).toMatchObject({ success: true, stop_reason: 'waiting' })
    await kit.until(() => expect(kit.last('boss')).toContain('Send to Bob?'))
    expect(kit.buttons().map(({ label }) => label)).toEqual(['Yes', 'No'])
    await kit.say('yes', { chat: 'boss' })
    await kit.until(async () => expect((await kit.runtime.runs.list()).runs[0]?.status).toBe('completed'))
    expect((await kit.runtime.runs.list()).runs[0]?.waits).toMatchObject([{ data: true }])
  })

  it('asks no chat that is not allowed', async () => {
    const kit = await open([])
    await kit.runtime.graphs.create(graph({ channel: 'test', conversation_id: 'nobody' }))
    const { result } = await kit.runtime.graphs.start({ graph_id: 'flow', input: 'Bob' })
    expect(await result).toMatchObject({ stop_reason: 'waiting' })
    await kit.say('yes')
    expect(await kit.waits()).toMatchObject([{ status: 'open' }])
    expect(kit.texts('nobody')).toEqual([])
  })
})
