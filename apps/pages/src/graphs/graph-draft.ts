import type {
  Budget,
  CatchUp,
  Graph,
  GraphNode,
  JsonObject,
  OnNodeError,
  Overlap,
  EdgeCondition,
} from '@homeward/contract/agent-platform'

/** A node as it is edited. */
export interface DraftNode {
  /** Stays the same while the id is typed. */
  readonly key: string
  readonly id: string
  /** Name that placeholders use: the last id that could be one. */
  readonly placeholder: string
  /** Empty for a node that runs no agent. */
  readonly agent: string
  /** What cannot be edited here: it stays as it is. */
  readonly fixed?: Pick<GraphNode, 'function' | 'graph' | 'wait' | 'ask' | 'map'>
  readonly input: string
  readonly retries: number
  readonly onError: OnNodeError
}

/** An edge as it is edited; its ends are keys of nodes. */
export interface DraftEdge {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly when: DraftCondition
  /** Schema that the data of the node matches. It cannot be edited here: it stays as it is. */
  readonly data?: JsonObject
}

/** What a graph has besides its nodes and edges. Empty texts stand for what is not set. */
export interface DraftFields {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly schedule: string
  readonly scheduleInput: string
  readonly scheduleEnabled: boolean
  readonly timezone: string
  readonly catchUp: CatchUp | ''
  readonly overlap: Overlap | ''
  readonly maxTokens: number | undefined
  readonly maxUsd: number | undefined
  readonly period: NonNullable<Budget['period']> | ''
}

/** A graph as it is edited: it may be half done. */
export interface GraphDraft {
  readonly fields: DraftFields
  readonly nodes: readonly DraftNode[]
  readonly edges: readonly DraftEdge[]
  /** Makes the next key. */
  readonly nextKey: number
}

/** What a person does to a graph. */
export type DraftAction =
  /** With an edge from the node `after`, if there is one. */
  | { readonly type: 'add-node'; readonly agent: string; readonly after?: string | undefined }
  | { readonly type: 'change-node'; readonly key: string; readonly change: Partial<Omit<DraftNode, 'key'>> }
  | { readonly type: 'remove'; readonly keys: readonly string[] }
  | { readonly type: 'add-edge'; readonly from: string; readonly to: string }
  | { readonly type: 'change-edge'; readonly key: string; readonly change: Partial<Omit<DraftEdge, 'key'>> }
  | { readonly type: 'change-fields'; readonly change: Partial<DraftFields> }

const emptyFields: DraftFields = {
  id: '',
  name: '',
  description: '',
  schedule: '',
  scheduleInput: '',
  scheduleEnabled: true,
  timezone: '',
  catchUp: '',
  overlap: '',
  maxTokens: undefined,
  maxUsd: undefined,
  period: '',
}

/** A graph to begin with: one node. */
export function newDraft(agent: string): GraphDraft {
  return changeDraft({ fields: emptyFields, nodes: [], edges: [], nextKey: 1 }, { type: 'add-node', agent })
}

/** A saved graph, to be edited. */
export function toDraft(graph: Graph): GraphDraft {
  const keys = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}`]))
  return {
    fields: toFields(graph),
    nodes: graph.nodes.map(
      ({ id, agent = '', input = '', retries = 0, on_error: onError = 'fail', ...fixed }) => ({
        key: keys.get(id) ?? id,
        id,
        placeholder: id,
        agent,
        input,
        retries,
        onError,
        ...(Object.keys(fixed).length > 0 && { fixed }),
      }),
    ),
    edges: graph.edges.map(({ from, to, when }, index) => ({
      key: `e${index}`,
      from: keys.get(from) ?? from,
      to: keys.get(to) ?? to,
      when: fromCondition(when),
      ...(typeof when === 'object' && when.data && { data: when.data }),
    })),
    nextKey: graph.nodes.length + graph.edges.length,
  }
}

function toFields(graph: Graph): DraftFields {
  const { id, name = '', description = '', schedule = '', timezone = '', budget } = graph
  return {
    id,
    name,
    description,
    schedule,
    timezone,
    scheduleInput: graph.schedule_input ?? '',
    scheduleEnabled: graph.schedule_enabled,
    catchUp: graph.catch_up ?? '',
    overlap: graph.overlap ?? '',
    maxTokens: budget?.max_tokens,
    maxUsd: budget?.max_usd,
    period: budget?.period ?? '',
  }
}

/** The graph after a change. */
export function changeDraft(draft: GraphDraft, action: DraftAction): GraphDraft {
  switch (action.type) {
    case 'add-node':
      return addNode(draft, action.agent, action.after)
    case 'change-node':
      return changeNode(draft, action.key, action.change)
    case 'remove':
      return remove(draft, new Set(action.keys))
    case 'add-edge':
      return addEdge(draft, action.from, action.to)
    case 'change-edge':
      return {
        ...draft,
        edges: draft.edges.map((edge) => (edge.key === action.key ? { ...edge, ...action.change } : edge)),
      }
    case 'change-fields':
      return { ...draft, fields: { ...draft.fields, ...action.change } }
  }
}

function addNode(draft: GraphDraft, agent: string, after: string | undefined): GraphDraft {
  const id = freeId(draft)
  const key = `n${draft.nextKey}`
  const node: DraftNode = { key, id, placeholder: id, agent, input: '', retries: 0, onError: 'fail' }
  const added = { ...draft, nodes: [...draft.nodes, node], nextKey: draft.nextKey + 1 }
  return draft.nodes.some((each) => each.key === after) ? addEdge(added, after ?? '', key) : added
}

/** `step-<n>`, with the first number that no node has. */
function freeId({ nodes }: GraphDraft): string {
  const taken = new Set(nodes.map(({ id }) => id))
  let number = nodes.length + 1
  while (taken.has(`step-${number}`)) number += 1
  return `step-${number}`
}

/** What a graph's own input goes by in the input of its nodes (A10): no node's name. */
const graphInput = 'input'
const slug = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

function changeNode(draft: GraphDraft, key: string, change: Partial<Omit<DraftNode, 'key'>>): GraphDraft {
  const before = draft.nodes.find((node) => node.key === key)
  if (!before) return draft
  const { id } = change
  const isFree =
    id !== undefined &&
    id !== graphInput &&
    slug.test(id) &&
    draft.nodes.every((node) => node.placeholder !== id)
  const renamed = isFree ? { ...change, placeholder: id } : change
  const nodes = draft.nodes.map((node) => (node.key === key ? { ...node, ...renamed } : node))
  if (!isFree) return { ...draft, nodes }
  return {
    ...draft,
    nodes: nodes.map((node) => ({
      ...node,
      input: rename(node.input, before.placeholder, id),
      ...(node.fixed && { fixed: renameFixed(node.fixed, before.placeholder, id) }),
    })),
  }
}

function renameFixed(fixed: NonNullable<DraftNode['fixed']>, from: string, to: string) {
  const { map, ask, wait } = fixed
  return {
    ...fixed,
    ...(map?.over === from && { map: { ...map, over: to } }),
    ...(ask && { ask: { ...ask, message: rename(ask.message, from, to) } }),
    ...(wait?.until !== undefined && { wait: { ...wait, until: rename(wait.until, from, to) } }),
  }
}

/** What names a node by its placeholder goes on doing so under its new name. */
function rename(input: string, from: string, to: string): string {
  return input.replaceAll(/\{\{\s*([A-Za-z0-9._-]+)\s*\}\}/g, (whole, name: string) =>
    name === from ? `{{${to}}}` : whole,
  )
}

function remove(draft: GraphDraft, keys: ReadonlySet<string>): GraphDraft {
  return {
    ...draft,
    nodes: draft.nodes.filter(({ key }) => !keys.has(key)),
    edges: draft.edges.filter(({ key, from, to }) => !keys.has(key) && !keys.has(from) && !keys.has(to)),
  }
}

function addEdge(draft: GraphDraft, from: string, to: string): GraphDraft {
  const isKnown = draft.edges.some((edge) => edge.from === from && edge.to === to)
  if (isKnown || from === to) return draft
  const edge: DraftEdge = { key: `e${draft.nextKey}`, from, to, when: noCondition }
  return { ...draft, edges: [...draft.edges, edge], nextKey: draft.nextKey + 1 }
}

/** A condition as it is edited: empty texts stand for what is not asked. */
export interface DraftCondition {
  readonly contains: string
  readonly not_contains: string
  readonly equals: string
  readonly starts_with: string
}

/** What can be asked of an output, and how it is said. */
export const conditionLabels = {
  contains: 'contains',
  not_contains: 'does not contain',
  equals: 'is exactly',
  starts_with: 'starts with',
} as const satisfies Record<keyof DraftCondition, string>

const names = Object.keys(conditionLabels) as (keyof DraftCondition)[] // the keys of the object above

/** Takes the edge whatever the output is. */
const noCondition: DraftCondition = { contains: '', not_contains: '', equals: '', starts_with: '' }

/** @returns the condition as it is edited. */
export function fromCondition(when: EdgeCondition | undefined): DraftCondition {
  if (when === undefined) return noCondition
  if (typeof when === 'string') return { ...noCondition, contains: when }
  const { contains = '', not_contains = '', equals = '', starts_with = '' } = when
  return { contains, not_contains, equals, starts_with }
}

/** @returns the condition as it is saved; undefined when nothing is asked. */
export function toCondition(draft: DraftCondition, data?: JsonObject): EdgeCondition | undefined {
  const asked = names.filter((name) => draft[name] !== '').map((name) => [name, draft[name]] as const)
  if (asked.length === 0 && !data) return undefined
  return { ...Object.fromEntries(asked), ...(data && { data }) }
}

/** The condition in words, such as `contains "refund"`. */
export function describeCondition(draft: DraftCondition, data?: JsonObject): string {
  const asked = names.filter((name) => draft[name] !== '')
  const texts = asked.map((name) => `${conditionLabels[name]} “${draft[name]}”`)
  return [...texts, ...(data ? ['data matches a schema'] : [])].join(' and ')
}

type Subject = Partial<Pick<GraphNode, 'agent' | 'function' | 'graph' | 'wait' | 'ask' | 'map'>>

/** The subject of a node that is not an agent: the form keeps it as it is. */
interface Fixed {
  readonly fixed?: DraftNode['fixed'] | undefined
}

/** Whether a node waits or asks: it has no task and is not retried. */
export const isPause = ({ fixed }: Fixed) => (fixed?.wait ?? fixed?.ask) !== undefined

/** Whether a node is something else than an agent. */
export const isFixed = (node: Fixed) =>
  node.fixed?.function !== undefined || node.fixed?.graph !== undefined || isPause(node)

/** Describes what a node runs or waits for. @param nameOf name of an agent */
export function describeSubject(
  { agent = '', function: name, graph, wait, ask, map }: Subject,
  nameOf: (agentId: string) => string,
): string {
  if (wait) return describeWait(wait)
  if (ask) return 'Asks a person'
  const other = graph === undefined ? nameOf(agent) : `Graph ${graph}`
  const subject = name === undefined ? other : `Function ${name}`
  return map ? `${subject}, for each item of ${map.over}` : subject
}

function describeWait({ event, seconds, until = '' }: NonNullable<Subject['wait']>): string {
  if (event !== undefined) return `Waits for the event ${event}`
  return seconds === undefined ? `Waits until ${until}` : `Waits ${seconds} s`
}
