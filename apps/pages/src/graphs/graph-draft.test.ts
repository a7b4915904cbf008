import type { Graph } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import { describe, expect, it } from 'vitest'
import { checkDraft, problemsOfError, toGraphBody } from './draft-problems.ts'
import { describeCondition, fromCondition } from './graph-draft.ts'
import { changeDraft, type DraftAction, type GraphDraft, newDraft, toDraft } from './graph-draft.ts'

const change = (draft: GraphDraft, ...actions: DraftAction[]) => actions.reduce(changeDraft, draft)

const saved: Graph = {
  id: 'report',
  name: 'Report',
  nodes: [
    { id: 'facts', agent: 'a', input: 'About {{input}}', retries: 2 },
    { id: 'text', agent: 'b', input: '{{ facts }} and {{facts-2}}', on_error: 'continue' },
    { id: 'each', function: 'report/each', map: { over: 'facts', path: '/list' } },
    { id: 'more', agent: 'a', map: { over: 'facts' } },
    { id: 'rest', graph: 'other' },
    { id: 'paid', wait: { event: 'paid', match: { type: 'object' }, timeout: 60 }, on_error: 'continue' },
    { id: 'then', wait: { until: '{{facts}}' } },
    { id: 'may', ask: { message: 'Send {{facts}}?', schema: { type: 'boolean' } } },
  ],
  edges: [
    { from: 'facts', to: 'text', when: 'yes' },
    { from: 'facts', to: 'each', when: { data: { type: 'object' } } },
  ],
  schedule: '0 8 * * *',
  schedule_enabled: false,
  timezone: 'Europe/Berlin',
  catch_up: 'latest',
  overlap: 'skip',
  budget: { max_usd: 2, period: 'day' },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

describe('a graph that is edited', () => {
  it('A10: is sent as it was, when nothing is changed', () => {
    const { id: _, created_at: __, updated_at: ___, edges, ...kept } = saved
    expect(toGraphBody(toDraft(saved))).toEqual({
      ...kept,
      edges: edges.map((edge) => (edge.when === 'yes' ? { ...edge, when: { contains: 'yes' } } : edge)),
      description: null,
      schedule_input: null,
      budget: { max_tokens: null, max_usd: 2, period: 'day' },
    })
    expect(checkDraft(toDraft(saved))).toEqual([])
  })

  it('follows a node that is renamed in lists, times and questions too', () => {
    const draft = toDraft(saved)
    const renamed = change(draft, {
      type: 'change-node',
      key: draft.nodes[0]?.key ?? '',
      change: { id: 'found' },
    })
    const { nodes } = toGraphBody(renamed)
    expect(nodes.flatMap(({ map }) => map?.over ?? [])).toEqual(['found', 'found'])
    expect(nodes.flatMap(({ wait, ask }) => wait?.until ?? ask?.message ?? [])).toEqual([
      '{{found}}',
      'Send {{found}}?',
    ])
  })

  it('gives each new node an id of its own, and begins with one', () => {
    const draft = change(newDraft('a'), { type: 'add-node', agent: 'b' }, { type: 'remove', keys: ['n1'] })
    const more = change(draft, { type: 'add-node', agent: 'b' }, { type: 'add-node', agent: 'b' })
    expect(new Set(more.nodes.map(({ id }) => id)).size).toBe(3)
    expect(new Set(more.nodes.map(({ key }) => key)).size).toBe(3)
  })

  it('connects a new node to the selected node, and not to a selected edge', () => {
    const draft = change(newDraft('a'), { type: 'add-node', agent: 'b', after: 'n1' })
    expect(draft.edges).toMatchObject([{ from: 'n1', to: 'n2' }])
    expect(change(draft, { type: 'add-node', agent: 'b', after: 'e3' }).edges).toHaveLength(1)
  })

  it('takes the edges of a node with it', () => {
    const draft = toDraft(saved)
    const without = change(draft, { type: 'remove', keys: [draft.nodes[0]?.key ?? ''] })
    expect(without.nodes.map(({ id }) => id)).not.toContain('facts')
    expect(without.edges).toEqual([])
  })

  it('connects two nodes once, and none with itself', () => {
    const [from = '', to = ''] = toDraft(saved).nodes.map(({ key }) => key)
    const draft = change(
      toDraft({ ...saved, edges: [] }),
      { type: 'add-edge', from, to },
      { type: 'add-edge', from, to },
      { type: 'add-edge', from: to, to },
    )
    expect(toGraphBody(draft).edges).toEqual([{ from: 'facts', to: 'text' }])
  })

  it('renames placeholders with their node, also when its name is emptied on the way', () => {
    const draft = toDraft(saved)
    const key = draft.nodes[0]?.key ?? ''
    const type = 'change-node'
    const renamed = change(draft, { type, key, change: { id: '' } }, { type, key, change: { id: 'news' } })
    expect(renamed.nodes[1]?.input).toBe('{{news}} and {{facts-2}}')
    expect(toGraphBody(renamed).edges?.[0]).toMatchObject({ from: 'news', to: 'text' })
    const passing = change(
      draft,
      { type, key, change: { id: 'input' } },
      { type, key, change: { id: 'input-2' } },
    )
    expect(passing.nodes[1]?.input).toBe('{{input-2}} and {{facts-2}}')
    const ofGraph = change(draft, {
      type,
      key: draft.nodes[1]?.key ?? '',
      change: { input: '{{input}} {{facts}}' },
    })
    const typed = change(
      ofGraph,
      { type, key, change: { id: 'input' } },
      { type, key, change: { id: 'input-2' } },
    )
    expect(typed.nodes[1]?.input).toBe('{{input}} {{input-2}}')
    const taken = change(draft, { type, key, change: { id: 'text' } })
    expect(taken.nodes[1]?.input).toBe(saved.nodes[1]?.input)
  })

  it('says conditions in words', () => {
    expect(describeCondition(fromCondition('a'))).toBe('contains “a”')
    expect(describeCondition(fromCondition({ not_contains: 'b', starts_with: 'c' }))).toBe(
      'does not contain “b” and starts with “c”',
    )
  })
})

describe('problems of a graph', () => {
  it('stand at their node and field, by the contract alone', () => {
    const draft = change(toDraft(saved), { type: 'change-node', key: 'n1', change: { id: 'a b' } })
    expect(checkDraft(draft)).toMatchObject([
      { key: 'n1', field: 'id', message: expect.stringContaining('must be 1 to 64 letters') },
      { key: 'e0', field: 'to' },
    ])
  })

  it('A10: stand at their node or edge, as the platform told them', () => {
    const problems = [
      { path: 'nodes.1.agent', message: 'there is no agent "b"' },
      { path: 'edges.0', message: 'twice' },
      { path: 'edges', message: 'a cycle' },
    ]
    const error = new ClientError('HTTP', 'no', { status: 400, details: { problems } })
    expect(problemsOfError(toDraft(saved), error)).toEqual([
      { key: 'n1', field: 'agent', message: 'there is no agent "b"' },
      { key: 'e0', field: undefined, message: 'twice' },
      { key: undefined, field: 'edges', message: 'a cycle' },
    ])
  })

  it('A9: stand at the fields of the graph when no node is to blame', () => {
    const detail = 'Changing a graph: schedule: "x" is no cron expression'
    expect(problemsOfError(toDraft(saved), new ClientError('HTTP', 'no', { status: 400, detail }))).toEqual([
      { key: undefined, field: 'schedule', message: '"x" is no cron expression' },
    ])
  })

  it('are undefined when the error is about something else', () => {
    expect(problemsOfError(toDraft(saved), new Error('x'))).toBeUndefined()
    const other = new ClientError('HTTP', 'no', { status: 409, details: { problems: 'x' } })
    expect(problemsOfError(toDraft(saved), other)).toBeUndefined()
  })
})
