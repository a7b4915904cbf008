import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { AgentTemplate } from '@homeward/contract/agent-platform'
import { builtInToolIds } from '../ports/built-in-tool-ids.ts'
import { startPlatform, ways } from './testing/start-platform.ts'

const seeds = new URL('../../../../apps/homeward/skills/', import.meta.url)

describe.each(ways)('templates of agents %s', (way) => {
  it('become agents with a model, and name skills and tools that there are', async () => {
    await using platform = await startPlatform(way)
    const { status, body } = await platform.send('GET', '/api/agents/templates')
    expect(status).toBe(200)
    const templates: AgentTemplate[] = body.templates
    expect(templates.length).toBeGreaterThanOrEqual(5)
    const skills = await readdir(seeds)
    for (const { id, agent, needs } of templates) {
      const created = await platform.send('POST', '/api/agents', {
        body: { ...agent, id, model: 'test/echo' },
      })
      expect([id, created.status]).toEqual([id, 201])
      expect(skills).toEqual(expect.arrayContaining(agent.skills ?? []))
      expect([...builtInToolIds]).toEqual(expect.arrayContaining(agent.tools ?? []))
      const named = needs.flatMap(({ kind, name }) => (kind === 'skill' && name !== undefined ? [name] : []))
      expect(named).toEqual(agent.skills ?? [])
      expect(needs[0]?.kind).toBe('model')
    }
    const ran = await platform.send('POST', '/api/agents/run', {
      body: { agent_id: 'assistant', task: 'Hello' },
    })
    expect(ran.body.success).toBe(true)
  })
})
