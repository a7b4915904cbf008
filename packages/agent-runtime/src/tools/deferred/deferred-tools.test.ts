import type { JsonObject } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../ports/tool.ts'
import { toolContextOf } from '../testing/tool-context.ts'
import { deferTools, maxToolsAtHand } from './defer-tools.ts'
import { rankTools } from './rank-tools.ts'

const tool = (id: string, description = `Does ${id}.`, properties: object = {}): Tool => ({
  id,
  description,
  inputSchema: { type: 'object', properties },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: async () => id,
})
const tools = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => tool(`${prefix}${index}`))

const idsOf = (list: readonly Tool[]) => list.map(({ id }) => id)

describe('deferring tools', () => {
  const builtIn = [tool('time')]
  const mcp = (count: number) => ({ tools: tools('far.t', count), from: 'the MCP servers far' })
  const skills = (count: number) => ({ tools: tools('near_', count), from: 'the skills near' })
  const defer = (groups: ReturnType<typeof mcp>[], named?: string[]) => {
    const all = [...builtIn, ...groups.flatMap(({ tools: grouped }) => grouped)]
    return deferTools(named ? { tools: named } : {}, all, groups)
  }

  it('leaves all tools in the prompt up to the limit', () => {
    const { tools: all, deferred } = defer([mcp(maxToolsAtHand - 1)])
    expect(all).toHaveLength(maxToolsAtHand)
    expect(deferred).toBeUndefined()
  })

  it('defers tools of MCP servers first, whole groups at once, and other tools only if that is not enough', () => {
    const few = defer([mcp(40), skills(3)])
    expect(few.deferred).toEqual(new Set(idsOf(tools('far.t', 40))))
    expect(idsOf(few.tools).slice(-2)).toEqual(['tool_search', 'call_tool'])
    expect(defer([mcp(1), skills(60)]).deferred?.size).toBe(61)
  })

  it('keeps tools that the agent names', () => {
    expect(defer([mcp(60)], ['far.t7']).deferred?.has('far.t7')).toBe(false)
  })

  it('describes tool_search by where tools come from, not by the tools', () => {
    const search = (count: number) => defer([mcp(count)]).tools.find(({ id }) => id === 'tool_search')
    expect(search(60)?.description).toContain('the MCP servers far')
    expect(search(60)?.description).toBe(search(61)?.description)
  })
})

describe('tool_search', () => {
  const search = async (args: JsonObject, given: Tool[]) => {
    const list = deferTools({}, [...given, ...tools('x', 41)], [{ tools: given, from: 'far' }]).tools
    return await list.find(({ id }) => id === 'tool_search')?.execute(args, toolContextOf({}))
  }

  it('gives names, descriptions and schemas, as many as asked for', async () => {
    const issues = Array.from({ length: 8 }, (_, n) =>
      tool(`hub.issue_${n}`, 'An issue.', { n: { type: 'number' } }),
    )
    const found = await search({ query: 'issue', limit: 2 }, issues)
    expect(found).toEqual({
      total: 8,
      tools: [0, 1].map((n) => ({
        name: `hub.issue_${n}`,
        description: 'An issue.',
        parameters: { type: 'object', properties: { n: { type: 'number' } } },
      })),
    })
    expect(await search({ query: 'issue' }, issues)).toMatchObject({ tools: { length: 5 } })
  })

  it('says when no tool fits', async () => {
    const found = await search({ query: 'weather' }, [tool('hub.issue')])
    expect(found).toEqual({ tools: [], note: 'No tool matches these words. Try other words.' })
  })

  it('bounds its result, and names the tools that are too long to show', async () => {
    const long = { text: { type: 'string', description: 'x'.repeat(30_000) } }
    const found = await search(
      { query: 'issue' },
      [1, 2].map((n) => tool(`hub.issue_${n}`, 'An issue.', long)),
    )
    expect(found).toMatchObject({ tools: { length: 1 }, too_long_to_show: ['hub.issue_2'] })
  })
})

describe('ranking tools', () => {
  const ranking = rankTools([
    tool('hub.list_repositories', 'Lists repositories of an owner, with their open issues.'),
    tool('hub.createIssue', 'Opens a new one.', { title: {}, assignee: {} }),
    tool('hub.close_issue', 'Closes an issue.'),
    tool('wetter.heute', 'Das Wetter für heute in Köln.'),
  ])
  const first = (query: string) => ranking.search(query)[0]?.id

  it.each([
    ['create an issue', 'hub.createIssue'],
    ['closing issues', 'hub.close_issue'],
    ['repository list', 'hub.list_repositories'],
    ['assignee', 'hub.createIssue'],
    ['wetter koln', 'wetter.heute'],
    ['hub.close_issue', 'hub.close_issue'],
  ])('finds %j', (query, expected) => {
    expect(first(query)).toBe(expected)
  })

  it('finds nothing without a word in common', () => {
    expect(ranking.search('invoice')).toEqual([])
  })
})
