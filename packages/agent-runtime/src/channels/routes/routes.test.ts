import { describe, expect, it } from 'vitest'
import { openChannelRuntime } from '../testing/channel-runtime.ts'

/** A runtime with the agents `parrot` (default) and `writer`, at which Ann and the group g1 are allowed. */
async function open() {
  const kit = await openChannelRuntime()
  await kit.runtime.agents.create({ id: 'writer', name: 'Writer', model: 'test/echo' })
  for (const id of ['ann', 'g1']) await kit.allow(id)
  let number = 0
  return {
    ...kit,
    /** Writes, and waits for the reply. @returns it */
    async ask(text: string, message: { sender?: string; chat?: string; group?: string } = {}) {
      const chat = message.chat ?? 'of ann'
      const before = kit.texts(chat).length
      number += 1
      await kit.write({ text, key: `key ${number}`, sender: 'ann', chat, ...message })
      await kit.until(() => expect(kit.texts(chat).length).toBeGreaterThan(before))
      return kit.texts(chat).at(-1)
    },
    /** Who got the newest task. */
    agent: async () => (await kit.runtime.tasks.list({ limit: 1 })).tasks[0]?.agent_id,
  }
}

describe('A1: routes', () => {
  it('let another agent answer in a chat, and the default agent in all others', async () => {
    const { runtime, ask, agent } = await open()
    const route = { conversation: 'of ann', agent_id: 'writer' }
    expect(await runtime.channels.setRoutes('test', [{ ...route, conversation: 'test:of ann' }])).toEqual([
      route,
    ])
    expect(await runtime.channels.routes('test')).toEqual([route])
    await ask('one')
    expect(await agent()).toBe('writer')
    await ask('two', { chat: 'other' })
    expect(await agent()).toBe('parrot')
    await runtime.channels.setRoutes('test', [])
    await ask('three')
    expect(await agent()).toBe('parrot')
    const { conversations } = await runtime.conversations.list()
    expect(conversations.map(({ agent_id }) => agent_id).toSorted()).toEqual(['parrot', 'parrot', 'writer'])
  })

  it('count for a thread before its group, and not for an agent that is gone', async () => {
    const { runtime, ask, agent } = await open()
    await runtime.channels.setRoutes('test', [
      { conversation: 'g1', agent_id: 'writer' },
      { conversation: 'thread', agent_id: 'parrot' },
    ])
    await ask('one', { group: 'g1', chat: 'thread' })
    expect(await agent()).toBe('parrot')
    await ask('two', { group: 'g1', chat: 'another' })
    expect(await agent()).toBe('writer')
    await runtime.agents.delete('writer')
    await ask('three', { group: 'g1', chat: 'another' })
    expect(await agent()).toBe('parrot')
  })

  it('name agents that exist, and each conversation once', async () => {
    const { runtime } = await open()
    const set = (...routes: { conversation: string; agent_id: string }[]) =>
      runtime.channels.setRoutes('test', routes)
    const code = 'validation_error'
    const route = { conversation: '1', agent_id: 'writer' }
    await expect(set({ ...route, agent_id: 'nobody' })).rejects.toMatchObject({ code })
    await expect(set(route, { ...route, conversation: 'test:1' })).rejects.toMatchObject({ code })
    await expect(set({ ...route, conversation: '' })).rejects.toMatchObject({ code })
    await expect(runtime.channels.routes('nope')).rejects.toMatchObject({ code: 'not_found' })
    expect(await runtime.channels.routes('test')).toEqual([])
  })

  it('are changed by /agent in the chat, by an allowed person only', async () => {
    const { runtime, ask, agent } = await open()
    expect(await ask('/agent')).toMatch(/Agent: `parrot`[^]*`writer`: Writer/)
    expect(await ask('/agent nobody')).toContain('No agent has this id')
    expect(await ask('/agent writer')).toContain('agent `writer` answers here')
    expect(await ask('/agent writer')).toContain('already')
    await ask('hello')
    expect(await agent()).toBe('writer')
    expect(await runtime.channels.routes('test')).toEqual([{ conversation: 'of ann', agent_id: 'writer' }])
    const eve = { sender: 'eve', group: 'g1', chat: 'thread' }
    expect(await ask('/agent writer', eve)).toContain('You are not allowed to choose')
    expect(await ask('/agent', eve)).not.toContain('writer')
    await ask('/agent writer', { ...eve, sender: 'ann' })
    expect(await runtime.channels.routes('test')).toContainEqual({ conversation: 'g1', agent_id: 'writer' })
    expect(await ask('/help')).toContain('/agent')
    expect(await ask('/agent Smith is a film')).toBe('*/agent Smith is a film*')
  })
})
